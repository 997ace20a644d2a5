# What is given back is no block: a variable's address, which another thread stored. The C library fails in free, or says so and aborts.
cat >given.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static struct {
	long before, first; /* a size, to the C library */
} table = {SIZE, 7};
static void *volatile last;
static void *forget(void *unused)
{
	(void)unused;
	last = &table.first;
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forget, NULL);
	for (;;) {
		void *p = last;
		if (p)
			free(p);
	}
}
P
for size in 5 0x10000000000; do
	rethread cc -O2 -g -DSIZE=$size -pthread -o given given.c
	rethread record -q ./given || true
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$size: $(cat out)"
	rethread replay -n 5 >out 2>&1 || fail "$size: $(cat out)"
	has out '^reproduced 5/5$'
done
