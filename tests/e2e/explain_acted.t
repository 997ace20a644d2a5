# What a thread did for a reason that was not its own, or no longer so, where another thread fails by what came of it. Presses count what is done in one section and ask in the next
# whether that was all: two of them find so, and ship twice.
cat >shop.cpp <<'P'
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Order {
	std::string customer;
	int pages;
	int done = 0;
	int shipped = 0;
	std::mutex mutex;
	Order(std::string c, int p) : customer(std::move(c)), pages(p) {}
};

struct Job {
	std::shared_ptr<Order> order;
	int page;
};

class Shop {
	std::mutex mutex_;
	std::condition_variable more_;
	std::deque<Job> jobs_;
	bool closed_ = false;

public:
	void put(Job job)
	{
		std::lock_guard lock(mutex_);
		jobs_.push_back(std::move(job));
		more_.notify_one();
	}
	void close()
	{
		std::lock_guard lock(mutex_);
		closed_ = true;
		more_.notify_all();
	}
	bool take(Job &job)
	{
		std::unique_lock lock(mutex_);
		more_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
		if (jobs_.empty())
			return false;
		job = std::move(jobs_.front());
		jobs_.pop_front();
		return true;
	}
};

static void press(Shop &shop)
{
	Job job;
	while (shop.take(job)) {
		{
			std::lock_guard lock(job.order->mutex);
			job.order->done++; /* counts */
		}
		bool complete;
		{
			std::lock_guard lock(job.order->mutex);
			complete = job.order->done == job.order->pages; /* asks */
		}
		if (complete) {
			std::lock_guard lock(job.order->mutex);
			job.order->shipped++; /* ships */
		}
	}
}

int main()
{
	Shop shop;
	std::vector<std::shared_ptr<Order>> orders;
	std::vector<std::thread> presses;
	for (int i = 0; i < 3; i++)
		presses.emplace_back(press, std::ref(shop));
	for (int i = 0; i < 12; i++) {
		auto order = std::make_shared<Order>("customer " + std::to_string(i), 2 + i % 3);
		orders.push_back(order);
		for (int page = 0; page < order->pages; page++)
			shop.put({order, page});
	}
	shop.close();
	for (auto &p : presses)
		p.join();
	for (auto &o : orders)
		assert(o->shipped == 1);
	return 0;
}
P
first() { # of the newest trace
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed '/^Who came/,$d' out | tr -s ' \n' ' ' >short
}
rethread c++ -std=c++17 -O2 -g -pthread shop.cpp -o shop
status 134 rethread record -q --until-failure --runs 3000 ./shop 2>err
first
has short 'In short: thread (1:[123]) wrote Order.done = [0-9]+ \(shop.cpp:61\) and asked for it only later \(shop.cpp:66\), when thread 1:[123] had changed that to [0-9]+ \(shop.cpp:61\): for what it found, it wrote Order.shipped \(shop.cpp:70\), as thread 1:[123] (had|did afterwards); thread \1 had given up Order.mutex in between\.'

# A till sells, since it was open when it looked; the thread that closed it fails.
cat >tills.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open_ = 1, orders, total;
static int is_open(void)
{
	pthread_mutex_lock(&lock);
	int is = open_; /* looks */
	pthread_mutex_unlock(&lock);
	return is;
}
static void *till(void *p)
{
	while (is_open() && !usleep(10)) { /* the customer looks for the money */
		pthread_mutex_lock(&lock);
		orders++; /* sells */
		total += 3;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, till, NULL);
	usleep(100);
	pthread_mutex_lock(&lock);
	open_ = 0; /* closes */
	int counted = orders;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(orders == counted);
}
P
rethread cc -O2 -g -pthread tills.c -o tills
status 134 rethread record -q --until-failure --runs 3000 ./tills 2>err
first
has short 'In short: thread (1:[12]) wrote orders \(tills.c:17\) because it had found open_ = 1 \(tills.c:9\), which was no longer so: thread 1 had changed that to 0 \(tills.c:30\); thread \1 had given up lock in between\.'

# A channel is closed without its lock, and the sender has looked before. Numbers in main that threads have references to keep their names, though the optimiser forgets where they lie.
cat >channel.cpp <<'P'
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <atomic>
template <class T> class Channel {
	std::mutex m;
	std::condition_variable cv;
	std::queue<T> q;
	std::atomic<bool> closed{false};
public:
	bool send(T v) {
		if (closed)
			return false;
		std::lock_guard l(m);
		q.push(std::move(v));
		cv.notify_one();
		return true;
	}
	bool recv(T &v) {
		std::unique_lock l(m);
		cv.wait(l, [&] { return closed || !q.empty(); });
		if (q.empty()) return false;
		v = std::move(q.front());
		q.pop();
		return true;
	}
	void close() { closed = true; std::lock_guard l(m); cv.notify_all(); }
};
int main() {
	Channel<int> ch;
	int sent = 0, got = 0;
	std::thread p([&] { for (int i = 0; i < 20000; i++) { if (!ch.send(i)) break; sent++; } });
	std::thread c([&] { int v; while (ch.recv(v)) got++; });
	std::this_thread::yield();
	ch.close();
	p.join(); c.join();
	assert(sent == got);
}
P
rethread c++ -std=c++20 -O2 -g -pthread channel.cpp -o channel
status 134 rethread record -q --until-failure --runs 3000 ./channel 2>err
first
has short 'In short: thread 1:1 wrote sent \(channel.cpp:34\) because it had found ch.closed = false \(channel.cpp:14\), which was no longer so: thread 1 had changed that to true \(channel.cpp:29\)\.'

# What is put into a cache was computed of a source that is no longer the one; the thread that replaced it finds the old.
cat >prices.cpp <<'P'
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <chrono>
#include <vector>
class Prices {
	std::mutex m;
	int version = 0;
	std::unordered_map<int, int> cache;
	int source = 100;
public:
	void reload(int s) {
		{ std::lock_guard l(m); source = s; cache.clear(); }
		std::lock_guard l(m);
		version++;
	}
	int price(int id) {
		std::unique_lock l(m);
		if (auto it = cache.find(id); it != cache.end())
			return it->second;
		int s = source;
		l.unlock();
		std::this_thread::sleep_for(std::chrono::microseconds(1));
		int p = s + id;
		l.lock();
		cache[id] = p;              /* may be of an older source */
		return p;
	}
	void check(int id) { std::lock_guard l(m); auto it = cache.find(id); assert(it == cache.end() || it->second == source + id); }
};
int main() {
	Prices p;
	std::thread a([&] { for (int i = 0; i < 200; i++) p.price(1 + i % 5); });
	std::thread b([&] { for (int i = 0; i < 50; i++) { p.reload(200 + i); p.check(1 + i % 5); std::this_thread::sleep_for(std::chrono::microseconds(10)); } });
	a.join(); b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread prices.cpp -o prices
status 134 rethread record -q --until-failure --runs 3000 ./prices 2>err
first
has short 'In short: thread 1:1 wrote .* = [0-9]+ \(prices.cpp:28\), which it had computed of p.source = [0-9]+ \(prices.cpp:23\), before thread 1:2 changed that to [0-9]+ \(prices.cpp:15\); thread 1:1 had given up p.m in between\.'

# A session is looked for under the lock for readers, and put into the list under the one for writers, without another look. That the list's head is read again to be the new one's next is
# no look. Who drops the user finds him again: his name was written before the session was shown, which needs no lock.
cat >sessions.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct session { struct session *next; int user; };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct session *sessions[8];
static struct session *find(int user)
{
	struct session *s = sessions[user % 8];
	while (s && s->user != user)
		s = s->next;
	return s;
}
static void get(int user)
{
	pthread_rwlock_rdlock(&lock);
	struct session *s = find(user);
	pthread_rwlock_unlock(&lock);
	if (s)
		return;
	s = malloc(sizeof *s);
	s->user = user;
	sched_yield();
	pthread_rwlock_wrlock(&lock);
	s->next = sessions[user % 8];
	sessions[user % 8] = s;
	pthread_rwlock_unlock(&lock);
}
static void drop(int user)
{
	for (struct session **p = &sessions[user % 8]; *p; p = &(*p)->next)
		if ((*p)->user == user) {
			*p = (*p)->next;
			return;
		}
}
static void *run(void *arg)
{
	for (int i = 0; i < 8; i++)
		get(i + 104);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pthread_rwlock_wrlock(&lock);
	for (int i = 104; i < 112; i++)
		drop(i);
	for (int i = 104; i < 112; i++)
		assert(!find(i));
}
P
rethread cc -O2 -g -pthread sessions.c -o sessions
status 134 rethread record -q --scheme path --until-failure --runs 3000 ./sessions 2>err
first
has short 'In short: thread (1:[123]) wrote (session(#[0-9]+)?.next \(sessions.c:26\)|sessions\[[0-7]\] \(sessions.c:27\)) because it had found (sessions\[[0-7]\]|session(#[0-9]+)?.(next|user)) = [^ ]+( \(sessions.c:1[0-2]\))?, which was no longer so: thread 1:[123] had changed that to [^ ]+ \(sessions.c:2[67]\); thread \1 had given up lock in between\.'

# Who is the last that a step waits for puts it on the list, asking for the number only after it counted: two find that, and it is done twice, by a third. Nothing but where he took it from
# says who put it there.
cat >plan.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
enum { STEPS = 100 };
static struct step { atomic_int waits_for; int ran; } plan[STEPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int ready[2 * STEPS], nready, over;
static void make_ready(int n)
{
	pthread_mutex_lock(&lock);
	ready[nready++] = n; /* puts it there */
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}
static void *prepare(void *arg)
{
	for (int i = 0; i < STEPS; i++) {
		atomic_fetch_sub(&plan[i].waits_for, 1); /* counts */
		sched_yield();
		if (atomic_load(&plan[i].waits_for) == 0) /* asks */
			make_ready(i);
	}
	return arg;
}
static void *run(void *arg)
{
	for (int taken = 0;;) {
		pthread_mutex_lock(&lock);
		while (taken == nready && !over)
			pthread_cond_wait(&more, &lock);
		int n = taken < nready ? ready[taken++] : -1;
		pthread_mutex_unlock(&lock);
		if (n < 0)
			return arg;
		plan[n].ran++;
	}
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < STEPS; i++)
		plan[i].waits_for = 2;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i ? prepare : run, NULL);
	for (int i = 2; i >= 0; i--) {
		if (i == 0) {
			pthread_mutex_lock(&lock);
			over = 1;
			pthread_cond_signal(&more);
			pthread_mutex_unlock(&lock);
		}
		pthread_join(t[i], NULL);
	}
	for (int i = 0; i < STEPS; i++)
		if (plan[i].ran != 1)
			exit(9);
}
P
rethread cc -O2 -g -pthread plan.c -o plan
status 9 rethread record -q --until-failure --runs 3000 ./plan 2>err
first
has short 'In short: thread 1:[23] wrote plan\[[0-9]+\]\.waits_for = 2 -> 1 \(plan.c:20\) and asked for it only later \(plan.c:22\), when thread (1:[23]) had changed that to 0 \(plan.c:20\): for what it found, it wrote (ready\[[0-9]+\]|nready) \(plan.c:13\), as thread \1 (had|did afterwards)'
