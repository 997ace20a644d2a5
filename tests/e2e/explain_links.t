# Links between the nodes of a container count nothing: who took one away, and finds another there later, did not ask too late what he had counted.
cat >lru.cpp <<'P'
#include <cassert>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
struct Entry {
	int key;
	std::string value;
};
class Cache {
	std::list<Entry> entries;
	std::unordered_map<int, std::list<Entry>::iterator> index;
	std::mutex m;
	size_t limit;

public:
	explicit Cache(size_t n) : limit(n) {}
	void put(int key, const std::string &value)
	{
		bool full;
		{
			std::lock_guard<std::mutex> l(m);
			full = entries.size() >= limit;
		}
		std::lock_guard<std::mutex> l(m);
		auto it = index.find(key);
		if (it != index.end()) {
			it->second->value = value;
			return;
		}
		if (full) {
			index.erase(entries.back().key);
			entries.pop_back();
		}
		entries.push_front({key, value});
		index[key] = entries.begin();
		assert(entries.size() <= limit);
	}
};
int main()
{
	Cache c(8);
	std::vector<std::thread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([&c, i] {
			for (int k = 0; k < 20; k++)
				c.put(i * 100 + k, "v");
		});
	for (auto &x : t)
		x.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread lru.cpp -o lru
for seed in 1 2 3; do
	rm -rf t
	status 134 rethread hunt -q --seed $seed -o t ./lru 2>err
	rethread reproduce --budget 30 t >out 2>&1 || fail "$(cat out)"
	rethread explain t >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has short 'In short: thread (1:[123]) read c.entries \(lru.cpp:25\); before it read it again \(lru.cpp:37\), thread 1:[123] changed it \(lru.cpp:37\); thread \1 had given up c.m in between\.'
done
