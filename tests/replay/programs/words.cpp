/*
 * Words of standard input, counted by threads that take lines from one stream and share a count per first letter.
 *
 * fails: assert
 */
#include <cassert>
#include <chrono>
#include <iostream>
#include <mutex>
#include <sched.h>
#include <sstream>
#include <string>
#include <thread>

static std::mutex input;
static long counts[26], words;
static volatile long all;

static void work()
{
	auto begin = std::chrono::steady_clock::now();
	for (;;) {
		std::string line, word;
		{
			std::lock_guard<std::mutex> guard(input);
			if (!std::getline(std::cin, line))
				break;
		}
		std::istringstream text(line);
		while (text >> word) {
			if (word[0] >= 'a' && word[0] <= 'z')
				__atomic_fetch_add(&counts[word[0] - 'a'], 1, __ATOMIC_RELAXED);
			long a = all;
			if (word.size() == 4)
				sched_yield();
			all = a + 1;
			__atomic_fetch_add(&words, 1, __ATOMIC_RELAXED);
		}
	}
	auto took = std::chrono::steady_clock::now() - begin;
	std::lock_guard<std::mutex> guard(input);
	std::cout << "done after " << took.count() << " ns" << std::endl;
}

int main()
{
	std::thread a(work), b(work), c(work);
	a.join();
	b.join();
	c.join();
	for (int i = 0; i < 26; i++)
		if (counts[i])
			std::cout << char('a' + i) << ' ' << counts[i] << '\n';
	std::cout << all << " of " << words << std::endl;
	assert(all == words);
}
