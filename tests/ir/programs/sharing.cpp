/* The same for C++: virtual calls, closures, containers, exceptions, smart pointers. */
#include "ir.h"

#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
struct Shape {
	virtual ~Shape() = default;
	virtual long grow(long by) = 0;
	long size = 0;
};
struct Square : Shape {
	long grow(long by) override
	{
		return size += by;
	}
};
struct Circle : Shape {
	std::vector<long> history;
	long grow(long by) override
	{
		history.push_back(by);
		return size += history.size();
	}
};

std::mutex lock;
std::map<std::string, std::unique_ptr<Shape>> shapes;
thread_local std::vector<int> own;

struct Oops : std::runtime_error {
	long *where;
	explicit Oops(long *w) : std::runtime_error("oops"), where(w)
	{
	}
};

long local_only(int n)
{
	std::vector<long> v;
	std::map<int, long> m;
	for (int i = 0; i < n; i++) {
		v.push_back(i * n);
		m[i % 7] += v.back();
	}
	return m[3];
}
} // namespace

int main()
{
	shapes["s"] = std::make_unique<Square>();
	shapes["c"] = std::make_unique<Circle>();
	long counter = 0;
	auto shared = std::make_shared<std::vector<long>>(10);
	std::function<void(long)> add = [&counter](long by) { counter += by; };
	std::atomic<int> ready{0};
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&, shared, i] {
			ready++;
			while (ready < 3)
				std::this_thread::yield();
			long mine = local_only(10 + i);
			own.push_back(i);
			std::lock_guard<std::mutex> g(lock);
			for (auto &s : shapes)
				s.second->grow(mine);
			(*shared)[i] = mine;
			(*shared)[9] += own.back();
			add(mine);
			try {
				throw Oops(&counter);
			} catch (Oops &e) {
				++*e.where;
			}
		});
	for (auto &t : threads)
		t.join();
	std::printf("%ld %ld %ld\n", counter, (*shared)[9], shapes["s"]->size);
	return 0;
}
