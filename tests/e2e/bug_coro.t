# Coroutines that hop from thread to thread of a pool: one is resumed, and its frame gone, while the thread that suspended it is not done with it.
cat >coro.cpp <<'P'
// Coroutines on a small pool. Bug: await_suspend hands the coroutine to the pool and then touches the awaiter, which lives in the
// coroutine's frame; by then another thread may have resumed it to its end.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
struct Pool {
	std::mutex m;
	std::condition_variable cv;
	std::deque<std::coroutine_handle<>> ready;
	bool stop = false;
	std::vector<std::thread> threads;
	Pool(int n) { for (int i = 0; i < n; i++) threads.emplace_back([this] { run(); }); }
	void post(std::coroutine_handle<> h) { { std::lock_guard l(m); ready.push_back(h); } cv.notify_one(); }
	void run() {
		for (;;) {
			std::unique_lock l(m);
			cv.wait(l, [this] { return stop || !ready.empty(); });
			if (ready.empty()) return;
			auto h = ready.front();
			ready.pop_front();
			l.unlock();
			h.resume();
		}
	}
	~Pool() { { std::lock_guard l(m); stop = true; } cv.notify_all(); for (auto &t : threads) t.join(); }
};
struct Task {
	struct promise_type {
		Task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
};
static std::atomic<int> hops{0}, finished{0};
struct Hop {
	Pool &pool;
	int switches = 0;
	bool await_ready() { return false; }
	void await_suspend(std::coroutine_handle<> h) {
		pool.post(h);
		switches++; // `this` may be gone, or await_resume may have come before
	}
	int await_resume() { return switches; }
};
Task job(Pool &pool, int rounds) {
	int seen = 0;
	for (int i = 0; i < rounds; i++) {
		Hop h{pool};
		seen += co_await h;
		hops.fetch_add(1, std::memory_order_relaxed);
	}
	assert(seen == rounds);
	finished++;
}
int main() {
	{
		Pool pool(3);
		for (int i = 0; i < 4; i++) job(pool, 5);
		while (finished.load() < 4) std::this_thread::yield();
	}
	std::printf("%d hops\n", hops.load());
}
P
FLAGS=-std=c++20 ENGINE=solve proven coro.cpp
FLAGS="-std=c++20 -O0" SCHEME=path ENGINE=solve proven coro.cpp
