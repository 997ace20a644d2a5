# What a thread has in std::function, and in containers of those, stays its own: that these also say of which type they are leads nowhere.
cat >p.cpp <<'P'
#include <cassert>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
struct event {
	long at;
	std::function<void()> act;
	bool operator<(const event &o) const { return at > o.at; } // 10
};
class shop { // a thread's own
	std::priority_queue<event> events;
	long now = 0, line = 0;

public:
	long served = 0;
	void at(long when, std::function<void()> act) { events.push({when, std::move(act)}); }
	void arrive() {
		line++;
		if (line < 4) // 20
			at(now + 3 + now % 5, [this] { serve(); });
		at(now + 2, [this] { arrive(); });
	}
	void serve() { served++; line--; }
	void run(long until) {
		at(0, [this] { arrive(); });
		while (!events.empty() && events.top().at < until) {
			event e = events.top();
			events.pop();
			now = e.at;
			e.act();
		}
	}
};
static std::mutex mutex;
static long total, shops;
static void work(int first)
{
	for (int i = 0; i < 4; i++) {
		shop s;
		s.run(40 + first + i);
		long before = shops; // bug: not under the lock
		std::this_thread::yield();
		std::lock_guard<std::mutex> hold(mutex);
		total += s.served;
		shops = before + 1;
	}
}
int main()
{
	std::thread a(work, 1), b(work, 2);
	a.join();
	b.join();
	assert(shops == 8);
}
P
rethread c++ -std=c++17 -O2 -g -pthread p.cpp -o p
rethread analyze p >out
! grep -E '^  (stack|heap) .* (s|events|act) +p.cpp' out || fail "what is a thread's own counts as shared"
! grep -E '^ +(10|20) .*recorded' out || fail "what inference can compute is recorded"
rethread record --until-failure --runs 2000 ./p 2>err && fail "no failure"
rethread reproduce --engine solve >out 2>&1 || fail "$(cat out)"
rethread replay -n 10 >out
has out '^reproduced 10/10$'
