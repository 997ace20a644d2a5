# Variables of functions, which the first thread that comes by makes while others wait, are made by code of the program's own (src/library/statics.c):
# the executor of inference waits for them as for any other lock. The constructor throws the first time.
cat >lazy.cc <<'P'
#include "race.h"
#include <mutex>
#include <unistd.h>
static std::mutex mutex;
static int tries, hits, made;
struct settings {
	int step;
	settings()
	{
		std::lock_guard<std::mutex> held(mutex);
		usleep(1000);
		if (!tries++)
			throw tries;
		step = tries - 1;
		made++;
	}
};
static int step()
{
	static settings s;
	return s.step;
}
static void *count(void *x)
{
	for (int i = 0; i < 20; i++) {
		int now = hits;
		try {
			now += step();
		} catch (int) {
			now++;
		}
		if (i % 8 == 3)
			sched_yield();
		hits = now;
	}
	return x;
}
int main()
{
	pthread_t threads[3];
	for (auto &t : threads)
		pthread_create(&t, 0, count, 0);
	for (auto &t : threads)
		pthread_join(t, 0);
	if (tries != 2 || made != 1)
		_exit(9);
	assert(hits == 60);
}
P
rethread c++ -O1 -g -I"$ROOT/tests/e2e" lazy.cc -o lazy
reproduced /dev/null ./lazy
rethread infer --engine solve >out 2>&1 || fail "$(cat out)"

# Made under a lock that the constructor takes, too: two threads wait for one another.
cat >cycle.cc <<'P'
#include <mutex>
#include <pthread.h>
#include <unistd.h>
static std::recursive_mutex names;
static int count;
struct plugin {
	int number;
	plugin()
	{
		usleep(1000);
		std::lock_guard<std::recursive_mutex> held(names);
		number = ++count;
	}
};
static plugin &audio()
{
	static plugin p;
	return p;
}
static void *use(void *x)
{
	return audio().number ? x : nullptr;
}
int main()
{
	pthread_t other;
	pthread_create(&other, 0, use, 0);
	usleep(500);
	names.lock();
	count += audio().number; // bug: the other thread may be making it
	names.unlock();
	pthread_join(other, 0);
}
P
rethread c++ -O1 -g cycle.cc -o cycle
status 124 rethread record --until-failure --timeout 5 -- ./cycle >out 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
