/*
 * Containers of the standard library without a lock around them: map, list, deque, string, shared_ptr.
 *
 * output: varies
 */
#include <cassert>
#include <cstdio>
#include <deque>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <sched.h>
#include <string>
#include <thread>

static std::map<int, std::string> names;
static std::list<int> order;
static std::deque<int> queue;
static std::shared_ptr<std::string> current = std::make_shared<std::string>("none");

static void work(int me)
{
	for (int i = 0; i < 40; i++) {
		int key = (me * 17 + i * 5) % 64;
		names[key] = "name of a length that is not kept inside " + std::to_string(key);
		order.push_back(key);
		if (i % 9 == me)
			sched_yield();
		queue.push_back(key);
		if (queue.size() > 5)
			queue.pop_front();
		std::shared_ptr<std::string> mine = std::atomic_load(&current);
		std::atomic_store(&current, std::make_shared<std::string>(*mine, 0, 3));
		if (i % 4 == 3)
			names.erase(key);
	}
}

int main()
{
	std::thread a(work, 1), b(work, 2), c(work, 3);
	a.join();
	b.join();
	c.join();
	std::size_t length = 0;
	for (auto &n : names)
		length += n.second.size();
	std::cout << names.size() << " names, " << order.size() << " in order, " << length << " long" << std::endl;
	assert(order.size() == 120);
}
