# A decoder whose allocator is in a structure (NULL: the default one), beside a buffer of characters: its state stays its own, what the allocator returns is known, and
# so is what is made of the bits that it reads in more places than one can count on two hands. The path is that of the program with every branch recorded.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct stream {
	const unsigned char *next;
	int left;
	void *(*get)(void *, int);
	void *opaque;
	struct state *state;
};
struct state { struct stream *stream; unsigned bits, live; int *count, sum; };
struct handle { int writing, n; char buffer[200]; struct stream stream; };
static void *get_default(void *opaque, int n) { (void)opaque; return malloc((size_t)n); }
static unsigned char text[3000];
static int done, total;
static __attribute__((noinline)) void turn(struct state *s, int n) { s->sum = s->sum * 31 + n; }
static __attribute__((noinline)) void begin(struct stream *s)
{
	if (!s->get)
		s->get = get_default;
	struct state *d = s->get(s->opaque, sizeof *d);
	d->stream = s;
	d->bits = d->live = 0;
	d->sum = 0;
	d->count = s->get(s->opaque, 16 * sizeof *d->count);
	for (int i = 0; i < 16; i++)
		d->count[i] = 0;
	s->state = d;
}
#define GET(v, n)                                                             \
	while (d->live < n) {                                                 \
		if (!d->stream->left)                                         \
			return;                                               \
		d->bits = d->bits << 8 | *d->stream->next;                    \
		d->live += 8;                                                 \
		d->stream->next++;                                            \
		d->stream->left--;                                            \
	}                                                                     \
	v = (int)(d->bits >> (d->live - n) & ((1u << n) - 1));                \
	d->live -= n;                                                         \
	if (v & 1)                                                            \
		turn(d, v); /* 46 */                                          \
	for (int k = 0; k < v; k++)                                           \
		if (d->count[k]++ & 1)                                        \
			turn(d, k);
static __attribute__((noinline)) void decode(struct state *d)
{
	int v;
	for (;;) {
		GET(v, 1) GET(v, 2) GET(v, 3) GET(v, 4) GET(v, 3) GET(v, 2) GET(v, 1) GET(v, 2) GET(v, 3) GET(v, 4)
		GET(v, 1) GET(v, 2) GET(v, 3) GET(v, 4) GET(v, 3) GET(v, 2) GET(v, 1) GET(v, 2) GET(v, 3) GET(v, 4)
	}
}
static __attribute__((noinline)) struct handle *open_handle(const char *rest, int n)
{
	struct handle *h = malloc(sizeof *h);
	h->writing = h->n = 0;
	h->stream.get = NULL;
	h->stream.opaque = NULL;
	for (; n > 0; n--)
		h->buffer[h->n++] = *rest++;
	begin(&h->stream);
	return h;
}
static void *work(void *x)
{
	struct stream s = {.next = x ? text : text + sizeof text / 2, .left = sizeof text / 2};
	begin(&s);
	decode(s.state);
	total += s.state->sum; /* bug */
	if (s.state->sum == 77) {
		struct handle *h = open_handle((const char *)text, 50);
		h->stream.next = (unsigned char *)h->buffer;
		h->stream.left = h->n;
		decode(h->stream.state);
		total += h->stream.state->sum;
	}
	done++;
	return NULL;
}
static void fill(void)
{
	unsigned v = 1;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)((v = v * 1103515245 + 12345) >> 16);
}
int main(void)
{
	pthread_t t[2];
	fill();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, i ? &t : NULL);
	fill(); /* bug: while they read it; the same again, so that every run has as many branches */
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(total == 1);
}
P
rethread cc -O2 -g -w -pthread p.c -o p
rethread analyze p >out
# decode has nothing shared but the text, and its loops are known.
awk '/^ +[0-9]+  (decode|begin) /' out >own
! grep -E 'store' own || fail "what is the decoder's own counts as shared: $(cat own)"
RETHREAD_PASS_ALL_BRANCHES=1 rethread cc -O2 -g -w -pthread p.c -o every
for p in p every; do
	rm -rf $p.trace
	status 134 rethread record -q -o $p.trace ./$p
	rethread dump --no-lines $p.trace >$p.dump
done
bits() { awk '/^thread 1:/ { n += $3 } END { print n }' "$1"; }
[ "$(bits p.dump)" -lt $(($(bits every.dump) / 2)) ] || fail "too much is recorded: $(bits p.dump) of $(bits every.dump) branches"
rethread reproduce p.trace >out
has out 'reproduced and proven by replay'

# What must not be lost: pointers that a loop copies byte by byte into a structure, that are numbers on NULL for a while, and what functions find that are called by address.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct inner { int *first, *second; };
struct outer { long before; struct inner in; char name[16]; int after; };
struct ops { int (*ask)(struct outer *); };
static int shared, other, total[2], turns;
static __attribute__((noinline)) long weigh(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static inline __attribute__((always_inline)) void copy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	for (size_t i = 0; i < n; i++) {
		t[i] = f[i];
		__asm__ volatile("" ::: "memory");
	}
}
static __attribute__((noinline)) int of_others(struct outer *o) { return o->after + *(volatile int *)&other; }
static __attribute__((noinline)) int of_own(struct outer *o) { return o->after; }
static __attribute__((noinline)) struct ops *choose(int n)
{
	struct ops *o = malloc(sizeof *o);
	o->ask = n ? of_others : of_own;
	return o;
}
static void *work(void *x)
{
	struct outer *o = calloc(1, sizeof *o);
	struct inner *i = calloc(1, sizeof *i);
	long sum = 0;
	i->first = &shared;
	i->second = &other;
	copy(&o->in, i, sizeof *i);
	(*o->in.first)++; /* shared */
	if (*o->in.first > 2) sum = weigh(sum + 1); /* unknown */
	uintptr_t far = (uintptr_t)&other;
	int *again = (int *)((char *)0 + weigh((long)far));
	(*again)++; /* shared */
	if (*again > 2) sum = weigh(sum + 2); /* unknown */
	struct ops *ops = choose(x != NULL);
	if (ops->ask(o) > 1) sum = weigh(sum + 4); /* unknown */
	total[x != NULL] = (int)sum;
	turns++;
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, &t);
	shared += 2;
	other += 2;
	work(NULL);
	pthread_join(t, NULL);
	assert(turns == 7 || total[0] + total[1] == 1);
}
P
for o in -O0 -O1 -O2; do
	rethread cc $o -g -w -pthread p.c -o p
	rethread analyze p >out
	for n in $(grep -n '/\* shared \*/' p.c | cut -d: -f1); do
		has out "^ +$n  work .*(load|store)"
	done
	grep -n 'unknown \*/' p.c | cut -d: -f1 >wanted
	grep -E '^ +[0-9]+ .*branches:.*[0-9]+ known' out | sed -E 's/^ +([0-9]+) .*/\1/' >known
	! grep -xFf wanted known || fail "$o: a branch is known that is not"
	status 134 rethread record -q ./p
	rethread reproduce >out
	has out 'reproduced and proven by replay'
done

# What functions are given that are only called by address, and by calls that are all known, is known as well; not what other code, or the start of a thread, gives them.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
struct ops { long (*weigh)(int, const int *); };
static int total, turns;
static __attribute__((noinline)) long turn(long n) { static __thread volatile long seen; return seen = n; }
static long visit(int n, const int *p)
{
	long sum = 0;
	for (int i = 0; i < n; i++)
		if (p[i] & 1) /* 13 */
			sum = turn(sum + p[i]);
	return sum;
}
static long count(int n, const int *p) { return n > 3 ? turn(n) : p[0]; }
static __attribute__((noinline)) struct ops *make(int which) { struct ops *o = malloc(sizeof *o); o->weigh = which ? visit : count; return o; }
static int compare(const void *a, const void *b)
{
	if (*(const int *)a > *(const int *)b) return (int)turn(1); /* unknown */
	return -(*(const int *)a < *(const int *)b);
}
static void on(int n) { if (n == SIGUSR1) turn(2); /* unknown */ }
static void *begin(void *p) { if (*(int *)p > 3) turn(3); /* unknown */ return NULL; }
static void *work(void *x)
{
	int own[8], keys[8];
	void *root = NULL;
	pthread_t t;
	for (int i = 0; i < 8; i++)
		own[i] = keys[i] = i * 7 % 5;
	struct ops *ops = make(1);
	long sum = ops->weigh(8, own);
	for (int i = 0; i < 8; i++)
		tsearch(&keys[i], &root, compare);
	signal(SIGUSR1, on);
	pthread_create(&t, NULL, begin, keys);
	pthread_join(t, NULL);
	total += (int)sum; /* bug */
	turns++;
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(turns == 7);
}
P
for o in -O1 -O2; do
	rethread cc $o -g -w -pthread p.c -o p
	rethread analyze p >out
	has out '^ +13  visit +branches: [0-9]+ known'
	grep -n 'unknown \*/' p.c | cut -d: -f1 >wanted
	grep -E '^ +[0-9]+ .*branches:.*[0-9]+ known' out | sed -E 's/^ +([0-9]+) .*/\1/' >known
	! grep -xFf wanted known || fail "$o: a branch is known that is not"
	status 134 rethread record -q ./p
	rethread reproduce >out
	has out 'reproduced and proven by replay'
done
