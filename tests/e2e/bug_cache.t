# Read-write lock, semaphore, stale cache: a program that was written after the first ones worked.
cat >cache.c <<'P'
/* Config cache: rwlock protects the table, but the generation counter is checked outside. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t updates;
static struct { char key[16]; int value; } table[8];
static int generation, cached_generation = -1, cached_value;
static int lookup(int k) {
  if (cached_generation == generation) return cached_value;
  pthread_rwlock_rdlock(&lock);
  int v = table[k & 7].value;
  cached_value = v;
  cached_generation = generation;
  pthread_rwlock_unlock(&lock);
  return v;
}
static void *writer(void *a) {
  (void)a;
  for (int i = 1; i <= 50; i++) {
    pthread_rwlock_wrlock(&lock);
    for (int k = 0; k < 8; k++) { snprintf(table[k].key, sizeof table[k].key, "key%d", k); table[k].value = i; }
    pthread_rwlock_unlock(&lock);
    generation++;
    sem_post(&updates);
  }
  return NULL;
}
static void *reader(void *a) {
  int last = 0; (void)a;
  for (int i = 0; i < 50; i++) {
    sem_wait(&updates);
    int v = lookup(3);
    assert(v >= last && "the cache went back in time");
    last = v;
  }
  return NULL;
}
int main(void) {
  sem_init(&updates, 0, 0);
  pthread_t w, r, r2;
  pthread_create(&r, NULL, reader, NULL);
  pthread_create(&w, NULL, writer, NULL);
  pthread_create(&r2, NULL, writer, NULL);
  pthread_join(r, NULL); pthread_join(w, NULL); pthread_join(r2, NULL);
  return 0;
}
P
proven cache.c
