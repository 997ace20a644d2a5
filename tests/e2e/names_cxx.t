# Functions of C++ have the names that their authors gave them: in backtraces, and in warnings about code from outside.
cat >names.cpp <<'P'
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
template <class F> static void twice(F &&f) { f(1), f(2); }
int main()
{
	std::string here = std::filesystem::current_path().string();
	std::thread t([&here] { twice([&here](std::size_t n) { if (here.size() * n > 0) std::abort(); }); });
	t.join();
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread -o names names.cpp
	rethread record -o t$opt ./names 2>err || true
	has err 'std::filesystem::current_path' 'SIGABRT'
	rethread dump --no-lines t$opt >out
	has out 'names.cpp:9'
	! grep -H '_Z[A-Z]' err out || fail "names as the linker has them"
	! grep 'std::allocator<char>' err || fail "an allocator does nothing that would have to be recorded"
done

# So have variables whose class is described elsewhere: a condition variable that is static, or in a namespace.
cat >idle.cpp <<'P'
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m;
static std::condition_variable finished;
namespace board { std::condition_variable queued; }
int main()
{
	std::thread t([] {
		std::unique_lock<std::mutex> l(m);
		finished.wait(l);
	});
	std::unique_lock<std::mutex> l(m);
	board::queued.wait(l);
}
P
rethread c++ -O2 -g -pthread idle.cpp -o idle
status 124 rethread record -q --timeout 1 ./idle 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain >out
has out 'waits for a signal of finished$' 'waits for a signal of (board::)?queued$'
! grep 'without -g' out || fail "it was built with -g"

# Without -g variables have the names of the symbol table, as the source would have them, and what is missing is said.
cat >bare.cpp <<'P'
#include <cstdlib>
#include <sched.h>
#include <thread>
namespace board { struct Seats { int taken, free; }; static volatile Seats seats{0, 400}; }
static int count(int n)
{
	static volatile int visits;
	int v = visits + n, left = board::seats.free - n;
	sched_yield();
	visits = v;
	board::seats.free = left;
	return v + left;
}
int main()
{
	std::thread other([] { for (int i = 0; i < 200; i++) count(1); });
	for (int i = 0; i < 200; i++)
		count(1);
	other.join();
	if (count(0) != 400 || board::seats.free)
		abort();
}
P
rethread c++ -O1 -pthread bare.cpp -o bare
rethread record --until-failure --runs 20 ./bare >/dev/null 2>&1 || true
rethread reproduce >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain >out
has out '[^:A-Za-z_]visits' '[^:A-Za-z_]seats' '^The program was built without -g: '
! grep '_Z' out || fail "names as the linker has them"
