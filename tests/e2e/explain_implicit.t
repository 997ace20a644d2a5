# An object that has members with assignments of their own is copied by functions that the compiler makes: they have the line where the class begins, which tells
# nothing. What is shown is the line that copies.
cat >assign.cpp <<'P'
#include <cstdlib>
#include <sched.h>
#include <thread>
struct Pair {
	long left = 0;
	Pair() = default;
	Pair(const Pair &o) : left(o.left) {}
	Pair &operator=(const Pair &o) { left = o.left; return *this; }
};
struct Till {
	Pair pair;
	int sales = 0;
};
static Till till;
static void sell(int price)
{
	Till copy = till;
	copy.pair.left += price;
	copy.sales++;
	if (price % 16 == 0) sched_yield();
	till = copy;
}
static void cashier() { for (int i = 0; i < 100; i++) sell(i); }
int main()
{
	std::thread a(cashier), b(cashier);
	a.join();
	b.join();
	if (till.sales != 200) std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread assign.cpp -o assign
	status 134 rethread record -q --until-failure --runs 5000 ./assign 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	has out 'assign.cpp:21  till = copy;' 'assign.cpp:17  Till copy = till;'
	! grep 'struct Till' out || fail "$opt: $(cat out)"
done
