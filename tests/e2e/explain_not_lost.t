# A signal that came before a thread looked whether it had to wait is not lost, also where nobody else ever wrote what it looked at: that is told then, before workers that have nothing to do.
cat >jobs.cpp <<'P'
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
struct board {
	std::mutex m;
	std::condition_variable finished, queued;
	std::atomic<bool> done[8];
	int jobs = 0;
	void work()
	{
		for (;;) {
			std::unique_lock<std::mutex> l(m);
			queued.wait(l, [this] { return jobs > 0; });
			done[jobs--] = true;
			finished.notify_all();
		}
	}
} b;
int main(int argc, char **)
{
	std::thread one(&board::work, &b), other(&board::work, &b);
	for (int i = 0; i < 2; i++) {
		std::unique_lock<std::mutex> l(b.m);
		if (!i)
			b.jobs++;
		b.queued.notify_all();
		b.finished.wait(l, [i, argc] { return b.done[i + argc].load(); });
	}
}
P
rethread c++ -O2 -g -pthread jobs.cpp -o jobs
status 124 rethread record -q --timeout 2 ./jobs 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1 waits for ever for a signal of b.finished \(jobs.cpp:28\)\. It had found b.done\[2\] = false \(jobs.cpp:28\), which nobody has changed since\.'
! grep -Eq 'was lost|had come before' out || fail "a signal is said to be lost: $(cat out)"

# What the library asks before it waits is not what the program waits for: a signal was lost between that and the program's own look.
cat >mailbox.cpp <<'P'
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
struct mailbox {
	std::mutex lock;
	std::condition_variable_any changed;
	std::atomic<int> full{0};
	void put(int v)
	{
		full = v; // without the lock
		changed.notify_one();
	}
	void take(std::stop_token stop)
	{
		std::unique_lock l(lock);
		changed.wait(l, stop, [this] { bool is = full != 0; return std::this_thread::yield(), is; });
		full = 0;
	}
} in, out;
int main()
{
	std::jthread t([](std::stop_token st) {
		for (int i = 0; i < 400; i++) {
			in.take(st);
			out.put(i + 1);
		}
	});
	std::stop_source none;
	for (int i = 0; i < 400; i++) {
		in.put(i + 1);
		out.take(none.get_token());
	}
}
P
rethread c++ -std=c++20 -O2 -g -pthread mailbox.cpp -o mailbox
status 124 rethread record -q --until-failure --runs 500 --timeout 2 ./mailbox 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1|1:1) waits for ever for a signal of (in|out).changed \(mailbox.cpp:18\)(: the signal had come before it waited \(mailbox.cpp:13\)|. It had found (in|out).full = 0 .*the signal \(mailbox.cpp:13\) came before it waited)\.'

# Who frees memory in the end, by a pointer that he has from where it was made, loses nothing, whatever became of others that led there meanwhile.
cat >rod.cpp <<'P'
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
struct Rod {
	std::unique_ptr<long[]> a{new long[4]}, b{new long[4]};
	long *now = a.get(), *next = b.get();
};
int main()
{
	Rod rod;
	for (int i = 0; i < 4; i++) {
		rod.now[i] = 200;
		rod.next[i] = 0;
	}
	std::thread t([&rod] {
		for (int round = 0; round < 2; round++) {
			for (int i = 0; i < 4; i++)
				rod.next[i] = rod.now[i] - 1; // bug: one too few
			std::swap(rod.now, rod.next);
		}
	});
	t.join();
	long sum = 0;
	for (int i = 0; i < 4; i++)
		sum += rod.now[i];
	std::printf("heat %ld\n", sum);
}
P
rethread c++ -std=c++17 -O0 -g -pthread rod.cpp -o rod
rethread record -q -o rod.t --fail-if "! grep -q 'heat 800'" ./rod >out 2>err || fail "$(cat err)"
rethread reproduce --engine solve --budget 30 rod.t >out 2>&1 || fail "$(cat out)"
rethread explain rod.t >out
! grep -q 'old pointer' out || fail "$(cat out)"
