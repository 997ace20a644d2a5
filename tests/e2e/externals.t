# Library functions that touch shared memory race like any access: strcpy with strlen, memcpy, free.
cat >p.c <<'P'
#include "race.h"
static char buffer[64] = "short";
static size_t seen;
static void *writer(void *x)
{
	for (int i = 0; i < 3; i++) {
		sched_yield();
		strcpy(buffer, i % 2 ? "short" : "a much longer text");
	}
	return x;
}
static void *reader(void *x)
{
	seen = strlen(buffer);
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, writer, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(seen == 5);
	return 0;
}
P
rethread cc -O1 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p

cat >q.c <<'P'
#include "race.h"
static long from[32], to[32];
static volatile int n = 32;
static int compare(const void *x, const void *y)
{
	long a = *(const long *)x, b = *(const long *)y;
	return a < b ? -1 : a > b;
}
static void *fill(void *x)
{
	for (int i = 0; i < n; i++) {
		if (i % 8 == 7)
			sched_yield();
		from[i] = 100 - i;
	}
	return x;
}
static void *copy(void *x)
{
	sched_yield();
	memcpy(to, from, (size_t)n * sizeof *from);
	qsort(to, (size_t)n, sizeof *to, compare);
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, fill, 0);
	pthread_create(&b, 0, copy, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(to[0] == 69);
	return 0;
}
P
rethread cc -O1 -g -I"$ROOT/tests/e2e" q.c -o q
reproduced /dev/null ./q

cat >r.c <<'P'
#include "race.h"
struct thing {
	long magic, uses;
	char name[100];
};
static struct thing *volatile thing;
static void *drop(void *x)
{
	sched_yield();
	free(thing);
	thing = NULL;
	return x;
}
static void *use(void *x)
{
	for (int i = 0; i < 20 && thing; i++) {
		struct thing *t = thing;
		sched_yield();
		if (t)
			assert(t->magic == 77 && "used after free");
	}
	return x;
}
int main(void)
{
	pthread_t a, b;
	thing = calloc(1, sizeof *thing);
	thing->magic = 77;
	pthread_create(&b, 0, use, 0);
	pthread_create(&a, 0, drop, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
P
rethread cc -O1 -g -I"$ROOT/tests/e2e" r.c -o r
reproduced /dev/null ./r
