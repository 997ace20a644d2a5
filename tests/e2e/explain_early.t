# What a thread reads too early is named, though others came in time: it has put in the initial values itself. A wait group that is told of a thread only by that thread.
cat >group.cpp <<'P'
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
class WaitGroup {
	std::mutex m; std::condition_variable cv; int n = 0;
public:
	void add() { std::lock_guard l(m); n++; }
	void done() { std::lock_guard l(m); if (--n == 0) cv.notify_all(); }
	void wait() { std::unique_lock l(m); cv.wait(l, [&] { return n == 0; }); }
};
int main() {
	for (int round = 0; round < 30; round++) {
		WaitGroup wg;
		std::vector<int> results(4, -1);
		std::vector<std::thread> t;
		for (int i = 0; i < 4; i++)
			t.emplace_back([&, i] { wg.add(); results[i] = i; wg.done(); });
		wg.wait();
		int sum = 0;
		for (int r : results) sum += r;
		bool ok = sum == 6;
		for (auto &x : t) x.join();
		assert(ok);
	}
}
P
rethread c++ -std=c++17 -O2 -g -pthread group.cpp -o group
status 134 rethread record -q --until-failure --runs 1000 ./group 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^What/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1 read .* \(group.cpp:22\) before thread 1:[0-9]+ wrote it \(group.cpp:19\)\.'

# A timer fires when its connection is closed already. That the ticker looked whether anybody is left, before the last one went and after the first, is how it goes on, and says nothing.
cat >timer.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static pthread_mutex_t wheel = PTHREAD_MUTEX_INITIALIZER, conn = PTHREAD_MUTEX_INITIALIZER;
static int armed, is_open;
static atomic_int workers = 2;
static void *ticks(void *arg)
{
	while (atomic_load(&workers)) {
		pthread_mutex_lock(&wheel);
		int expired = armed;
		armed = 0;
		pthread_mutex_unlock(&wheel);
		sched_yield();
		if (!expired)
			continue;
		pthread_mutex_lock(&conn);
		assert(is_open);
		pthread_mutex_unlock(&conn);
	}
	return arg;
}
static void set(pthread_mutex_t *lock, int *what, int value)
{
	pthread_mutex_lock(lock);
	*what = value;
	pthread_mutex_unlock(lock);
}
static void *works(void *arg)
{
	for (int i = 0; i < 300; i++) {
		set(&conn, &is_open, 1);
		set(&wheel, &armed, 1);
		sched_yield();
		pthread_mutex_lock(&wheel);
		if (armed)
			armed = 0;
		pthread_mutex_unlock(&wheel);
		set(&conn, &is_open, 0);
	}
	workers--;
	return arg;
}
static void *leaves(void *arg)
{
	workers--;
	return arg;
}
int main(void)
{
	pthread_t t, w, l;
	pthread_create(&l, NULL, leaves, NULL);
	pthread_create(&t, NULL, ticks, NULL);
	pthread_create(&w, NULL, works, NULL);
	pthread_join(l, NULL);
	pthread_join(w, NULL);
	pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread timer.c -o timer
status 134 rethread record -q --until-failure --runs 3000 ./timer 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
! grep -q 'workers' short || fail "$(cat short)"
has short 'is_open .*timer.c:19'

# Of parts that are added up, the one that was not there yet: its thread counts down the latch before it has put its part in.
cat >parts.cpp <<'P'
#include <array>
#include <atomic>
#include <cstdio>
#include <latch>
#include <numeric>
#include <thread>
#include <vector>
struct Part {
	std::array<long, 4> sums{};
};
static std::atomic<bool> shown;
static std::latch done(3);
static std::vector<Part> parts(3);
static void work(int id)
{
	Part own;
	for (int i = 0; i < 4; i++)
		own.sums[i] = id * 4 + i + 1;
	if (id == 1) { /* bug */
		done.count_down();
		while (!shown)
			std::this_thread::yield();
	}
	parts[id] = own;
	if (id != 1)
		done.count_down();
}
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, i);
	done.wait();
	long total = 0;
	for (auto &p : parts)
		total += std::accumulate(p.sums.begin(), p.sums.end(), 0L);
	std::printf("total %ld\n", total);
	shown = true;
	for (auto &t : threads)
		t.join();
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++20 $opt -g -pthread parts.cpp -o parts
	rethread record -q -o parts$opt --fail-if "! grep -q 'total 78'" ./parts >out 2>err || fail "$(cat err)"
	rethread reproduce --engine solve --budget 60 parts$opt >out 2>&1 || fail "$(cat out)"
	rethread explain parts$opt >out
	has out '^In short: thread 1 read (Part|parts)\[1\].sums \(parts.cpp:36\) before thread 1:2 wrote it \(parts.cpp:24\)'
done
