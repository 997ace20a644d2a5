# All accesses are guarded, but what belongs together is done in two critical sections, or with a lock that is held for reading only: nothing races that is not
# in the order of locks, and `explain` says all the same who came in between, and which lock was given up there.
between() { # OPTION: of the newest trace
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$1: $(cat out)"
	rethread explain >out
	sed -n '/^Who came in between:$/,/^$/p' out | tr -s ' \n' ' ' >text
}
cat >ledger.c <<'P'
#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <threads.h>
struct ledger { mtx_t mtx; long debit, credit; };
static struct ledger *book;
static long get(long *field)
{
	mtx_lock(&book->mtx);
	long v = *field;
	mtx_unlock(&book->mtx);
	return v;
}
static void put(long *field, long v)
{
	mtx_lock(&book->mtx);
	*field = v;
	mtx_unlock(&book->mtx);
}
static int clerk(void *arg)
{
	for (int i = 0; i < 15; i++) {
		long d = get(&book->debit), c = get(&book->credit);
		if (i == 7)
			sched_yield();
		put(&book->debit, d + (long)(size_t)arg);
		put(&book->credit, c + (long)(size_t)arg);
	}
	return 0;
}
int main(void)
{
	thrd_t a, b;
	book = calloc(1, sizeof *book);
	mtx_init(&book->mtx, mtx_plain);
	thrd_create(&a, clerk, (void *)1);
	thrd_create(&b, clerk, (void *)100);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	assert(book->debit == 15 * 101 && book->credit == 15 * 101);
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread ledger.c -o ledger
	status 134 rethread record -q --until-failure --runs 3000 ./ledger 2>err
	between $opt
	has text 'thread (1:[12]) read ledger.(debit|credit): [0-9]+ ledger.c:10 long v = \*field; then thread (1:[12]) wrote it: [0-9]+ ledger.c:17 \*field = v; then thread \1 wrote it: [0-9]+ ledger.c:17 ' \
		'each time with ledger.mtx locked, which thread 1:[12] gave up between its two accesses'
	has out '^What the failing thread read last:$' 'thread 1 read ledger.(debit|credit):$' 'which thread 1:[12] had written in put$'
done

cat >registry.cpp <<'P'
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
class Registry {
	mutable std::shared_mutex mtx_;
	std::map<int, int> all_;
	int made_ = 0;
public:
	bool has(int key) const
	{
		std::shared_lock g(mtx_);
		return all_.count(key) != 0;
	}
	void add(int key, int who)
	{
		std::unique_lock g(mtx_);
		all_[key] = who;
		made_++;
	}
	bool is_right() const { return made_ == (int)all_.size(); }
};
int main()
{
	Registry r;
	auto work = [&r](int who) {
		for (int k = 0; k < 12; k++)
			if (!r.has(k))
				r.add(k, who);
	};
	std::thread a(work, 1), b(work, 2);
	a.join();
	b.join();
	assert(r.is_right());
}
P
rethread c++ -std=c++17 -O2 -g -pthread registry.cpp -o registry
status 134 rethread record -q --until-failure --runs 5000 ./registry 2>err
between -O2
has text 'registry.cpp:14 return all_.count\(key\) != 0; then thread 1:[12] wrote .* registry.cpp:19 ' 'each time with r.mtx_ locked, which thread 1:[12] gave up between its two accesses'
! grep 'without r.mtx_' out || fail "a lock that is held is said to be missing"

cat >stats.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static struct { pthread_rwlock_t rw; int keys[16], hits; } dict = {.rw = PTHREAD_RWLOCK_INITIALIZER};
static void *reader(void *p)
{
	for (int i = 0; i < 40; i++) {
		pthread_rwlock_rdlock(&dict.rw);
		if (dict.keys[i % 16] == 0)
			{ int hits = dict.hits; if (i % 8 == 3) usleep(200); dict.hits = hits + 1; }
		pthread_rwlock_unlock(&dict.rw);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reader, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(dict.hits == 80);
}
P
rethread cc -O2 -g -pthread stats.c -o stats
status 134 rethread record -q --until-failure --runs 5000 ./stats 2>err
between -O2
has text 'read dict.hits' 'with dict.rw locked for reading only, thread 1:[12] (read|wrote) it here stats.c:10 \{ int hits = dict.hits;'

cat >seats.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *names[4];
static int has(int i)
{
	pthread_mutex_lock(&lock);
	int taken = names[i] != NULL;
	pthread_mutex_unlock(&lock);
	return taken;
}
static char get(int i)
{
	pthread_mutex_lock(&lock);
	if (!names[i])
		abort();
	char first = *names[i];
	pthread_mutex_unlock(&lock);
	return first;
}
static void set(int i, const char *name)
{
	pthread_mutex_lock(&lock);
	names[i] = name;
	pthread_mutex_unlock(&lock);
}
static void *looks(void *p)
{
	for (int i = 0; i < 100; i++)
		if (has(i % 4) && sched_yield() == 0 && get(i % 4) != 'a')
			return NULL;
	return p;
}
static void *comes_and_goes(void *p)
{
	for (int i = 0; i < 100; i++) {
		set(i % 4, "anna");
		sched_yield();
		set(i % 4, NULL);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, looks, NULL);
	pthread_create(&b, NULL, comes_and_goes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
rethread cc -O1 -g -pthread seats.c -o seats
status 134 rethread record -q --until-failure --runs 5000 ./seats 2>err
between -O1
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:1 read names\[[0-3]\] \(seats.c:9\); before it read it again \(seats.c:16\), thread 1:2 changed it \(seats.c:25\); thread 1:1 had given up lock in between\.'
