# A barrier too few in a double-buffered game of life: 100,000 shared accesses, addresses that depend on the race.
cat >life.c <<'P'
/* Double-buffered game of life: one barrier per generation where two are needed. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { W = 24, H = 12, T = 3, GENERATIONS = 40 };
static unsigned char grid[2][H][W];
static pthread_barrier_t barrier;
static int current, population[T];
static int around(unsigned char (*g)[W], int y, int x) {
  int n = 0;
  for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) if (dx || dy) n += g[(y + dy + H) % H][(x + dx + W) % W];
  return n;
}
static void *strip(void *arg) {
  int id = (int)(long)arg, mine = 0;
  for (int gen = 0; gen < GENERATIONS; gen++) {
    unsigned char (*from)[W] = grid[current], (*to)[W] = grid[!current];
    for (int y = id * H / T; y < (id + 1) * H / T; y++)
      for (int x = 0; x < W; x++) { int n = around(from, y, x); to[y][x] = n == 3 || (n == 2 && from[y][x]); }
    pthread_barrier_wait(&barrier);
    if (id == 0) { current = !current; mine++; }   /* bug: others may read current before this */
  }
  population[id] = mine;
  return NULL;
}
int main(void) {
  memcpy(&grid[0][3][4], "\0\1\0", 3); grid[0][4][6] = 1; memset(&grid[0][5][4], 1, 3);
  pthread_barrier_init(&barrier, NULL, T);
  pthread_t t[T];
  for (long i = 0; i < T; i++) pthread_create(&t[i], NULL, strip, (void *)i);
  for (int i = 0; i < T; i++) pthread_join(t[i], NULL);
  int alive = 0;
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) alive += grid[current][y][x];
  printf("alive %d\n", alive);
  assert(alive == 5 && "a glider has five cells");
  return 0;
}
P
proven life.c
