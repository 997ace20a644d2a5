# Who was halfway between two sections that belong together, where the places differ each time: a transfer has been taken from one account, and not yet put into another, when the
# sum is asked for. The thread itself may not have come to the second at all: others tell what comes next.
cat >bank.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N 4
struct account { pthread_mutex_t lock; long balance; };
static struct account accounts[N];
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static void withdraw(int a, long n) { pthread_mutex_lock(&ledger); accounts[a].balance -= n; pthread_mutex_unlock(&ledger); }
static void deposit(int a, long n) { pthread_mutex_lock(&ledger); accounts[a].balance += n; pthread_mutex_unlock(&ledger); }
static void transfer(int from, int to, long n)
{
	withdraw(from, n); if (n == 7) usleep(100);
	deposit(to, n);
}
static void *teller(void *arg)
{
	unsigned s = (unsigned)(long)arg;
	for (int i = 0; i < 2000; i++) {
		s = s * 1103515245 + 12345;
		transfer((s >> 8) % N, (s >> 16) % N, (s >> 4) % 50);
	}
	return NULL;
}
static void *audit(void *arg)
{
	for (int i = 0; i < 30; i++, usleep(50)) {
		long sum = 0;
		pthread_mutex_lock(&ledger);
		for (int a = 0; a < N; a++)
			sum += accounts[a].balance;
		pthread_mutex_unlock(&ledger);
		if (sum != N * 1000) {
			fprintf(stderr, "audit: %ld\n", sum);
			abort();
		}
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < N; i++)
		accounts[i].balance = 1000;
	pthread_create(&t[0], NULL, teller, (void *)1L);
	pthread_create(&t[1], NULL, teller, (void *)2L);
	usleep(200);
	pthread_create(&t[2], NULL, audit, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread bank.c -o bank
status 134 rethread record -q --until-failure --runs 5000 ./bank 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed '/^Who was/,$d' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[12]) had written accounts\[[0-3]\].balance \(bank.c:10\) and not yet what is written next every other time \(bank.c:11\); thread 1:3 looked in between \(bank.c:32\): thread \1 gives up ledger between the two\.'

# Without a lock, too: a version is told before what it is the version of.
cat >config.cpp <<'P'
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <atomic>
struct Config {
	int version;
	std::string host;
	int port;
};
class Store {
	std::shared_ptr<const Config> current;
	std::atomic<int> version{0};

public:
	Store() : current(std::make_shared<Config>(Config{0, "a", 0})) {}
	void update(int v)
	{
		auto c = std::make_shared<Config>(Config{v, "host", v * 10});
		version = v;
		std::this_thread::yield();
		std::atomic_store(&current, std::shared_ptr<const Config>(c));
	}
	void check()
	{
		int v = version;
		auto c = std::atomic_load(&current);
		assert(v < 5 || c->version >= v); // by then it has shown which is written first
	}
};
int main()
{
	Store s;
	std::thread w([&] {
		for (int i = 1; i < 50; i++)
			s.update(i);
	});
	std::thread r([&] {
		for (int i = 0; i < 50; i++, std::this_thread::yield())
			s.check();
	});
	w.join();
	r.join();
}
P
rethread c++ -std=c++20 -O2 -g -pthread config.cpp -o config
status 134 rethread record -q --until-failure --runs 3000 ./config 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 writes s.version \(config.cpp:21\) and then s.current \(config.cpp:23\); when thread 1:2 read the second \(config.cpp:28\) and the first \(config.cpp:27\), it had only written the first\.'

# Each thread says that it is done and then adds to a total, once (a destructor of thread-specific data does that); main has waited for all of them to be done. The last one has not added yet.
cat >totals.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
enum { WORKERS = 4 };
static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int running = WORKERS;
static struct { long bytes, calls; } total;
static void merge(void *p)
{
	long *n = p;
	sched_yield();
	pthread_mutex_lock(&lock);
	total.bytes += 10 * *n;
	total.calls += *n;
	pthread_mutex_unlock(&lock);
	free(n);
}
static void *work(void *arg)
{
	long *n = calloc(1, sizeof *n);
	pthread_setspecific(key, n);
	for (int i = 0; i < 100; i++)
		*n += 1;
	pthread_mutex_lock(&lock);
	if (--running == 0)
		pthread_cond_signal(&finished);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_key_create(&key, merge);
	for (int i = 0; i < WORKERS; i++) {
		pthread_t t;
		pthread_create(&t, NULL, work, NULL);
		pthread_detach(t);
	}
	pthread_mutex_lock(&lock);
	while (running)
		pthread_cond_wait(&finished, &lock);
	long calls = total.calls;
	pthread_mutex_unlock(&lock);
	assert(calls == 100 * WORKERS || calls < 300); /* of two that were behind, nothing is said */
}
P
rethread cc -O1 -g -pthread totals.c -o totals
status 134 rethread record -q --until-failure --runs 3000 ./totals 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[1-4]) had written running \(totals.c:28\) and not yet what is written next every other time \(totals.c:17\); thread 1 looked in between \(totals.c:44\): thread \1 gives up lock between the two\.'

# A thread that has not done it before does it as the others do. The reader has polled until then, which a run on the values of the answer goes through.
cat >mean.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_long sum, count;
static atomic_int done;
static void record(int pause)
{
	atomic_fetch_add(&sum, 64);
	if (pause)
		usleep(3000);
	atomic_fetch_add(&count, 1);
}
static void *often(void *arg)
{
	usleep(2000);
	for (int i = 0; i < 5; i++)
		record(0);
	atomic_store(&done, 1);
	return arg;
}
static void *once(void *arg)
{
	while (!atomic_load(&done))
		sched_yield();
	record(1);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, often, NULL);
	pthread_create(&b, NULL, once, NULL);
	for (long n = 0; n < 6;) {
		n = atomic_load(&count);
		long s = atomic_load(&sum);
		if (n >= 5 && s / n > 64)
			abort();
		usleep(20);
	}
	return 0;
}
P
rethread cc -O2 -g -pthread mean.c -o mean
status 134 rethread record -q --until-failure --runs 100 ./mean 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:2 writes sum \(mean.c:10\) and then count \(mean.c:13\); when thread 1 read the second \(mean.c:36\) and the first \(mean.c:37\), it had only written the first\.)'
has out '(other times a thread wrote count next)'

# A cell says of which kind it is, and is asked for that before it is taken for a pointer: the editor, who has a lock, puts a number there first. The painter has none.
cat >cells.c <<'P'
#include <pthread.h>
#include <sched.h>
struct text { long length; char s[16]; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_text;
static union { volatile long number; struct text *volatile text; } cell;
static struct text hello = {5, "hello"};
static void *edit(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		cell.number = 100 + i; /* a number */
		sched_yield();
		is_text = 0; /* is none */
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
		cell.text = &hello;
		is_text = 1; /* is one */
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	volatile long width = 0;
	pthread_create(&t, NULL, edit, NULL);
	for (int i = 0; i < 3000; i++, i % 16 || sched_yield())
		width += is_text ? cell.text->length : 3; /* paints */
	pthread_join(t, NULL);
}
P
rethread cc -O2 -g -pthread cells.c -o cells
status 139 rethread record -q --until-failure --runs 3000 ./cells 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1(:1 writes cell(\.number)? \(cells.c:12\) and then is_text \(cells.c:(14|18)\); when thread 1 read the second \(cells.c:31\) and the first \(cells.c:31\), it had only written the first\.| read is_text \(cells.c:31\) before thread 1:1 changed it \(cells.c:14\), and cell(\.number)? \(cells.c:31\) after thread 1:1 had changed that)'
