/*
 * Orders with a deadline: a clerk waits for each with a time limit, and takes a limit that has passed for an order that will not
 * come, without looking again. What arrives in between is lost.
 *
 * fails: assert
 */
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

class Counter {
	std::mutex lock;
	std::condition_variable arrived;
	std::optional<int> order;

public:
	int dropped = 0;

	bool put(int value)
	{
		std::lock_guard<std::mutex> guard(lock);
		if (order)
			return false;
		order = value;
		arrived.notify_one();
		return true;
	}

	std::optional<int> take()
	{
		std::unique_lock<std::mutex> guard(lock);
		bool late = false;
		while (!order && !late)
			late = arrived.wait_for(guard, 300us) == std::cv_status::timeout;
		std::optional<int> taken = late ? std::nullopt : order;
		if (late && order)
			dropped++; /* forgotten below */
		order.reset();
		return taken;
	}
};

int main()
{
	Counter counter;
	std::vector<int> taken;
	int sent = 0;
	bool open = true;
	std::mutex closing;
	std::thread clerk([&] {
		for (;;) {
			if (auto order = counter.take())
				taken.push_back(*order);
			std::lock_guard<std::mutex> guard(closing);
			if (!open)
				break;
		}
	});
	std::thread customer([&] {
		for (int i = 0; i < 60; i++) {
			std::this_thread::sleep_for(std::chrono::microseconds(100 + i * 37 % 400));
			sent += counter.put(i);
		}
		std::this_thread::sleep_for(2ms);
		std::lock_guard<std::mutex> guard(closing);
		open = false;
	});
	customer.join();
	clerk.join();
	std::printf("%d sent, %zu taken, %d dropped\n", sent, taken.size(), counter.dropped);
	std::fflush(stdout);
	assert(counter.dropped == 0);
}
