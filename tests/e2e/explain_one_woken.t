# A channel that is closed wakes one of those that wait for it. The other one waits for ever: the signal was for one thread only.
cat >pipeline.cpp <<'P'
// Stages connected by bounded channels; the last stage may stop early.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>
template <class T> class Channel {
	std::mutex m;
	std::condition_variable not_full, not_empty;
	std::queue<T> q;
	size_t room;
	bool closed = false;
public:
	explicit Channel(size_t n) : room(n) {}
	bool send(T v)
	{
		std::unique_lock l(m);
		not_full.wait(l, [&] { return closed || q.size() < room; });
		if (closed)
			return false;
		q.push(std::move(v));
		not_empty.notify_one();
		return true;
	}
	bool receive(T &v)
	{
		std::unique_lock l(m);
		not_empty.wait(l, [&] { return closed || !q.empty(); });
		if (q.empty())
			return false;
		v = std::move(q.front());
		q.pop();
		not_full.notify_one();
		return true;
	}
	void close()
	{
		std::lock_guard l(m);
		closed = true;
		not_empty.notify_one(); // both may have several waiters
		not_full.notify_one();
	}
};
struct Job { std::string text; int n; };
int main()
{
	Channel<std::unique_ptr<Job>> in(2), out(2);
	std::vector<std::thread> workers;
	for (int i = 0; i < 3; i++)
		workers.emplace_back([&] {
			std::unique_ptr<Job> j;
			while (in.receive(j)) {
				j->text += "!";
				j->n *= 2;
				if (!out.send(std::move(j)))
					return;
			}
		});
	long sum = 0;
	std::thread sink([&] {
		std::unique_ptr<Job> j;
		for (int i = 0; i < 5 && out.receive(j); i++)
			sum += j->n;
		out.close();
	});
	for (int i = 0; i < 8; i++)
		if (!in.send(std::make_unique<Job>(Job{"job", i})))
			break;
	in.close();
	for (auto &w : workers)
		w.join();
	sink.join();
	std::printf("%ld\n", sum);
}
P
rethread c++ -std=c++17 -O2 -g -pthread pipeline.cpp -o pipeline
# The hang may be another one: both channels are closed like that.
for try in 1 2 3 4 5 6; do
	status 124 rethread record -q --until-failure --runs 20000 ./pipeline >/dev/null 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed '/^Who waits/,$d' out | tr -s ' \n' ' ' >short
	! grep -q 'when it came back' short || fail "who waits for ever has not come back: $(cat short)"
	grep -q 'for one thread only' short && break
done
has short 'waits for ever for a signal of (in|out).not_(empty|full) \(pipeline.cpp:(23|33)\); thread 1(:[1-4])? signalled it \(pipeline.cpp:4[56]\) for one thread only, which was (thread 1|another)'
