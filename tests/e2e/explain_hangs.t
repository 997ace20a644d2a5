# Of threads that wait for ever, the one that matters comes first: what it waits for has come, but the signal was for one thread, and woke another; or it keeps a lock that
# the thread waits for which would signal.
cat >box.c <<'P'
#include <pthread.h>
#include <stdio.h>
#define CAP 1
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items[CAP], count;
static void put(int v)
{
	pthread_mutex_lock(&m);
	while (count == CAP)
		pthread_cond_wait(&changed, &m);
	items[count++] = v;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
}
static int get(void)
{
	pthread_mutex_lock(&m);
	while (count == 0)
		pthread_cond_wait(&changed, &m);
	int v = items[--count];
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&m);
	return v;
}
static void *producer(void *a) { for (int i = 0; i < 100; i++) put(i); return a; }
static void *consumer(void *a) { long s = 0; for (int i = 0; i < 100; i++) s += get(); return (void *)s; }
int main(void)
{
	pthread_t t[6];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, producer, NULL);
	for (int i = 3; i < 6; i++) pthread_create(&t[i], NULL, consumer, NULL);
	for (int i = 0; i < 6; i++) pthread_join(t[i], NULL);
	puts("ok");
	return 0;
}
P
rethread cc -O2 -g -pthread box.c -o box
status 124 rethread record -q --until-failure --runs 100 --timeout 10 ./box 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^Who waits/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:[0-9] waits for ever for a signal of changed \(box.c:(11|20)\). It had found count = (1 \(box.c:10\)|0 \(box.c:19\)), which thread 1:[0-9] changed since to [01] \(box.c:(21|12)\); the signal \(box.c:(22|13)\) was for one thread only(, and woke thread 1:[0-9], which waits \(box.c:(20|11)\))?\.'
! grep 'not again when it came back' out || fail "a thread that looked again is said not to have"

cat >journal.cpp <<'P'
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <cstdio>
struct Log {
	std::mutex m;
	std::condition_variable drained;
	std::queue<int> q;
	void write(int v) { std::unique_lock l(m); drained.wait(l, [&] { return q.size() < 2; }); q.push(v); }
	bool flush_one() { std::lock_guard l(m); if (q.empty()) return false; q.pop(); drained.notify_all(); return true; }
};
static Log logger;
static std::mutex state;
static int version, stopped;
static void worker() {
	for (int i = 0; i < 100; i++) {
		std::lock_guard l(state);
		version++;
		logger.write(version);       /* waits for room with `state` locked */
	}
}
static void flusher() {
	for (;;) {
		{
			std::lock_guard l(state);   /* wants state before it makes room */
			if (stopped) return;
		}
		logger.flush_one();
	}
}
int main() {
	std::thread f(flusher), a(worker);
	a.join();
	{ std::lock_guard l(state); stopped = 1; }
	f.join();
	puts("ok");
}
P
rethread c++ -std=c++17 -O2 -g -pthread journal.cpp -o journal
status 124 rethread record -q --until-failure --runs 100 --timeout 10 ./journal 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^Who waits/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:2 waits for ever for a signal of logger.drained \(journal.cpp:10\), and keeps state \(journal.cpp:18\), which thread 1:1 waits for \(journal.cpp:26\)\.'

# An event count on std::atomic::wait: who waits says so only when it has looked, and who sets the flag sees nobody.
cat >event.cpp <<'P'
#include <atomic>
#include <thread>
#include <unistd.h>
struct Event {
	std::atomic<int> ready{0}, epoch{0}, waiters{0};
	void wait()
	{
		while (!ready.exchange(0)) {
			int e = epoch.load(); usleep(1000);
			waiters.fetch_add(1);
			epoch.wait(e);
			waiters.fetch_sub(1);
		}
	}
	void set()
	{
		ready.store(1);
		if (waiters.load() > 0) {
			epoch.fetch_add(1);
			epoch.notify_one();
		}
	}
};
static Event ping, pong;
int main()
{
	std::thread a([] { for (int i = 0; i < 300; i++) { ping.wait(); pong.set(); } });
	std::thread b([] { for (int i = 0; i < 300; i++) { ping.set(); pong.wait(); } });
	a.join();
	b.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread event.cpp -o event
status 124 rethread record -q --until-failure --runs 3000 --timeout 10 ./event 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^Who waits/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[12]) waits for ever \(event.cpp:11\). It had looked at (ping|pong).ready \(event.cpp:8\), which thread (1:[12]) changed since to 1 \(event.cpp:17\); thread \3 had looked at (ping|pong).waiters \(event.cpp:18\) before thread \1 wrote it \(event.cpp:10\)\.'

# A loop sleeps, since who called it looked too early whether it would have to be woken. What the loop read of a call is in the caller's stack, where the next call lies by now: that the one
# changed to the other is no change.
cat >calls.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
struct call { struct call *next; long n, result; sem_t ready; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct call *head;
static int ends[2];
static void post(struct call *c)
{
	int was_empty = head == NULL; /* too early */
	sched_yield();
	pthread_mutex_lock(&lock);
	c->next = head;
	head = c;
	pthread_mutex_unlock(&lock);
	if (was_empty && write(ends[1], "", 1) != 1)
		abort();
}
static long call(long n)
{
	struct call c = {.n = n};
	sem_init(&c.ready, 0, 0);
	post(&c);
	sem_wait(&c.ready);
	return c.result;
}
static void *loop(void *arg)
{
	char byte;
	while (read(ends[0], &byte, 1) == 1) {
		pthread_mutex_lock(&lock);
		struct call *c = head, *next;
		head = NULL;
		pthread_mutex_unlock(&lock);
		for (; c; c = next) {
			next = c->next;
			c->result = c->n * c->n;
			sem_post(&c->ready);
		}
	}
	return arg;
}
static void *calls(void *arg)
{
	long sum = 0;
	for (long i = 0; i < 100; i++)
		sum += call(i);
	return (void *)sum;
}
int main(void)
{
	pthread_t l, t[3];
	if (pipe(ends))
		return 1;
	pthread_create(&l, NULL, loop, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, calls, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	exit(0);
}
P
rethread cc -O2 -g -pthread calls.c -o calls
status 124 rethread record -q --until-failure --runs 100 --timeout 3 ./calls 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | sed -n '/^In short/,/^$/p' | tr -s ' \n' ' ' >short
! grep -qE 'had found c\.n = [0-9]+ .* changed since to [0-9]+' short || fail "$(cat short)"
has short 'head \(calls.c:1[1-6]\)'

# A gate that is opened and shut at once: who waits for it finds it shut, as before. That it had found another one open is no reason.
cat >gate.cpp <<'P'
#include <atomic>
#include <thread>
#include <unistd.h>
static std::atomic<int> open[2], waiting;
static void pass(std::atomic<int> &gate)
{
	waiting++;
	while (gate.load() == 0)
		gate.wait(0);
}
static void pulse(std::atomic<int> &gate, int visitors)
{
	while (waiting < visitors)
		std::this_thread::yield();
	usleep(10000);
	gate.store(1);
	gate.notify_all();
}
int main()
{
	std::thread visitor([] { pass(open[0]), pass(open[1]); });
	pulse(open[0], 1);
	usleep(10000);
	open[0].store(0);
	pulse(open[1], 2);
	open[1].store(0); // bug: nobody has gone through yet
	visitor.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread gate.cpp -o gate
status 124 rethread record -q --until-failure --runs 100 --timeout 1 ./gate 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | tr -s ' \n' ' ' >out
has out 'In short: thread 1:1 waits for ever \(gate.cpp:9\). It had found open\[1\] = 0 \(gate.cpp:8\); thread 1 changed that to 1 \(gate.cpp:16\) and then put it back \(gate.cpp:26\), which thread 1:1 did not see. Who'
