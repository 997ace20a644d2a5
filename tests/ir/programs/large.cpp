/* A lot of the C++ library at once: what the pass meets in real programs. */
#include "ir.h"

#include <algorithm>
#include <any>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace
{
template <class T> class Channel
{
	std::mutex lock;
	std::condition_variable ready;
	std::deque<T> items;
	bool closed = false;

      public:
	void put(T v)
	{
		std::lock_guard g(lock);
		items.push_back(std::move(v));
		ready.notify_one();
	}
	void close()
	{
		std::lock_guard g(lock);
		closed = true;
		ready.notify_all();
	}
	std::optional<T> get()
	{
		std::unique_lock g(lock);
		ready.wait(g, [&] { return closed || !items.empty(); });
		if (items.empty())
			return std::nullopt;
		T v = std::move(items.front());
		items.pop_front();
		return v;
	}
};

using Value = std::variant<long, double, std::string, std::vector<int>>;

struct Visitor {
	long operator()(long v)
	{
		return v;
	}
	long operator()(double v)
	{
		return long(v * 10);
	}
	long operator()(const std::string &s)
	{
		return long(s.size());
	}
	long operator()(const std::vector<int> &v)
	{
		return std::accumulate(v.begin(), v.end(), 0L);
	}
};

long visit_all()
{
	std::vector<Value> values{1L, 2.5, std::string("three"), std::vector<int>{4, 5}};
	long sum = 0;
	for (auto &v : values)
		sum += std::visit(Visitor{}, v);
	return sum;
}

std::string words(const std::string &text)
{
	std::regex word("([a-z]+)-([0-9]+)", std::regex::icase);
	std::ostringstream out;
	for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)
		out << (*i)[1] << '=' << std::setw(4) << std::setfill('0') << std::stoi((*i)[2])
		    << ';';
	return out.str();
}

long parallel()
{
	Channel<std::pair<int, std::string>> channel;
	std::shared_mutex guard;
	std::unordered_map<std::string, long> seen;
	auto worker = [&] {
		long mine = 0;
		while (auto item = channel.get()) {
			mine += item->first;
			std::unique_lock g(guard);
			seen[item->second] += item->first;
		}
		return mine;
	};
	std::vector<std::future<long>> results;
	for (int i = 0; i < 3; i++)
		results.push_back(std::async(std::launch::async, worker));
	for (int i = 0; i < 100; i++)
		channel.put({i, "key" + std::to_string(i % 10)});
	channel.close();
	long sum = 0;
	for (auto &r : results)
		sum += r.get();
	for (auto &s : seen)
		sum += s.second * long(s.first.size());
	return sum;
}

long nested_exceptions(int depth)
{
	try {
		if (depth == 0)
			throw std::out_of_range("deep");
		return nested_exceptions(depth - 1);
	} catch (std::out_of_range &e) {
		if (depth % 3 == 0)
			throw;
		if (depth % 3 == 1)
			std::throw_with_nested(std::runtime_error("wrapped"));
		return depth;
	} catch (std::exception &e) {
		if (depth < 4)
			throw std::out_of_range(e.what());
		return -depth;
	}
}

long containers()
{
	std::mt19937 random(42);
	std::priority_queue<int> heap;
	std::set<int> set;
	std::list<int> list;
	for (int i = 0; i < 300; i++) {
		int v = int(random() % 1000);
		heap.push(v);
		set.insert(v);
		list.push_front(v);
	}
	list.sort();
	list.unique();
	std::vector<int> v(list.begin(), list.end());
	std::stable_sort(v.begin(), v.end(), std::greater<>());
	std::rotate(v.begin(), v.begin() + 10, v.end());
	std::function<long(long)> fib = [&](long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
	return long(set.size() * 7 + v[3] + heap.top()) + fib(15) + std::any_cast<int>(std::any(3));
}
} // namespace

int main()
{
	std::cout << visit_all() << ' ' << words("ab-12 Cd-7, ef-123456") << ' ' << parallel()
		  << ' ' << containers() << '\n';
	for (int i = 0; i < 9; i++) {
		try {
			std::cout << nested_exceptions(i) << ' ';
		} catch (std::exception &e) {
			std::cout << e.what() << ' ';
		}
	}
	std::cout << std::filesystem::path("/a/b/../c").lexically_normal().string() << std::endl;
	return 0;
}
