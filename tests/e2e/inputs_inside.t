# Functions of libstdc++ that bring something in and call others that do so: a wait for a future looks at the clock, a std::random_device reads
# a file. What they do inside is theirs: it was in the log as well, and replays and inference called something else than the recorded run.
cat >p.cpp <<'P'
#include <chrono>
#include <future>
#include <random>
#include <thread>
#include <unistd.h>
static int total;
int main()
{
	using namespace std::chrono_literals;
	std::random_device chance("/dev/urandom");
	unsigned first = chance(), n = 0;
	for (int i = 0; i < 3; i++) {
		auto f = std::async(std::launch::async, [i] { usleep(20000); total += i; return i; });
		while (f.wait_for(5ms) != std::future_status::ready)
			n++;
		if (f.wait_until(std::chrono::system_clock::now() + 1s) == std::future_status::ready)
			total += f.get();
		std::promise<int> p;
		auto late = p.get_future();
		std::thread t([&p] { usleep(20000); p.set_value(1); });
		if (late.wait_until(std::chrono::system_clock::now() + 10s) == std::future_status::ready)
			total += late.get();
		t.join();
	}
	return total == 9 && n >= 3 && (first | chance()) ? 1 : 2;
}
P
rethread c++ -O2 -g -pthread -o p p.cpp
status 1 rethread record -q ./p
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
status 1 rethread record -q --scheme rw ./p
rethread reproduce >out 2>&1 || fail "$(cat out)"
has out 'followed and proven by replay'
