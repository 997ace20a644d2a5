# A thread waits for what nobody does: what it found, and that nobody has changed that since. Who counts on it and is never told waits for a signal that comes to nothing.
cat >load.cpp <<'P'
#include <condition_variable>
#include <mutex>
#include <thread>
struct Loader {
	std::mutex m;
	std::condition_variable cv;
	bool ready = false, failed = false;
	void load(int n)
	{
		std::lock_guard<std::mutex> l(m);
		if (n < 0) {
			failed = true; /* and tells nobody */
			return;
		}
		ready = true;
		cv.notify_all();
	}
	void wait()
	{
		std::unique_lock<std::mutex> l(m);
		cv.wait(l, [this] { return ready; });
	}
};
int main(int argc, char **)
{
	Loader loader;
	std::thread a([&] { loader.load(argc - 2); }), b([&] { loader.wait(); });
	a.join();
	b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread load.cpp -o load
status 124 rethread record -q --timeout 2 ./load 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:2 waits for ever for a signal of loader.cv \(load.cpp:21\)\. It had found loader.ready = false \(load.cpp:21\), which nobody has changed since; nobody has signalled it\.'
status 0 rethread record -q --timeout 5 ./load a b 2>err
