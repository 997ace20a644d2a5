# A thread keeps a reference into a vector that it then makes larger itself: no other thread is needed for that, and explain says so.
cat >own.cpp <<'P'
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct Entry { long hits = 0; int id = 0; };
class Registry {
	std::mutex m;
	std::vector<Entry> entries;
	Entry &slot(int id) {
		for (auto &e : entries)
			if (e.id == id)
				return e;
		entries.push_back({0, id});
		return entries.back();
	}
public:
	void link(int a, int b) {
		std::lock_guard l(m);
		Entry &from = slot(a);
		Entry &to = slot(b);      /* may move `from` away */
		to.hits++;
		assert(from.hits >= 0 && from.hits < 1000);
		from.hits++;
	}
};
int main() {
	Registry r;
	std::thread a([&] { for (int i = 1; i < 40; i++) r.link(i, i + 100); }), b([&] { for (int i = 1; i < 40; i++) r.link(i + 200, i + 300); });
	a.join(); b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread own.cpp -o own
status 134 rethread record -q --until-failure --runs 50 ./own 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^What was/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[12]) read Entry.hits \(own.cpp:23\) after it had freed that itself \(own.cpp:14\)(; no other thread had a part in it)?\.'
