# What a thread fails by it had written itself, of what another thread had left there, before it came to run, but after it was created: that it has to do with nobody else is not said.
cat >hits.cpp <<'P'
#include <cassert>
#include <thread>
#include <unistd.h>
struct Monster { int health = 30; };
static Monster *monster;
__attribute__((noinline)) static int left() { return monster->health; }
int main()
{
	monster = new Monster[1 + getpid() % 2];
	std::thread first([] {
		for (int i = 0; i < 3; i++)
			*(volatile int *)&monster->health -= 10;
	});
	std::thread second([] {
		usleep(20000);
		*(volatile int *)&monster->health -= 10; /* hits */
		assert(left() >= 0);
	});
	first.join();
	second.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread hits.cpp -o hits
status 134 rethread record -q --until-failure --runs 100 ./hits 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
! grep -E 'is of another thread|had no part' short || fail "$(cat short)"
has short 'In short: thread 1:2 found [^ ]* = 0 \(hits.cpp:16\), which thread 1:1 had written \(hits.cpp:12\)'
