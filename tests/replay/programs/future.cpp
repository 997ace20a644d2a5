/*
 * Futures: tasks of std::async and a promise add to a total that is only guarded when it is printed.
 *
 * fails: assert
 */
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

static long total;
static std::mutex lock;
static std::condition_variable changed;
static int done;

static long work(int n)
{
	long sum = 0;
	for (int i = 0; i < n; i++) {
		long t = total;
		if (i % 7 == 3)
			std::this_thread::yield();
		total = t + 1;
		sum += i;
	}
	std::lock_guard<std::mutex> guard(lock);
	std::printf("task of %d: %ld, total %ld\n", n, sum, total);
	done++;
	changed.notify_all();
	return n;
}

int main()
{
	std::promise<long> promise;
	std::future<long> promised = promise.get_future();
	std::thread other([&] { promise.set_value(work(40)); });
	std::vector<std::future<long>> tasks;
	for (int i = 1; i <= 3; i++)
		tasks.push_back(std::async(std::launch::async, work, i * 20));
	long want = promised.get();
	for (auto &t : tasks)
		want += t.get();
	other.join();
	std::unique_lock<std::mutex> held(lock);
	changed.wait(held, [] { return done == 4; });
	std::printf("%ld of %ld\n", total, want);
	std::fflush(stdout);
	assert(total == want);
}
