/*
 * tasks THREADS THOUSANDS: a pool of threads runs so many functions from a queue, each of which writes forty numbers into a string. Prints how long these are in all.
 */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class pool {
	std::mutex lock;
	std::condition_variable changed;
	std::deque<std::function<void()>> queue;
	bool stopped = false;
	std::vector<std::thread> threads;

	void run()
	{
		for (;;) {
			std::unique_lock<std::mutex> held(lock);
			changed.wait(held, [this] { return stopped || !queue.empty(); });
			if (queue.empty())
				return;
			std::function<void()> task = std::move(queue.front());
			queue.pop_front();
			held.unlock();
			task();
		}
	}

public:
	explicit pool(int n)
	{
		for (int i = 0; i < n; i++)
			threads.emplace_back([this] { run(); });
	}
	void add(std::function<void()> task)
	{
		{
			std::lock_guard<std::mutex> held(lock);
			queue.push_back(std::move(task));
		}
		changed.notify_one();
	}
	~pool()
	{
		{
			std::lock_guard<std::mutex> held(lock);
			stopped = true;
		}
		changed.notify_all();
		for (std::thread &t : threads)
			t.join();
	}
};

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2, tasks = 1000 * (argc > 2 ? atoi(argv[2]) : 100);
	std::atomic<long> written{0};
	{
		pool p(threads);
		for (int i = 0; i < tasks; i++)
			p.add([&written, i] {
				std::string text;
				for (int k = 0; k < 40; k++)
					text += std::to_string(i * k);
				written += (long)text.size();
			});
	}
	printf("%ld\n", written.load());
}
