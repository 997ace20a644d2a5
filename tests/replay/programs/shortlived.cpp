/*
 * Many threads that live shortly, some of them detached. Each has thread-local objects whose destructors hand in what it
 * counted, and the last of them forgets the lock.
 *
 * fails: assert
 */
#include <atomic>
#include <cassert>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::map<std::string, int> by_name;
static volatile long total;
static std::atomic<int> left;

struct Names {
	std::vector<std::string> seen;
	~Names()
	{
		std::lock_guard<std::mutex> guard(lock);
		for (auto &name : seen)
			by_name[name]++;
	}
};

struct Tally {
	std::unique_ptr<long> count = std::make_unique<long>(0);
	~Tally()
	{
		long before = total;
		std::this_thread::yield();
		total = before + *count;
		left--;
	}
};

static thread_local Tally tally;
static thread_local Names names;

static void live(int me)
{
	for (int i = 0; i < 3; i++) {
		names.seen.push_back("kind " + std::to_string((me + i) % 7));
		++*tally.count;
	}
}

int main()
{
	enum { ROUNDS = 15, AT_ONCE = 6 };
	for (int round = 0; round < ROUNDS; round++) {
		std::vector<std::thread> threads;
		left += AT_ONCE;
		for (int i = 0; i < AT_ONCE; i++)
			threads.emplace_back(live, round * AT_ONCE + i);
		for (int i = 0; i < AT_ONCE; i++)
			if (i % 3)
				threads[i].join();
			else
				threads[i].detach();
		while (left)
			std::this_thread::yield();
	}
	for (auto &n : by_name)
		std::printf("%s: %d\n", n.first.c_str(), n.second);
	std::printf("%ld of %d\n", total, ROUNDS * AT_ONCE * 3);
	std::fflush(stdout);
	assert(total == ROUNDS * AT_ONCE * 3);
}
