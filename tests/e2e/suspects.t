# A thread waits for many results one after the other, each of them at a place of its own: that they race is found in few runs of the executor, not
# one place in each.
cat >results.cpp <<'P'
#include <cstdlib>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static void work(std::vector<std::promise<int>> &all, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		try {
			std::string text(i % 50, 'x');
			if (text.size() % 7 == 3)
				throw std::invalid_argument(text);
			all[i].set_value((int)text.size());
		} catch (...) {
			all[i].set_exception(std::current_exception());
		}
	}
}
int main()
{
	std::vector<std::promise<int>> all(1000);
	std::vector<std::future<int>> results;
	for (auto &p : all)
		results.push_back(p.get_future());
	std::thread a(work, std::ref(all), 0, 500), b(work, std::ref(all), 500, 1000);
	int bad = 0;
	for (auto &r : results) {
		try {
			bad += r.get() < 0;
		} catch (const std::invalid_argument &) {
			bad++;
		}
	}
	a.join();
	b.join();
	if (bad)
		abort();
}
P
rethread c++ -O2 -g -pthread -o results results.cpp
for i in 1 2 3 4 5 6; do # about every third has the waits that matter
	rethread record -q ./results || true
	rethread infer -v --budget 30 >out 2>&1 || fail "$(cat out)"
	runs=$(sed -n 's/.* symbolically in \([0-9]*\) runs.*/\1/p' out | tail -1)
	[ "$runs" -le 20 ] || fail "$runs runs"
done
