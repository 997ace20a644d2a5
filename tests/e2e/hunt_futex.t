# Hunt where threads wait by futexes: std::atomic's wait, std::latch, futures, a hand-made event. Such a wait is conducted like one for a lock:
# it took 15 ms each time before, 300 where the others slept, and one that is never woken ended as a timeout.
cat >p.cpp <<'P'
#include <atomic>
#include <future>
#include <latch>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
static std::atomic<int> ball;
static unsigned word, done;
static void play(int me)
{
	for (int i = 0; i < 20; i++) {
		for (int v; (v = ball.load()) % 2 != me;)
			ball.wait(v);
		ball.fetch_add(1);
		ball.notify_all();
	}
}
static void event_waits()
{
	unsigned seen = __atomic_load_n(&word, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}
static void event_set(bool right)
{
	__atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
	if (right) /* else the bug: who is about to wait does not see that it need not */
		__atomic_add_fetch(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
int main(int argc, char **)
{
	std::latch start(2);
	auto result = std::async(std::launch::async, [&] { start.arrive_and_wait(); play(0); return 1; });
	start.arrive_and_wait();
	play(1);
	std::thread waiter(event_waits);
	event_set(argc < 2);
	waiter.join();
	return result.wait_for(std::chrono::hours(1)) != std::future_status::ready;
}
P
rethread c++ -std=c++20 -O2 -g -pthread -o p p.cpp
timeout 40 rethread hunt --runs 150 ./p 2>err || fail "$(cat err)"
has err 'no failure in 150 runs'
status 124 timeout 40 rethread hunt --runs 2000 ./p wrong 2>err
has err 'deadlock'
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'

# Who waits for a future is woken by its promise.
cat >future.cpp <<'P'
#include <future>
#include <thread>
int main()
{
	std::promise<int> given;
	std::thread giver([&] { given.set_value(2); });
	bool right = given.get_future().get() == 2;
	giver.join();
	return !right;
}
P
rethread c++ -std=c++17 -O2 -g -pthread -o future future.cpp
timeout 40 rethread hunt --runs 50 ./future 2>err || fail "$(cat err)"
has err 'no failure in 50 runs'
