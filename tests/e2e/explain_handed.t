# An exception that a thread ended by, and that whoever asks for its result throws again: the reason is what that thread had found.
cat >fut.cpp <<'P'
#include <atomic>
#include <cstdio>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
static std::mutex mutex;
static std::optional<int> value = 7;
static std::atomic<int> phase;
static int get()
{
	std::lock_guard<std::mutex> g(mutex);
	return value.value();
}
int main()
{
	auto valuer = std::async(std::launch::async, [] {
		phase = 1;
		while (phase < 2)
			std::this_thread::yield();
		return get(); // bug: it may have gone
	});
	while (phase < 1)
		std::this_thread::yield();
	{
		std::lock_guard<std::mutex> g(mutex);
		value.reset();
	}
	phase = 2;
	std::printf("%d\n", valuer.get());
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread fut.cpp -o fut
	status 134 rethread record -q -o t$opt ./fut 2>err
	rethread reproduce --engine solve --budget 30 t$opt >out 2>&1 || fail "$(cat out)"
	rethread explain t$opt | tr -s ' \n' ' ' >out
	has out 'In short: thread 1 was handed an exception of thread 1:1 \(fut.cpp:30\)(, which had found value \(fut.cpp:13\) as thread 1 had left it \(fut.cpp:27\)|; the last step of thread 1:1 in the program.s own code before that is at fut.cpp:1[2-4])\.'
done
