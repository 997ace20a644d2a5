# A static variable of a function of C++ has no name of the linker's in the debug information: it is called by its own.
cat >statics.cpp <<'P'
#include <cstdlib>
#include <sched.h>
#include <thread>
struct Counter { int parts = 0, whole = 0; };
static Counter &counter()
{
	static Counter all;
	return all;
}
static void count()
{
	for (int i = 0; i < 200; i++) {
		volatile int &n = counter().whole;
		int before = n;
		if (i % 16 == 0) sched_yield();
		n = before + 1;
	}
}
int main()
{
	std::thread a(count), b(count);
	a.join();
	b.join();
	if (counter().whole != 400) std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o statics statics.cpp
	status 134 rethread record -q --until-failure --runs 5000 ./statics 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	has out 'read all.whole:'
	! grep '_ZZ' out || fail "$opt: names as the linker has them"
done
