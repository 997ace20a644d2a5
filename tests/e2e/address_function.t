# A function of a library lies elsewhere in each run, and here it is the runtime's own. Who reads its address as a number, as std::atomic does, from a
# place that others write, calls that function: an allocator that is chosen by whoever asks first.
cat >chosen.cpp <<'P'
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <sched.h>
#include <thread>
static void *choose(size_t n);
static std::atomic<void *(*)(size_t)> allocate{choose};
static std::once_flag once;
static volatile int made;
static void *choose(size_t n)
{
	std::call_once(once, [] { allocate.store(&std::malloc, std::memory_order_release); });
	return (*allocate)(n);
}
static void work()
{
	for (int i = 0; i < 20; i++) {
		int *p = (int *)allocate.load(std::memory_order_acquire)(sizeof *p);
		*p = made + 1;
		sched_yield();
		made = *p;
		free(p);
	}
}
int main()
{
	std::thread t(work), u(work);
	t.join(), u.join();
	if (made != 40)
		abort();
}
P
rethread c++ -std=c++17 -O2 -g -pthread chosen.cpp -o chosen
status 134 rethread record --until-failure --runs 200 ./chosen >/dev/null 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
