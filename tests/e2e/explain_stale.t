# What belongs together lies in two places: a pointer that is taken under the lock and used without it, after another thread has replaced it, and two values that another thread
# changes between the reads of the one and the other.
between() { # OPTION: of the newest trace
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$1: $(cat out)"
	rethread explain >out
	sed -n '/^Who came in between:$/,/^$/p' out | tr -s ' \n' ' ' >text
}
cat >config.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct config { int version, valid; };
static struct { pthread_mutex_t lock; struct config *now; } all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct config *make(int version)
{
	struct config *c = malloc(sizeof *c);
	c->version = version;
	c->valid = 1;
	return c;
}
static void *uses(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&all.lock);
		struct config *c = all.now;
		pthread_mutex_unlock(&all.lock);
		if (i == 10)
			sched_yield();
		if (!c->valid)
			abort();
	}
	return p;
}
int main(void)
{
	pthread_t t;
	all.now = make(0);
	pthread_create(&t, NULL, uses, NULL);
	for (int i = 1; i < 20; i++) {
		struct config *c = make(i);
		pthread_mutex_lock(&all.lock);
		struct config *old = all.now;
		all.now = c;
		pthread_mutex_unlock(&all.lock);
		old->valid = 0; /* somebody may have it */
	}
	pthread_join(t, NULL);
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread config.c -o config
	status 134 rethread record -q --until-failure --runs 5000 ./config 2>err
	between $opt
	has text 'thread 1:1 read all.now: &config(#[0-9]+)? config.c:17 struct config \*c = all.now; then thread 1 wrote it: &config#[0-9]+ config.c:35 all.now = c; then thread 1:1 read config(#[0-9]+)?.valid: 0 config.c:21 if \(!c->valid\) which is where the pointer led that had been replaced thread 1:1 had all.lock locked then, and gave it up before it came to the second'
done

cat >span.cpp <<'P'
#include <atomic>
#include <cstdlib>
#include <thread>
struct Span { std::atomic<int> low{0}, high{0}; };
static Span span;
int main()
{
	std::thread t([] {
		for (int i = 1; i < 60; i++) {
			span.high.store(i);
			span.low.store(i);
		}
	});
	for (int i = 0; i < 60; i++) {
		int low = span.low.load();
		if (i % 4 == 3)
			std::this_thread::yield();
		int high = span.high.load();
		if (high - low > 1) // one of two stores may have been done
			std::abort();
	}
	t.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread span.cpp -o span
status 134 rethread record -q --until-failure --runs 8000 ./span 2>err
between -O2
has text 'thread 1 read span.low: [0-9]+ span.cpp:15 int low = span.low.load\(\); then thread 1:1 (wrote|updated) it: .* span.cpp:11 .*and thread 1:1 (wrote|updated) span.* span.cpp:10 .*then thread 1 read span.* span.cpp:18 .*the one value is from before, the other from after that'

# Another object's values were new when the first one was read, as they often are: that is no reason.
cat >book.cpp <<'P'
#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>
struct Quote { std::atomic<long> bid{0}, ask{1}; };
static Quote *quotes = new Quote[2];
static std::atomic<int> wanted{0}, done{0};
static void update(Quote &q, long bid)
{
	q.bid.store(bid);
	q.ask.store(bid + 1);
}
static void look(const Quote &q, int pause)
{
	long bid = q.bid.load();
	usleep(pause);
	long ask = q.ask.load();
	if (bid + 1 < ask) // the second may be newer
		std::abort();
}
int main()
{
	std::thread t([] {
		for (int i = 1; i < 6; i++) {
			while (wanted != i)
				usleep(50);
			update(quotes[0], i);
			if (i == 5)
				done = i;
			usleep(i == 5 ? 2000 : 0);
			update(quotes[1], i);
			done = i;
		}
	});
	for (int i = 1; i < 6; i++) {
		wanted = i;
		while (done != i)
			usleep(50);
		look(quotes[0], 0);
		look(quotes[1], i == 5 ? 4000 : 0);
	}
	t.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread book.cpp -o book
status 134 rethread record -q --until-failure --runs 100 ./book 2>err
between -O2
has text 'thread 1 read .*: 4 book.cpp:15 long bid = .*then thread 1:1 wrote it: 5 book.cpp:10 .*and thread 1:1 wrote .*: 6 book.cpp:11 .*then thread 1 read .*: 6 book.cpp:17 .*the one value is from before, the other from after that'

# The pointer may lead to a part of a variable, too.
cat >pages.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct page { int number, alive; };
static struct page pages[4];
static struct page *volatile current;
static void *turns(void *p)
{
	for (int i = 0; i < 200; i++) {
		struct page *old = current, *next = &pages[i % 4];
		next->alive = 1;
		current = NULL;
		if (old)
			old->alive = 0;
		current = next;
		sched_yield();
	}
	return p;
}
static void *reads(void *p)
{
	for (int i = 0; i < 200; i++) {
		struct page *now = current;
		sched_yield();
		if (now && !now->alive)
			abort();
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, turns, NULL);
	pthread_create(&b, NULL, reads, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O1 -g -pthread pages.c -o pages
status 134 rethread record -q --until-failure --runs 5000 ./pages 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:2 read pages\[[0-3]\].alive \(pages.c:25\) through an old pointer: it had got that from current \(pages.c:23\), and thread 1:1 had put another one there since \(pages.c:1[25]\)\.'

# A copy of a structure, of which the condition asks for two parts: those are told of where they are of two times, and not a third one, which was copied last and is of yet another.
cat >limits.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
struct limits { double lo, hi; int ramp, mode; };
static volatile struct limits limits = {10, 20, 1, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double temperature = 15;
static double control(double measured)
{
	struct limits l = limits;
	assert(l.lo < l.hi);
	return measured < l.lo ? l.ramp * 0.5 : measured > l.hi ? l.ramp * -0.5 : 0;
}
static void *controls(void *arg)
{
	for (int i = 0; i < 4000; i++)
		temperature += control(temperature), (void)(i % 64 == 63 && sched_yield());
	return arg;
}
static void *operates(void *arg)
{
	for (int i = 0; i < 400; i++) {
		double lo = i * 7919 % 64;
		pthread_mutex_lock(&lock);
		limits.lo = lo; if (i % 32 == 31) sched_yield();
		limits.hi = lo + 1 + i % 3;
		limits.ramp = 1 + i % 4;
		limits.mode ^= 1;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, controls, NULL);
	pthread_create(&b, NULL, operates, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O0 -g -pthread limits.c -o limits
status 134 rethread record -q --until-failure --runs 3000 ./limits 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'thread 1:1 read limits.lo \(limits.c:10\) (before thread 1:2 changed it \(limits.c:25\), and limits(.hi)? \(limits.c:10\) after thread 1:2 had changed that \(limits.c:2[68]\)|while thread 1:2, which had written it)'
! grep -q 'let others see' short || fail "$(cat short)"
