# Who waits for ever: a signal that comes between the test and the wait is lost, and one signal for two threads wakes one. `explain` names the condition variable, the
# signal, and the flag that was read. Pointers are shown as what they point to.
cat >gate.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct gate { pthread_mutex_t mu; pthread_cond_t cv; int open; };
static void gate_pass(struct gate *g)
{
	pthread_mutex_lock(&g->mu);
	while (!g->open)
		pthread_cond_wait(&g->cv, &g->mu);
	g->open = 0;
	pthread_mutex_unlock(&g->mu);
}
static void gate_open(struct gate *g)
{
	g->open = 1; /* without the lock */
	pthread_cond_signal(&g->cv);
}
static struct gate there, back;
static void *pong(void *p)
{
	for (int i = 0; i < 400; i++) {
		gate_pass(&there);
		gate_open(&back);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, pong, NULL);
	for (int i = 0; i < 400; i++) {
		gate_open(&there);
		gate_pass(&back);
	}
	pthread_join(t, NULL);
}
P
waits() { # of the newest trace
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^Who waits for ever:$/,/^$/p' out | tr -s ' \n' ' ' >text
}
rethread cc -O2 -g -pthread gate.c -o gate
status 124 rethread record -q --until-failure --runs 3000 --timeout 2 ./gate 2>err
waits
has text 'thread (1|1:1) waits for a signal of (there|back).cv gate.c:8 pthread_cond_wait\(&g->cv, &g->mu\); thread (1|1:1) had signalled it before that, when nobody waited: the signal was lost gate.c:15 pthread_cond_signal\(&g->cv\); after it had read (there|back).open: 0 gate.c:7 while \(!g->open\) which thread (1|1:1) wrote only then: 1 gate.c:14 '

cat >stage.cpp <<'P'
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
struct Stage {
	std::mutex m;
	std::condition_variable ready;
	Stage *next = nullptr;
	void wait()
	{
		std::unique_lock<std::mutex> l(m);
		while (!next)
			ready.wait(l);
	}
	void release(Stage *s)
	{
		std::lock_guard<std::mutex> l(m);
		next = s;
		ready.notify_one(); // and two wait
	}
};
int main()
{
	for (int round = 0; round < 20; round++) {
		auto s = std::make_unique<Stage>();
		std::thread a([&] { s->wait(); }), b([&] { s->wait(); });
		for (int i = 0; i < 20; i++)
			std::this_thread::yield();
		s->release(s.get());
		a.join();
		b.join();
	}
}
P
rethread c++ -std=c++20 -O1 -g -pthread stage.cpp -o stage
status 124 rethread record -q --until-failure --runs 3000 --timeout 2 ./stage 2>err
waits
has text 'thread (1:[0-9]+) waits for a signal of Stage(#[0-9]+)?.ready stage.cpp:13 ready.wait\(l\); thread 1 signalled it afterwards, for one thread only, which was (another|thread 1:[0-9]+) stage.cpp:19 .* after it had read Stage(#[0-9]+)?.next: NULL stage.cpp:12 while \(!next\) which thread 1 wrote only then: &Stage'
! grep 'was lost' out || fail "a signal that woke somebody is said to be lost"

# What was true when the signal came may not be when the thread goes on: `if` in the place of `while`. And who has the lock that another waits for.
cat >box.c <<'P'
#include <assert.h>
#include <pthread.h>
static struct { pthread_mutex_t mu; pthread_cond_t filled; int count; } box = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static void *taker(void *p)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&box.mu);
		if (box.count == 0)
			pthread_cond_wait(&box.filled, &box.mu);
		assert(box.count > 0);
		box.count--;
		pthread_mutex_unlock(&box.mu);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, taker, NULL);
	pthread_create(&b, NULL, taker, NULL);
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&box.mu);
		box.count++;
		pthread_cond_broadcast(&box.filled);
		pthread_mutex_unlock(&box.mu);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O2 -g -pthread box.c -o box
status 134 rethread record -q --until-failure --runs 3000 --timeout 2 ./box 2>err
waits
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1:[12]) had looked at box.count before it waited \(box.c:9\), and not again when it came back; thread 1:[12] had changed it by then \(box.c:11\)\.' \
	'thread (1:[12]) read box.count: it found 0 box.c:10 assert\(box.count > 0\); which thread 1:[12] had written in taker box.c:11 box.count--; thread \1 had looked at it before it waited, and not again when it came back box.c:9 pthread_cond_wait'

# A thread that has left without giving up its lock, whose end another waits for, and a semaphore that is posted too few times.
cat >left.c <<'P'
#include <pthread.h>
#include <semaphore.h>
static struct { pthread_mutex_t lock; int closed; } pool = {PTHREAD_MUTEX_INITIALIZER, 0};
static sem_t filled;
static void *take(void *p)
{
	pthread_mutex_lock(&pool.lock);
	if (pool.closed)
		return p; /* with the lock */
	pthread_mutex_unlock(&pool.lock);
	return p;
}
static void *empty(void *p)
{
	sem_wait(&filled);
	sem_wait(&filled);
	return p;
}
int main(void)
{
	pthread_t t[3];
	sem_init(&filled, 0, 0);
	pthread_mutex_lock(&pool.lock);
	pthread_create(&t[0], NULL, take, NULL);
	pthread_create(&t[1], NULL, take, NULL);
	pool.closed = 1;
	pthread_mutex_unlock(&pool.lock);
	pthread_create(&t[2], NULL, empty, NULL);
	sem_post(&filled);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O1 -g -pthread left.c -o left
status 124 rethread record -q --timeout 2 ./left 2>err
waits
tr -s ' \n' ' ' <out | sed 's/Who waits.*//' >short
has short 'In short: thread 1:3 waits for ever for filled \(left.c:16\)\.'
has text 'thread 1:[12] waits for pool.lock left.c:7 pthread_mutex_lock\(&pool.lock\); which thread 1:[12] took here, and did not give up before it ended left.c:7 pthread_mutex_lock\(&pool.lock\); the last that it did then: it read pool.closed: 1 left.c:8 if \(pool.closed\)' \
	'thread 1:3 waits for filled left.c:1[56] sem_wait\(&filled\); thread 1 had posted it last; what was posted has all been taken left.c:29 sem_post\(&filled\);' \
	'thread 1 waits for the end of thread 1:[12] left.c:31 pthread_join'

# What a thread waits for is asked in a function that the wait is handed.
cat >latch.cpp <<'P'
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>
struct Latch {
	std::mutex m;
	std::condition_variable cv;
	bool open = false;
	void wait()
	{
		std::unique_lock<std::mutex> l(m);
		cv.wait(l, [this] {
			bool is = open;
			usleep(40000);
			return is;
		});
	}
};
int main()
{
	Latch latch;
	std::thread a([&] { latch.wait(); }), b([&] {
		usleep(20000);
		latch.open = true; // without the lock
		latch.cv.notify_all();
	});
	a.join();
	b.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread latch.cpp -o latch
status 124 rethread record -q --until-failure --runs 50 --timeout 2 ./latch 2>err
waits
has text 'waits for a signal of latch.cv latch.cpp:12 .*after it had read latch.open: false latch.cpp:13 .*which thread 1:2 wrote only then: true latch.cpp:24'

# What is read in the last line is what was there from the beginning: what tells was read just before, which the compiler may do.
cat >channel.cpp <<'P'
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
static struct Channel {
	std::mutex m;
	std::condition_variable cv;
	std::deque<int> items;
	bool closed = false;
	bool receive()
	{
		std::unique_lock<std::mutex> l(m);
		if (items.empty() && !closed)
			cv.wait(l);
		if (closed && items.empty())
			return false;
		if (items.size() == 0)
			std::abort();
		items.pop_front();
		return true;
	}
} c;
int main()
{
	auto work = [] { while (c.receive()); };
	std::thread a(work), b(work), d(work);
	for (int i = 0; i < 100; i++) {
		std::lock_guard<std::mutex> l(c.m);
		c.items.push_back(i);
		c.cv.notify_one();
	}
	c.m.lock();
	c.closed = true;
	c.cv.notify_all();
	c.m.unlock();
	a.join(), b.join(), d.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread channel.cpp -o channel
status 134 rethread record -q --until-failure --runs 3000 --timeout 2 ./channel 2>err
waits
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1:[123]) had looked at c.items before it waited \(channel.cpp:15\), and not again when it came back; thread 1:[123] had changed it by then \(channel.cpp:20\)\.'

# The thread looks when it comes back, but only to see that it is too late: it should have gone back to where it had looked before it waited.
cat >desk.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t put = PTHREAD_COND_INITIALIZER;
static int letters, closed;
static void *takes(void *p)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		if (!letters && !closed)
			pthread_cond_wait(&put, &lock);
		int over = !letters && closed;
		if (!over && !letters)
			abort();
		letters -= !over;
		pthread_mutex_unlock(&lock);
		if (over)
			return p;
	}
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, takes, NULL);
	for (int i = 0; i <= 200; i++) {
		pthread_mutex_lock(&lock);
		letters++;
		closed = i == 200;
		pthread_mutex_unlock(&lock);
		pthread_cond_broadcast(&put);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O0 -g -pthread desk.c -o desk
status 134 rethread record -q --until-failure --runs 3000 ./desk 2>err
waits
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1:[123]) had looked at letters before it waited \(desk.c:11\), and (not again|did not go back to that) when it came back; (thread 1:[123] had changed it by then \(desk.c:15\)|nobody had changed it)\.'

# It may be woken by what it has taken already: nobody has changed what it had looked at.
cat >late.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t put = PTHREAD_COND_INITIALIZER;
static int letters;
static void *takes(void *p)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		if (!letters)
			pthread_cond_wait(&put, &lock);
		if (!letters)
			abort();
		letters--;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&lock);
	letters++;
	pthread_mutex_unlock(&lock);
	pthread_create(&t, NULL, takes, NULL);
	usleep(100000);
	pthread_cond_signal(&put); /* too late: it has been taken */
	usleep(100000);
	pthread_mutex_lock(&lock);
	letters++;
	pthread_cond_signal(&put);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread late.c -o late
	status 134 rethread record -q --until-failure --runs 20 ./late 2>err
	waits
	tr -s ' \n' ' ' <out >text
	has text 'In short: thread 1:1 had looked at letters before it waited \(late.c:12\), and not again when it came back; nobody had changed it\.'
done

# A barrier that is counted up anew before all have left it: who is woken finds it so, and waits again. Where two meet, nobody changes that any more.
cat >meet.c <<'P'
#include <pthread.h>
#ifndef THREADS
#define THREADS 3
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all = PTHREAD_COND_INITIALIZER;
static int here;
static void *run(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		if (++here == THREADS) { /* comes */
			here = 0;
			pthread_cond_broadcast(&all); /* wakes */
		} else {
			while (here) /* looks */
				pthread_cond_wait(&all, &lock);
		}
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}
P
for opt in -O0 '-O2 -DTHREADS=2'; do
	rethread cc $opt -g -pthread meet.c -o meet
	status 124 rethread record -q --until-failure --timeout 20 --runs 300 ./meet 2>err
	waits
	tr -s ' \n' ' ' <out >text
	has text 'In short: thread (1:[123]) waits for ever for a signal of all \(meet.c:17\)\. Thread 1:[123] had signalled it \(meet.c:14\), but before thread \1 looked again \(meet.c:16\), thread 1:[123] changed here to [12] \(meet.c:12\)\.'
done

# A routine that runs once waits for a thread that comes to the same routine.
cat >once.c <<'P'
#include <pthread.h>
#include <semaphore.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t up;
static void set_up(void);
static void *warm(void *arg)
{
	pthread_once(&once, set_up); /* comes, too */
	sem_post(&up);
	return arg;
}
static void set_up(void)
{
	pthread_t t;
	pthread_create(&t, NULL, warm, NULL);
	sem_wait(&up); /* waits */
	pthread_join(t, NULL);
}
static void *use(void *arg)
{
	pthread_once(&once, set_up); /* begins it */
	return arg;
}
int main(void)
{
	pthread_t t[2];
	sem_init(&up, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread once.c -o once
status 124 rethread record -q --timeout 20 ./once 2>err
waits
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1:[12]) waits for ever for up \(once.c:16\), and is in the routine of once \(once.c:21\), which thread \1:1 waits for \(once.c:8\)\.' 'whose routine thread 1:[12] has been in since'
