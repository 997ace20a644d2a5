# A program with functions of its own under names that the runtime defines in the C library's place, too (jemalloc's tests have mtx_lock): its own
# count, are inferred and replayed.
cat >own.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
int printf(const char *, ...);
struct lock { int taken; pthread_mutex_t real; };
static struct lock lock = {0, PTHREAD_MUTEX_INITIALIZER};
static volatile int total;
int mtx_lock(struct lock *l) { pthread_mutex_lock(&l->real); l->taken++; return 0; }
int mtx_unlock(struct lock *l) { l->taken--; pthread_mutex_unlock(&l->real); return 0; }
long getline(char *to, long n) { memset(to, 'x', (size_t)n - 1); to[n - 1] = 0; return n; }
static void *adds(void *x)
{
	for (int i = 0; i < 50; i++) {
		mtx_lock(&lock);
		int t = total;
		mtx_unlock(&lock);
		if (i % 5 == 2)
			sched_yield();
		mtx_lock(&lock);
		total = t + 1;
		mtx_unlock(&lock);
	}
	return x;
}
int main(int argc, char **argv)
{
	char line[8];
	pthread_t a, b;
	(void)argv;
	printf("%ld %s\n", getline(line, 8), line);
	pthread_create(&a, NULL, adds, NULL);
	pthread_create(&b, NULL, adds, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(argc > 1 || (total == 100 && !lock.taken));
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -w -pthread own.c -o own 2>err
	recordable ./own
	same "$(./own x)" '8 xxxxxxx'
	status 134 rethread record --until-failure --runs 500 ./own 2>err >shown
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 5 >out 2>&1
	has out 'reproduced 5/5'
done

# Where it goes on by dlsym, that is said.
cat >next.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef OWN
ssize_t read(int fd, void *to, size_t n)
{
	ssize_t (*next)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	return next(fd, to, n);
}
#endif
int main(void)
{
	char text[8] = "a b", *save = getenv("HOME");
	return read(0, text, 3) == 3 && strtok(text, " ") && dlsym(RTLD_DEFAULT, "puts") ? save == NULL : 2;
}
P
rethread cc -O2 -DOWN next.c -o next 2>err
has err 'has a function read of its own: what it gets from another one by dlsym is not recorded'
status 0 rethread record -q ./next <<<"a b"
rethread cc -O2 next.c -o next 2>err
same "$(cat err)" ""
