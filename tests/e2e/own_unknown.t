# A thread's own memory that holds what others, the library or the kernel put there: branches on it are recorded (lines with "unknown"),
# and inference follows the path.
cat >p.c <<'P'
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
struct mixed { int constant, unknown; char text[16]; long *where; long tail; };
struct ops { long n; ssize_t (*get)(int, void *, size_t); int (*say)(char *, size_t, const char *, ...); };
union pun { float f; unsigned u; unsigned char c[4]; };
static int shared = 5, turns, ends[2];
static char shared_text[32] = "12 some text";
static long total[2];
static __attribute__((noinline)) long weigh(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static __attribute__((noinline)) long copies(void) {
	struct mixed *m = calloc(1, sizeof *m), n;
	long sum = 0;
	m->constant = 7;
	m->unknown = shared;
	memcpy(m->text, shared_text, sizeof m->text);
	n = *m;
	if (n.unknown > 3) sum = weigh(sum + 1); /* unknown */
	if (n.text[1] > '1') sum = weigh(sum + 2); /* unknown */
	m = realloc(m, 2 * sizeof *m);
	if (m->unknown > 4) sum = weigh(sum + 3); /* unknown */
	char *d = strdup(shared_text), *e = strndup(shared_text, 4), *f;
	if (d[2] == ' ') sum = weigh(sum + 4); /* unknown */
	if (e[0] == '1') sum = weigh(sum + 5); /* unknown */
	if (asprintf(&f, "%d", shared) < 0) abort();
	if (f[0] > '4') sum = weigh(sum + 6); /* unknown */
	union pun u = {.f = (float)shared};
	if (u.u > 77) sum = weigh(sum + 7); /* unknown */
	if (u.c[3] > 1) sum = weigh(sum + 8); /* unknown */
	snprintf(m->text, sizeof m->text, "%d", shared + 10);
	if (strlen(m->text) == 2) sum = weigh(sum + 9); /* unknown */
	if (sscanf(m->text, "%d", &m->unknown) == 1) sum = weigh(sum + 10); /* unknown */
	if (m->unknown == 15) sum = weigh(sum + 11); /* unknown */
	if (1u << (shared & 63) > 8) sum = weigh(sum + 12); /* unknown */
	return sum;
}
static __attribute__((noinline)) struct ops *make(void) {
	struct ops *o = malloc(sizeof *o);
	o->get = read;
	o->say = snprintf;
	return o;
}
static __attribute__((noinline)) long library(void) {
	struct ops *o = make();
	struct mixed *m = calloc(1, sizeof *m);
	struct timeval *tv = calloc(1, sizeof *tv);
	unsigned char *own = calloc(1, 16), *text = calloc(1, 32), *third = calloc(1, 16);
	char *end, *line = NULL;
	long sum = 0;
	size_t size = 0;
	o->get(ends[0], own, 4);
	if (own[1] > 'd') sum = weigh(sum + 1); /* unknown */
	o->say((char *)text, 32, "%d", shared + 100);
	if (text[2] > '0') sum = weigh(sum + 2); /* unknown */
	struct iovec v = {third, 4};
	if (readv(ends[0], &v, 1) < 4) abort();
	if (third[1] > 'd') sum = weigh(sum + 3); /* unknown */
	gettimeofday(tv, NULL);
	if (tv->tv_usec & 1) sum = weigh(sum + 0); /* in the log */
	if (strtol(shared_text, &end, 10) > 4) sum = weigh(sum + 4); /* unknown */
	if (*end == ' ') sum = weigh(sum + 5); /* unknown */
	FILE *f = fmemopen(shared_text, 12, "r");
	if (getline(&line, &size, f) < 0) abort();
	if (line[3] == 's') sum = weigh(sum + 6); /* unknown */
	fclose(f);
	return sum;
}
static __attribute__((noinline)) long addresses(void) { /* each run has others: only analysed */
	struct mixed *m = calloc(1, sizeof *m);
	long sum = 0;
	m->where = &m->tail;
	uintptr_t bits;
	memcpy(&bits, &m->where, sizeof bits);
	if (bits & 4096) sum = weigh(sum + 0); /* unknown */
	long *variable = &m->tail;
	unsigned hash = 0;
	for (size_t i = 0; i < sizeof variable; i++) hash = hash * 31 + ((unsigned char *)&variable)[i];
	if (hash & 1) sum = weigh(sum + 0); /* unknown */
	return sum;
}
static void *work(void *x) {
	total[x != 0] = copies() + library();
	if (opterr == 77) total[0] += addresses();
	turns++;
	return x;
}
int main(void) {
	pthread_t t;
	assert(!pipe(ends));
	assert(write(ends[1], "abcdefghijklmnop", 16) == 16);
	pthread_create(&t, 0, work, &shared);
	shared += opterr - 1;
	shared_text[31] = 0;
	work(0);
	pthread_join(t, 0);
	assert(total[0] == 1 || turns == 7);
	return 0;
}
P
for o in -O1 -O2; do
	rethread cc $o -g -w -pthread p.c -o p
	rethread analyze p >out
	grep -n 'unknown \*/' p.c | cut -d: -f1 >wanted
	grep -E '^ +[0-9]+ .*branches:.*[0-9]+ known' out | sed -E 's/^ +([0-9]+) .*/\1/' >known
	! grep -xFf wanted known || { sed -n "$(grep -xFf wanted known | sed 's/$/p/')" p.c; false; }
	status 134 rethread record -q ./p
	rethread reproduce >out
	has out 'reproduced and proven by replay'
done

# A function that says that nobody else has what it allocates, and keeps a list of it.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct item { struct item *next; int value; };
static struct item *all;
static int shared;
static __attribute__((noinline)) long weigh(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static __attribute__((malloc, noinline)) struct item *make(void) {
	struct item *i = calloc(1, sizeof *i);
	i->next = all;
	all = i;
	return i;
}
static void *work(void *x) {
	long sum = 0;
	for (struct item *i = all; i; i = i->next)
		if (i->value > 3) sum = weigh(sum + i->value); /* unknown */
	shared += (int)sum;
	return x;
}
int main(int argc, char **argv) {
	pthread_t t;
	for (int k = 0; k < 5; k++)
		make()->value = k * atoi(argv[1]);
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	assert(shared == 1);
}
P
rethread cc -O1 -g -w -pthread p.c -o p
rethread analyze p >out
has out '^ +17 .*branches: [12] recorded'
