# What a thread reads too early is named, though others came in time: it has put in the initial values itself. A wait group that is told of a thread only by that thread.
cat >group.cpp <<'P'
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
class WaitGroup {
	std::mutex m; std::condition_variable cv; int n = 0;
public:
	void add() { std::lock_guard l(m); n++; }
	void done() { std::lock_guard l(m); if (--n == 0) cv.notify_all(); }
	void wait() { std::unique_lock l(m); cv.wait(l, [&] { return n == 0; }); }
};
int main() {
	for (int round = 0; round < 30; round++) {
		WaitGroup wg;
		std::vector<int> results(4, -1);
		std::vector<std::thread> t;
		for (int i = 0; i < 4; i++)
			t.emplace_back([&, i] { wg.add(); results[i] = i; wg.done(); });
		wg.wait();
		int sum = 0;
		for (int r : results) sum += r;
		bool ok = sum == 6;
		for (auto &x : t) x.join();
		assert(ok);
	}
}
P
rethread c++ -std=c++17 -O2 -g -pthread group.cpp -o group
status 134 rethread record -q --until-failure --runs 1000 ./group 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^What/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1 read .* \(group.cpp:22\) before thread 1:[0-9]+ wrote it \(group.cpp:19\)\.'
