# What a thread finds in one critical section it may go by in the next, when another thread has changed it: not a copy of it, but what was computed of it (a row that a search
# ended at, chosen by branches only), or that it came there at all (a number of rows that bounds a loop). `explain` says so first, though the thread never looks at the same again.
cat >rows.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct row { int key, price; } rows[64];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static int find(int key)
{
	int found = -1;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < used; i++)
		if (rows[i].key == key) { found = i; break; }
	pthread_mutex_unlock(&lock);
	return found;
}
__attribute__((noinline)) static int price_of(int row)
{
	pthread_mutex_lock(&lock);
	int price = row < 0 ? -1 : rows[row].price;
	pthread_mutex_unlock(&lock);
	return price;
}
__attribute__((noinline)) static int count(void)
{
	pthread_mutex_lock(&lock);
	int n = used;
	pthread_mutex_unlock(&lock);
	return n;
}
__attribute__((noinline)) static void visit(int row)
{
	pthread_mutex_lock(&lock);
	if (row >= used) abort();
	pthread_mutex_unlock(&lock);
}
static void drop(void)
{
	pthread_mutex_lock(&lock);
	memmove(rows, rows + 1, (size_t)--used * sizeof *rows);
	pthread_mutex_unlock(&lock);
}
static void *clerk(void *arg)
{
	for (int i = 0; i < 20; i++, sched_yield()) drop();
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	for (; used < 40; used++) rows[used] = (struct row){1000 + used, 10 + used};
	pthread_create(&t, 0, clerk, 0);
	for (int i = 0; i < 20; i++, sched_yield())
		if (argc > 1)
			for (int r = 0, n = count(); r < n; r++) visit(r);
		else if (price_of(find(1030)) != 40)
			abort();
	pthread_join(t, 0);
	return !argv;
}
P
first() { # of the newest trace
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^In short:/,/^$/p' out | tr -s ' \n' ' ' >text
}
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread rows.c -o rows
	status 134 rethread record -q --until-failure --runs 5000 ./rows 2>err
	first
	has text '^In short: thread 1 went by what it had read in rows\[[0-9]+\].key \(rows.c:14\) when it read rows\[([0-9]+)\].price \(rows.c:21\); in between thread 1:1 had changed both \(rows.c:41\); thread 1 had given up lock by then\. $'
	status 134 rethread record -q --until-failure --runs 5000 ./rows all 2>err
	first
	has text '^In short: thread 1 went by what it had read in used \(rows.c:28\); before it read it again \(rows.c:35\), thread 1:1 changed it \(rows.c:41\); thread 1 had given up lock by then\. $'
done

# What was shown too early is what led the reader there, not what it had read before that and was as it should be.
cat >order.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static _Atomic int seq, data[64];
static void *writer(void *arg)
{
	for (int i = 0; i < 60; i++) {
		atomic_store_explicit(&seq, i + 1, memory_order_release); if (i == 20) usleep(5000); atomic_store_explicit(&data[i], i * i + 1, memory_order_relaxed);
	}
	return arg;
}
static void *reader(void *arg)
{
	for (int seen = 0; seen < 60;)
		for (int n = atomic_load_explicit(&seq, memory_order_acquire); seen < n; seen++)
			if (atomic_load_explicit(&data[seen], memory_order_relaxed) != seen * seen + 1) usleep(50000), abort();
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, 0, reader, 0);
	pthread_create(&a, 0, writer, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
P
rethread cc -O2 -g -pthread order.c -o order
status 134 rethread record -q --until-failure --runs 20000 ./order 2>err
first
has text '^In short: thread 1:2 let others see seq \(order.c:9\) before it wrote data\[[0-9]+\] \(order.c:9\), which thread 1:1 read in between \(order.c:17\)\. $'
# Two places are compared that another thread writes one after the other, in a section each: it was halfway.
cat >halves.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long booked, paid, rounds;
static void *clerk(void *arg)
{
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&lock);
		booked += i;
		pthread_mutex_unlock(&lock);
		if (i > 5) sched_yield();
		pthread_mutex_lock(&lock);
		paid += i;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void *auditor(void *arg)
{
	for (int i = 0; i < 60; i++, sched_yield()) {
		pthread_mutex_lock(&lock);
		rounds++;
		if (rounds > 3 && booked > 3 && booked != paid) abort();
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, clerk, 0);
	pthread_create(&b, 0, auditor, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
P
rethread cc -O2 -g -pthread halves.c -o halves
status 134 rethread record -q --until-failure --runs 20000 ./halves 2>err
first
has text '^In short: thread 1:1 had written booked \(halves.c:10\) and not yet paid, which it writes next \(halves.c:14\); thread 1:2 read both in between \(halves.c:[0-9]+\): thread 1:1 gives up lock between the two\. $'
# What a thread had looked at, and would have done the same for if it had looked again, is no cause.
cat >idle.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pending = 50;
static long total, checked;
static void *clerk(void *arg)
{
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&lock);
		pending++;
		total++;
		pthread_mutex_unlock(&lock);
		if (i % 4 == 0) sched_yield();
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, clerk, 0);
	for (int i = 0; i < 60; i++) {
		pthread_mutex_lock(&lock);
		int any = pending != 0;
		pthread_mutex_unlock(&lock);
		if (!any) continue;
		sched_yield();
		pthread_mutex_lock(&lock);
		checked++;
		if (total > 10) abort();
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, 0);
}
P
rethread cc -O2 -g -pthread idle.c -o idle
status 134 rethread record -q --until-failure --runs 20000 ./idle 2>err
first
has text '^In short: thread 1 found total = [0-9]+ \(idle.c:[0-9]+\), which thread 1:1 had written \(idle.c:12\)\. $'
# Of two values that the failure compares, one is from before a change and the other from after it; what the thread only waited for is not the one.
cat >seqlock.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic unsigned seq;
static _Atomic long lat, lon;
static void *writer(void *arg)
{
	for (long i = 1; i < 400; i++) {
		seq++;
		lat = i;
		lon = -i;
		seq++;
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, writer, 0);
	for (int i = 0; i < 400; i++) {
		unsigned s; do { s = seq; } while (s & 1); long a = lat; sched_yield(); long b = lon; /* bug: seq is not looked at again */
		if (a != -b) abort();
	}
	pthread_join(t, 0);
}
P
rethread cc -O2 -g -pthread seqlock.c -o seqlock
status 134 rethread record -q --until-failure --runs 20000 ./seqlock 2>err
first
has text '^In short: thread 1 read lat \(seqlock.c:[0-9]+\) before thread 1:1 changed it \(seqlock.c:11\), and lon \(seqlock.c:[0-9]+\) after thread 1:1 had changed that \(seqlock.c:12\): the two are of different times\. $'

# Who waits in a loop goes by what it finds when it comes back, not by what it found before: what it waits for is not enough. So, with an argument, for who comes when it is there
# already and finds the rest as it was when the thread was created. What was found is the container, whichever of its members that was.
cat >pairs.cpp <<'P'
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>
class Pairs {
	std::mutex m;
	std::condition_variable cv;
	std::deque<int> q;
public:
	void put(int v) { std::lock_guard l(m); q.push_back(v); cv.notify_all(); }
	int take_two() {
		std::unique_lock l(m);
		cv.wait(l, [&] { return !q.empty(); });
		assert(q.size() >= 2);
		int a = q.front(); q.pop_front();
		int b = q.front(); q.pop_front();
		return a + b;
	}
};
int main(int argc, char **) {
	Pairs p;
	std::thread a([&] { if (argc == 1) usleep(50000); p.put(1); usleep(100000); p.put(2); });
	std::thread b([&] { if (argc > 1) usleep(50000); p.take_two(); });
	a.join(); b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread pairs.cpp -o pairs
for how in '' late; do
	status 134 rethread record -q --until-failure --runs 50 ./pairs $how 2>err
	first
	has text '^In short: thread 1:2 found p.q \(pairs.cpp:1[56]\) as thread 1:1 had left it \(pairs.cpp:12\)\. $'
done

# What a worker took from its queue, or waited for, is no reason why what it uses was gone: somebody put it away too early.
cat >service.cpp <<'P'
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
struct Metrics { long jobs = 0; bool alive = true; ~Metrics() { alive = false; jobs = -1; } };
class Service {
	std::mutex m;
	std::condition_variable cv;
	std::queue<int> q;
	bool stop = false;
	std::unique_ptr<Metrics> metrics = std::make_unique<Metrics>();
	std::vector<std::thread> threads;
	void run() {
		std::unique_lock l(m);
		while (!stop || !q.empty()) {
			if (q.empty()) { cv.wait(l); continue; }
			int v = q.front(); q.pop();
			l.unlock();
			Metrics *mt = metrics.get();
			assert(mt != nullptr);
			mt->jobs += v;
			l.lock();
		}
	}
public:
	Service() { for (int i = 0; i < 2; i++) threads.emplace_back([this] { run(); }); }
	void post(int v) { std::lock_guard l(m); q.push(v); cv.notify_one(); }
	~Service() {
		{ std::lock_guard l(m); stop = true; cv.notify_all(); }
		metrics.reset();          /* before the threads are joined */
		for (auto &t : threads) t.join();
	}
};
int main() { for (int r = 0; r < 20; r++) { Service s; for (int i = 0; i < 20; i++) s.post(i); } }
P
rethread c++ -std=c++17 -O2 -g -pthread service.cpp -o service
status 134 rethread record -q --until-failure --runs 3000 ./service 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out 'In short: thread 1:[0-9]+ found s.metrics = NULL \(service.cpp:24\), which thread 1 had written'
