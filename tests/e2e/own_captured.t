# What a std::thread has captured is its thread's own, also where others are started after it: what is computed of it is known. An explanation still tells where it
# came from.
cat >p.cpp <<'P'
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>
static volatile long done;
static long kept;
int main(int argc, char **)
{
	std::vector<std::thread> threads;
	for (int t = 0; t < 3; t++)
		threads.emplace_back([from = t * 5000, to = t * 5000 + 5000 * argc, sum = 0L]() mutable {
			for (int i = from; i < to; i++)
				sum += i % 7 > 3 ? i : 1;
			if (sum % 2 == 5)
				std::puts("never");
			for (int i = from; i < to; i++) {
				kept = sum;
				done = done + 1; // bug: it is everybody's
			}
		});
	for (auto &t : threads)
		t.join();
	assert(done == 15000 * argc);
	return kept == 1;
}
P
rethread c++ -std=c++17 -O2 -fno-vectorize -fno-slp-vectorize -g -pthread -o p p.cpp
rethread analyze --json p >out.json
python3 - <<'E'
import json
lines = json.load(open("out.json"))["lines"]
inside = [l for l in lines if l["line"] in range(11, 14)]
assert not any(l["branches"].get("recorded") for l in inside), inside
assert any(l["branches"].get("known") for l in inside), inside
E
status 134 rethread record --until-failure --runs 5000 -q ./p
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out
has out '20/20'

# Who keeps a pointer to what he gave away has it still.
cat >kept.cpp <<'P'
#include <chrono>
#include <cstdlib>
#include <thread>
struct tracked;
static thread_local tracked *last;
struct tracked {
	volatile long value = 0;
	tracked() = default;
	tracked(tracked &&o) : value(o.value) { last = this; }
};
int main()
{
	long seen = 0;
	std::thread t([w = tracked()]() mutable {
		for (int i = 0; i < 20000; i++)
			w.value = w.value + 1;
		std::this_thread::sleep_for(std::chrono::milliseconds(30));
	});
	std::this_thread::sleep_for(std::chrono::milliseconds(5));
	for (int i = 0; i < 2000; i++)
		if (last->value > 1000 && last->value % 7) // bug: the thread has it
			seen++;
	t.join();
	if (seen)
		abort();
}
P
rethread c++ -std=c++17 -O2 -g -pthread -o kept kept.cpp
status 134 rethread record --until-failure --runs 1000 -q ./kept
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
