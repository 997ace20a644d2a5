# Without optimisation an address goes through memory of its thread: iterators, which functions of their own fill and ask. What was read
# to make them is in the log as it is with optimisation, so that nothing is guessed.
cat >walk.cpp <<'P'
#include <cstdlib>
#include <list>
#include <thread>
struct item { int weight; };
static std::list<item> &items = *new std::list<item>; /* nobody locks it */
static volatile int sum;
static int heavy()
{
	int n = 0;
	for (auto i = items.begin(); i != items.end(); ++i)
		if (i->weight > 2)
			n++;
	return n;
}
int main()
{
	for (int i = 0; i < 5; i++)
		items.push_back({i});
	std::thread mover([] {
		for (int i = 0; i < 20; i++)
			items.splice(items.begin(), items, std::prev(items.end()));
	});
	for (int i = 0; i < 20; i++)
		sum = sum + heavy();
	mover.join();
	std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o walk walk.cpp
	rethread record -q --timeout 10 ./walk >rec 2>&1 || true
	rethread infer -v --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
	grep '^executed' out | head -n 1 >first
	has first ' 0 assumptions'
done
