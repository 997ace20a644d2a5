# Threads in a std::vector: once main has gone through it and joined them all, what it frees is nobody else's, so what they read of it is known: objects with virtual
# functions, and what their lambdas have captured.
cat >p.cpp <<'P'
#include <atomic>
#include <cassert>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>
struct shape {
	virtual ~shape() = default;
	virtual std::optional<long> weigh(long x) const = 0;
};
struct square : shape {
	long side;
	explicit square(long s) : side(s) {}
	std::optional<long> weigh(long x) const override { if (x % 7 > side) return {}; return side * side + x; } // 16
};
struct line : shape {
	std::function<long(long)> by = [](long x) { return x / 2; };
	std::optional<long> weigh(long x) const override { if (by(x) > 40) return {}; return x; } // 20
};
struct scene {
	std::vector<std::unique_ptr<shape>> shapes;
	long best(long x) const {
		std::optional<long> found;
		for (auto &s : shapes) {
			auto one = s->weigh(x);
			if (one && (!found || *one > *found)) // 28
				found = one;
		}
		return found ? *found : 0;
	}
};
int main(int argc, char **)
{
	scene s;
	for (int i = 0; i < 5; i++)
		s.shapes.push_back(std::make_unique<square>(i + argc));
	s.shapes.push_back(std::make_unique<line>());
	std::atomic<long> next{0};
	long done = 0, sum = 0;
	std::vector<std::thread> threads;
	for (int t = 0; t <= argc; t++)
#ifdef MOVED
		threads.push_back(std::thread([&] {
#else
		threads.emplace_back([&] {
#endif
			for (long x; (x = next++) < 60;) {
				long best = s.best(x), before = done; // bug: threads overwrite one another's
				std::this_thread::yield();
				done = before + 1;
				sum += best;
			}
#ifdef MOVED
		}));
#else
		});
#endif
#ifdef EARLY // bug: while they look
	s.shapes.clear();
#endif
	for (auto &t : threads)
		if (t.joinable())
			t.join();
	assert(done == 60);
}
P
rethread c++ -std=c++17 -O2 -g -pthread p.cpp -o p
rethread analyze p >out
! grep -E '(shape|make_unique)' out | grep -E '^  (heap|stack)' || fail "shapes count as shared"
! grep -E '^ +(16|20|28) .*recorded' out || fail "what is the same for all threads is recorded"
has out ' done +p.cpp'
proven_built() { # PROGRAM
	rethread record --until-failure --runs 2000 "$1" 2>err && fail "$1: no failure"
	rethread reproduce --engine solve >out 2>&1 || fail "$1: $(cat out)"
	rethread replay -n 10 >out
	has out '^reproduced 10/10$'
}
proven_built ./p
# The same where each is made outside of the vector and moved there.
rethread c++ -std=c++17 -O2 -g -pthread -DMOVED p.cpp -o moved
proven_built ./moved
# Main takes the shapes away before it joins: they are shared.
rethread c++ -std=c++17 -O2 -g -pthread -DEARLY p.cpp -o early
rethread analyze early >out
grep -E '^  heap .*make_unique' out >/dev/null || fail "shapes that are freed meanwhile count as nobody's"
proven_built ./early
