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
#include <unistd.h>
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
int main(int argc, char **)
{
	int jobs = argc > 1 ? 2 : 12, wanted = argc > 1 ? 2 : 5;
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
		for (int i = 0; i < wanted && out.receive(j); i++)
			sum += j->n;
		usleep(20000); // all workers wait for room by then, or
		out.close();
	});
	for (int i = 0; i < jobs; i++)
		if (!in.send(std::make_unique<Job>(Job{"job", i})))
			break;
	usleep(40000); // for jobs
	in.close();
	for (auto &w : workers)
		w.join();
	sink.join();
	std::printf("%ld\n", sum);
}
P
rethread c++ -std=c++17 -O2 -g -pthread pipeline.cpp -o pipeline
# Both channels are closed like that.
for what in '' jobs; do
	status 124 rethread record -q --until-failure --runs 50 ./pipeline $what >/dev/null 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed '/^Who waits/,$d' out | tr -s ' \n' ' ' >short
	! grep -q 'when it came back' short || fail "who waits for ever has not come back: $(cat short)"
	has short 'waits for ever for a signal of (in|out).not_(empty|full) \(pipeline.cpp:(24|34)\); thread 1(:[1-4])? signalled it \(pipeline.cpp:4[67]\) for one thread only, which was (thread 1|another)'
done

# So is a signal told of without which the failure would have come: that of a thread that nobody waits for, which wakes one that nobody waits for yet.
cat >gate.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static void *comes(void *delay)
{
	usleep((useconds_t)(long)delay);
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}
static void *opens(void *delay)
{
	usleep((useconds_t)(long)delay);
	pthread_mutex_lock(&lock);
	is_open = 1;
	pthread_cond_signal(&opened);
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, comes, (void *)0);
	pthread_create(&t[1], NULL, comes, (void *)100000);
	pthread_create(&t[2], NULL, opens, (void *)200000);
	for (int i = 3; i-- > 0;)
		pthread_join(t[i == 2 ? 1 : i == 1 ? 2 : 0], NULL);
}
P
rethread cc -O2 -g -pthread gate.c -o gate
status 124 rethread record -q --until-failure --runs 20 --timeout 10 ./gate 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:[12] waits for ever for a signal of opened \(gate.c:11\)\. It had found is_open = 0 \(gate.c:10\), which thread 1:3 changed since to 1 \(gate.c:19\); the signal \(gate.c:20\) was for one thread only'
