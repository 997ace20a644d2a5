# What a thread fails by it had written itself, of what another thread had left there, before it came to run, but after it was created: that it has to do with nobody else is not said.
cat >hits.cpp <<'P'
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
struct Monster { int health = 30; };
static Monster monster;
static std::mutex m;
static std::atomic<bool> done;
int main()
{
	std::thread second([] {
		while (!done.load())
			;
		std::lock_guard<std::mutex> l(m);
		monster.health -= 10; /* hits */
		assert(monster.health >= 0);
	});
	std::thread first([] {
		for (int i = 0; i < 3; i++) {
			std::lock_guard<std::mutex> l(m);
			monster.health -= 10;
		}
		done.store(true);
	});
	first.join();
	second.join();
}
P
rethread c++ -std=c++17 -O1 -g -pthread hits.cpp -o hits
status 134 rethread record -q ./hits 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
! grep -E 'is of another thread|had no part' short || fail "$(cat short)"
has short 'In short: thread 1:1 found monster.health = 0 \(hits.cpp:15\), which thread 1:2 had written \(hits.cpp:21\)\.'
