# Values of racy reads that decide addresses are in the log, others are not; values=0 turns them off.
cat >ring.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#define N 64
static struct node { struct node *next; } *list; /* built before there are threads */
static int tickets[N];                           /* a slot for each ticket */
static volatile int next;
static pthread_barrier_t begin;
static void *take(void *arg)
{
	long walked = 0;
	for (struct node *n = list; n; n = n->next)
		walked++;
	pthread_barrier_wait(&begin);
	for (int i = 0; i < N / 2; i++)
		tickets[next++ % N]++; /* bug: two threads can draw the same */
	return (void *)walked;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (int i = 0; i < 1000; i++) {
		struct node *n = malloc(sizeof *n);
		n->next = list;
		list = n;
	}
	pthread_barrier_init(&begin, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, take, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < N; i++)
		assert(tickets[i] == 1 && "a ticket was drawn twice");
	return argc > 5;
}
P
rethread cc -O2 -g -pthread -o ring ring.c
rethread record -q -o one ./ring || true
values() { rethread dump --no-lines --json "$1" | python3 -c '
import json, sys
print(*[t["values"] for t in json.load(sys.stdin)["threads"]])'; }
# 1000 allocations by the main thread, whose array of threads is its own; each worker 32 tickets, and nothing of the list.
same "$(values one)" "1000 32 32"
# Where the order of locks is not recorded, what the list held is.
rethread record -q --scheme path -o path ./ring || true
read -r main first second < <(values path)
same "$main" 1000
test "$first" -gt 32 && test "$second" -gt 32
RETHREAD_OPTIONS=values=0 rethread record -q -o none ./ring || true
same "$(values none)" "0 0 0"
ENGINE=solve proven ring.c
# What is in the log is not guessed.
rethread infer -v >out 2>&1
has out ' 0 assumptions'
# Very many of them end by themselves, which is said; unless all are asked for.
cat >many.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 16 };
static volatile unsigned cells[CELLS], next;

static void *stir(void *p)
{
	for (unsigned i = 0; i < *(unsigned *)p; i++)
		cells[next % CELLS] = next = next * 5 + 1;
	return p;
}

int main(int argc, char **argv)
{
	pthread_t t;
	unsigned many = 6000000, none = (unsigned)argc - 1; /* one works, alone and fast; the compiler does not know */
	(void)argv;
	pthread_create(&t, NULL, stir, &many);
	stir(&none);
	pthread_join(t, NULL);
	printf("%u\n", cells[3]);
	return 0;
}
P
rethread cc -O2 -g -pthread -o many many.c
RETHREAD_OPTIONS=values=2 rethread record -q -o wrong ./many >out 2>&1 || true
has out 'values'
rethread record -q -o few ./many
rethread info few | grep -q '^values *too many to record them all'
test "$(values few | cut -d ' ' -f 2)" -lt 6000000
rethread record -q --all-values -o all ./many
rethread info all | grep '^values' && fail "still too many"
same "$(values all | cut -d ' ' -f 2)" 6000000
# Those that repeat themselves take no room, but time: very many more of them than a thread that polls has in a short run end as well.
sed -e 's/cells.next % CELLS.*/*place += i, place = cells;/' -e 's/, next;/, *volatile place = cells;/' -e 's/many = 6000000/many = 400000000/' many.c >same.c
rethread cc -O2 -g -pthread -o same same.c
rethread record -q -o few.same ./same
rethread info few.same | grep -q '^values *too many to record them all'
test "$(values few.same | cut -d ' ' -f 2)" -gt 30000000
test "$(du -k few.same | cut -f 1)" -lt 30000 # time stamps, as many as the processor is fast
# Of those that change all the time, as what a worker reads does, fewer.
sed -e 's/cells.next % CELLS.*/{ *place += i; place = i % 500 ? cells : cells + i \/ 500 % CELLS; }/' -e 's/, next;/, *volatile place = cells;/' \
	-e 's/many = 6000000/many = 120000000/' many.c >change.c
rethread cc -O2 -g -pthread -o change change.c
rethread record -q -o few.change ./change
rethread info few.change | grep -q '^values *too many to record them all'
test "$(values few.change | cut -d ' ' -f 2)" -gt 1000000
test "$(values few.change | cut -d ' ' -f 2)" -lt 60000000
# Mappings and memory that comes by way of a parameter are blocks, too.
cat >mapped.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct node { struct node *volatile next; long pay; };
static struct node *volatile head;

static void *turn(void *p)
{
	for (int i = 0; i < 200; i++) {
		struct node *n = head;
		n->pay++;
		head = n->next;
	}
	return p;
}

int main(void)
{
	void *there = NULL;
	struct node *a = mmap(NULL, 100 * sizeof *a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (posix_memalign(&there, 64, sizeof *a))
		return 2;
	struct node *b = there;
	pthread_t t[2];
	a[50].next = b;
	b->next = &a[50];
	b->pay = 0;
	head = b;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, turn, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (a[50].pay + b->pay > 0)
		abort();
	return 0;
}
P
rethread cc -O2 -g -pthread -o mapped mapped.c
rethread record -q ./mapped || true
rethread infer -v --budget 20 >out 2>&1
has out ' 0 assumptions'
# Of a number of 64 bits the log has both halves, so that it is known.
cat >pair.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t pair; /* a tag, and an index below it */
static volatile long cells[8];

static void *turn(void *p)
{
	for (int i = 0; i < 50; i++) {
		uint64_t h = pair;
		cells[(uint32_t)h % 8]++;
		pair = (h >> 32 << 32) + (1ull << 32) + ((uint32_t)h + 1) % 8;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, turn, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o pair pair.c
rethread record -q ./pair || true
rethread infer -v --budget 30 >out 2>&1 || fail "$(cat out)"
has out ' 0 assumptions'
# ... 50 of two words by each thread.
same "$(values "$(latest)" | cut -d ' ' -f 2-)" "100 100"
# Addresses whose lower halves look like small numbers: memory at a multiple of 4 GiB, where heaps of threads can be, too.
cat >low.c <<'P'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct node { struct node *volatile next; volatile long pay; };
enum { NODES = 20 };
static struct node *volatile head, *volatile end;

static void *make(void *p)
{
	struct node *n = mmap((void *)(3ul << 44), NODES * sizeof *n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	usleep(1000);
	for (int i = 1; i < NODES; i++, usleep(1)) {
		n[i].next = head;
		head = &n[i];
		end = i % 2 ? n + NODES : n + i;
	}
	return p;
}

static void *use(void *p)
{
	for (int i = 0; i < 40; i++, usleep(100)) {
		for (struct node *n = head; n; n = n->next)
			n->pay++;
		struct node *e = end;
		if (e)
			e[-1].pay++;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, use, NULL);
	pthread_create(&t[1], NULL, make, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o low low.c
rethread record -q ./low || true
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
# Where the kernel chooses, nothing of a recorded program lies there.
cat >maps.c <<'P'
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	enum { SIZE = 64 << 20 };
	int there = 0;
	for (int i = 0; i < 600; i++) {
		uint64_t at = (uint64_t)mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		there += at >> 32 != (at + SIZE) >> 32;
	}
	printf("%d\n", there);
	return 0;
}
P
rethread cc -O2 -o maps maps.c
same "$(rethread record -q ./maps)" 0
# The end of one variable is where another one begins, and may not be here.
cat >ends.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int *volatile end;
static volatile int big;

static void *move(void *p)
{
	int one[3] = {0}, two[3] = {0};
	for (int i = 0; i < 30; i++, usleep(1))
		end = i % 2 ? one + 3 : two + 3;
	for (int i = 0; i < 100 && !big; i++)
		usleep(100);
	end = NULL;
	usleep(2000);
	return p;
}

static void *count(void *p)
{
	for (int i = 0; i < 40; i++, usleep(1)) {
		int *e = end;
		if (e && ++e[-1] > 5)
			big++;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, move, NULL);
	pthread_create(&t[1], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o ends ends.c
	rethread record -q ./ends || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
done
# Floats that decide addresses are recorded, too.
cat >floats.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile float single = 1;
static volatile double real = 2;
static volatile int cells[16], big;

static void *grow(void *p)
{
	for (int i = 0; i < 20; i++, usleep(1)) {
		single += 0.5f;
		real *= 1.2;
	}
	return p;
}

static void *count(void *p)
{
	for (int i = 0; i < 30; i++, usleep(1)) {
		if (++cells[(unsigned)single % 16] > 3)
			big++;
		if (++cells[(unsigned)real % 16] > 5)
			big++;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, grow, NULL);
	pthread_create(&t[1], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o floats floats.c
rethread record -q ./floats || true
rethread infer -v --budget 30 >out 2>&1 || fail "$(cat out)"
has out ' 0 assumptions'
# An address with a counter in the bits above or below it.
cat >tagged.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static struct node { volatile int pay; } pool[8];
static volatile uint64_t above, below;
static volatile int sum;

static void *turn(void *p)
{
	for (uint64_t i = 1; i < 20; i++, usleep(1)) {
		above = (uint64_t)(uintptr_t)&pool[i % 8] | i << 48;
		below = (uint64_t)(uintptr_t)&pool[i % 7] << 16 | i;
	}
	return p;
}

static void *use(void *p)
{
	for (int i = 0; i < 30; i++, usleep(1)) {
		uint64_t a = above, b = below;
		if (a && ++((struct node *)(a << 16 >> 16))->pay > 3)
			sum++;
		if (b && ++((struct node *)(b >> 16))->pay > 4)
			sum++;
		if ((a >> 48 ^ b) & 1)
			sum++;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, turn, NULL);
	pthread_create(&t[1], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o tagged tagged.c
rethread record -q ./tagged || true
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
# Memory hands on what was stored to the same field: that threads find their slot by what stands in a structure makes no values of the counters
# that other structures, which the analysis does not tell apart from it, have.
cat >fields.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct worker { pthread_t thread; unsigned slot; };
struct counter { volatile long value; };
static void *memory(size_t size) { return calloc(1, size); }
static struct counter *counters;
static void *count(void *arg)
{
	struct worker *w = arg;
	for (int i = 0; i < 1000; i++)
		counters[w->slot].value = counters[w->slot].value + 1;
	return arg;
}
int main(void)
{
	struct worker *w[2];
	counters = memory(2 * sizeof *counters);
	for (unsigned i = 0; i < 2; i++) {
		w[i] = memory(sizeof *w[i]);
		w[i]->slot = i / 2;
		pthread_create(&w[i]->thread, NULL, count, w[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(w[i]->thread, NULL);
	return 0;
}
P
rethread cc -O2 -g -fno-inline -pthread -o fields fields.c
rethread record -q -o fields.trace ./fields
read -r _ first second < <(values fields.trace)
test "$first" -lt 1000 && test "$second" -lt 1000 || fail "$first and $second values of counters"
