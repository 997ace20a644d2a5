# Which references a library counted, and that memory was given back and became something else, is no cause: a pool leaves tasks behind whose futures are then asked. (That its
# worker leaves as soon as it is told to is how it was written, and no race.)
cat >lost.cpp <<'P'
#include <condition_variable>
#include <deque>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>
class ThreadPool {
public:
	explicit ThreadPool(unsigned n)
	{
		while (n--)
			threads.emplace_back(&ThreadPool::loop, this);
	}
	~ThreadPool()
	{
		{
			std::scoped_lock l(mutex);
			done = true;
		}
		cv.notify_all();
		for (auto &t : threads)
			t.join();
	}
	template <class F, class... A> auto submit(F f, A... a) -> std::future<std::invoke_result_t<F, A...>>
	{
		using R = std::invoke_result_t<F, A...>;
		auto task = std::make_shared<std::packaged_task<R()>>([=] { return f(a...); });
		auto result = task->get_future();
		{
			std::scoped_lock l(mutex);
			tasks.emplace_back([task] { (*task)(); });
		}
		cv.notify_one();
		return result;
	}
private:
	void loop()
	{
		for (;;) {
			std::function<void()> t;
			{
				std::unique_lock l(mutex);
				cv.wait(l, [&] { return done || !tasks.empty(); });
				if (done)
					return;
				t = std::move(tasks.front());
				tasks.pop_front();
			}
			t();
		}
	}
	std::vector<std::thread> threads;
	std::deque<std::function<void()>> tasks;
	std::mutex mutex;
	std::condition_variable cv;
	bool done = false;
};
int main()
{
	std::vector<int> values(400);
	std::iota(values.begin(), values.end(), 1);
	for (int round = 0; round < 10; round++) {
		std::vector<std::future<long>> parts;
		{
			ThreadPool pool(2);
			for (size_t at = 0; at < values.size(); at += 100)
				parts.push_back(pool.submit(
					[&values](size_t from, size_t to) {
						long s = 0;
						for (size_t i = from; i < to; i++)
							s += (long)values[i] * values[i];
						return s;
					},
					at, at + 100));
			parts.front().wait();
		}
		try {
			long sum = 0;
			for (auto &p : parts)
				sum += p.get();
			if (sum != 21413400)
				return 2;
		} catch (const std::future_error &e) {
			std::cerr << "lost a part: " << e.what() << "\n";
			return 3;
		}
	}
	std::cout << "ok\n";
}
P
rethread c++ -std=c++20 -O2 -g -pthread lost.cpp -o lost
for i in 1 2 3 4; do
	status 3 rethread record -q --until-failure --runs 2000 ./lost 2>err
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
	rethread explain | tr -s ' \n' ' ' | sed 's/ \(What\|Who\|An\) .*//' >text
	! grep -E 'counts of a shared pointer|updated|freed|went by' text || fail "$(cat text)"
done

# But who asks whether an object is still there, and then wants a reference to it, fails by the last one that was given up in between.
# That is no place that was filled too late.
cat >font.cpp <<'P'
#include <atomic>
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
struct Font { int size; explicit Font(int s) : size(s) {} };
static std::mutex mutex;
static std::map<int, std::weak_ptr<Font>> fonts;
static std::atomic<int> phase;
static void await(int n)
{
	while (phase < n)
		std::this_thread::yield();
}
int main()
{
	std::thread closer([] {
		for (int round = 0; round < 8; ++round) {
			auto font = std::make_shared<Font>(10);
			{
				std::lock_guard<std::mutex> g(mutex);
				fonts[10] = font;
			}
			phase = 3 * round + 1;
			await(3 * round + 2);
			font.reset(); // bug: the other one has asked, and has no reference yet
			phase = 3 * round + 3;
		}
	});
	int sizes = 0;
	for (int round = 0; round < 8; ++round) {
		await(3 * round + 1);
		std::lock_guard<std::mutex> g(mutex);
		auto it = fonts.find(10);
		if (!it->second.expired()) {
			std::shared_ptr<Font> early = round < 7 ? it->second.lock() : nullptr;
			phase = 3 * round + 2;
			await(3 * round + 3);
			auto font = it->second.lock();
			assert(font);
			sizes += font->size;
		}
	}
	closer.join();
	return sizes == 0;
}
P
rethread c++ -std=c++17 -O1 -g -pthread font.cpp -o font
status 134 rethread record -q ./font 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain | tr -s ' \n' ' ' | sed 's/ \(What\|Who\|An\) .*//' >text
has text 'thread 1 read the counts of a shared pointer \(font.cpp:37\); before it (updated it|read it again) \(font.cpp:41\), thread 1:1 changed it \(font.cpp:28\)'
