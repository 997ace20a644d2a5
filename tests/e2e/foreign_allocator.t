# An allocator from a library of its own, which locks and asks the kernel by interposed functions: none of that is the program's.
cat >allocator.c <<'P'
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *at, *end;
void *malloc(size_t n)
{
	struct timespec now;
	pthread_mutex_lock(&lock);
	clock_gettime(CLOCK_MONOTONIC, &now);
	n = (n + 31) & ~(size_t)15;
	if (!at || (size_t)(end - at) < n) {
		size_t size = n > 1 << 20 ? n : 1 << 20;
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		end = at + size;
	}
	char *p = at + 16;
	((size_t *)p)[-1] = n - 16;
	at += n;
	pthread_mutex_unlock(&lock);
	return p;
}
void free(void *p) { if (p) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); } }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	size_t had = p ? ((size_t *)p)[-1] : 0;
	return p ? memcpy(q, p, had < n ? had : n) : q;
}
void *memalign(size_t a, size_t n) { return (void *)(((uintptr_t)malloc(n + a) + a - 1) & ~(a - 1)); }
void *aligned_alloc(size_t a, size_t n) { return memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { *p = memalign(a, n); return 0; }
P
cat >list.c <<'P'
#include "race.h"
struct item { struct item *next; char text[20]; };
static struct item *volatile items;
static void *pushes(void *arg)
{
	for (int i = 0; i < 200; i++) {
		struct item *n = malloc(sizeof *n);
		snprintf(n->text, sizeof n->text, "%ld.%d", (long)arg, i);
		n->next = items;
		if (i % 20 == 7)
			sched_yield();
		items = n;
		free(strdup(n->text));
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	int n = 0;
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, pushes, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (struct item *i = items; i; i = i->next)
		n++;
	assert(n == 600);
	return 0;
}
P
clang-19 -O1 -fPIC -shared allocator.c -o liballocator.so
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" list.c -o p -L. -lallocator -Wl,-rpath,"$PWD"
status 134 rethread record --until-failure --runs 2000 -- ./p 2>err
rethread info >out
has out '^sync +[0-9] entries'
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat err out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
