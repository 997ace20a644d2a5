/*
 * An exception leaves a critical section, and with it the guard; what it was about is done without one.
 *
 * fails: assert
 */
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> log_lines;
static int accounts[3] = {100, 100, 100};
static long failures;

static void move_money(int from, int to, int amount)
{
	std::lock_guard<std::mutex> guard(lock);
	if (accounts[from] < amount)
		throw std::runtime_error("no cover on " + std::to_string(from));
	accounts[from] -= amount;
	accounts[to] += amount;
}

static void work(int me)
{
	for (int i = 0; i < 60; i++) {
		auto amount = std::make_unique<int>(90 + 7 * me + i);
		try {
			move_money((me + i) % 3, (me + 2 * i) % 3, *amount);
		} catch (const std::exception &e) {
			long f = failures; /* the guard is gone */
			sched_yield();
			failures = f + 1;
			std::lock_guard<std::mutex> guard(lock);
			log_lines.push_back(std::to_string(me) + ": " + e.what());
		}
	}
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, i);
	for (auto &t : threads)
		t.join();
	for (auto &l : log_lines)
		std::printf("%s\n", l.c_str());
	std::printf("%ld failures, %zu lines, %d %d %d\n", failures, log_lines.size(), accounts[0], accounts[1], accounts[2]);
	std::fflush(stdout);
	assert(failures == (long)log_lines.size());
}
