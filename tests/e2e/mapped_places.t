# Memory that a program maps lies in a twin where it lay: allocators round its addresses up, and find their headers by rounding down.
cat >arenas.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { ARENA = 1 << 19, PAGE = 4096, THREADS = 2 };
struct arena { volatile int live; };
static volatile int skipped;
static struct arena *arena_new(void)
{
	char *p = mmap(NULL, 2 * ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at = p;
	if (p == MAP_FAILED)
		exit(1);
	for (; (uintptr_t)at % ARENA; at += PAGE)
		skipped++;
	if (at > p)
		munmap(p, at - p);
	return (struct arena *)at;
}
static struct arena *of(void *p)
{
	return (struct arena *)((uintptr_t)p & ~(uintptr_t)(ARENA - 1));
}
static void *work(void *p)
{
	of(p)->live++;
	return p;
}
int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++) {
		struct arena *a = arena_new();
		pthread_create(&t[i], NULL, work, a + 5 + i);
	}
	for (int i = 0; i < THREADS; i++) {
		void *p;
		pthread_join(t[i], &p);
		if (of(p)->live != 1)
			exit(2);
	}
	return 3;
}
P
rethread cc -O2 -g -pthread -o arenas arenas.c
status 3 rethread record -q ./arenas
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
