# std::atomic<std::shared_ptr>: an address with a lock in its lowest bit, which blocks that are given back and taken again stand for. Two threads copy, change and store:
# which block is whose shows as more of the order is known. What is allocated has a size that such a block held.
cat >prices.cpp <<'P'
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>
struct prices {
	int revision = 0;
	std::vector<int> cents;
};
static std::atomic<std::shared_ptr<const prices>> current;
static void change(unsigned from, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		std::shared_ptr<const prices> old = current.load();
		auto fresh = std::make_shared<prices>(*old);
		fresh->revision++;
		fresh->cents[(from + i) % fresh->cents.size()]++;
		current.store(std::move(fresh));
	}
}
int main()
{
	auto first = std::make_shared<prices>();
	first->cents.resize(4);
	current.store(first);
	std::thread a(change, 0, 20), b(change, 2, 20);
	a.join();
	b.join();
	return current.load()->revision != 40;
}
P
rethread c++ -std=c++20 -O2 -g -pthread -o prices prices.cpp
solved=0
for i in 1 2 3; do
	! rethread record --until-failure --runs 2000 -q -o t$i ./prices || fail "it never fails"
	rethread reproduce --engine solve --budget 60 t$i >out 2>&1 || continue
	rethread replay -n 10 t$i >out 2>&1 || fail "$(cat out)"
	has out '^reproduced 10/10$'
	solved=$((solved + 1))
done
[ $solved -ge 2 ] || fail "$solved of 3 solved"
