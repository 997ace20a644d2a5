/*
 * Things that are done once: by whom is a matter of luck, and two of them do not agree.
 *
 * fails: assert
 */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>

static thread_local int me;
static pthread_once_t c_once = PTHREAD_ONCE_INIT;
static std::once_flag cxx_once;
static int by_c, by_cxx, by_static, made;

struct maker {
	int who;
	maker() : who(me)
	{
		sched_yield();
		made++;
	}
};

static void once(void)
{
	by_c = me;
	sched_yield();
	made++;
}

static void work(int id)
{
	me = id;
	for (int i = 0; i < id % 3; i++)
		sched_yield();
	pthread_once(&c_once, once);
	if (id % 2)
		sched_yield();
	std::call_once(cxx_once, [] { by_cxx = me; });
	sched_yield();
	static maker m;
	by_static = m.who;
}

int main()
{
	std::thread t[4];
	for (int i = 0; i < 4; i++)
		t[i] = std::thread(work, i + 1);
	for (auto &x : t)
		x.join();
	std::printf("once %d, call_once %d, static %d, made %d\n", by_c, by_cxx, by_static, made);
	std::fflush(stdout);
	assert(by_c == by_cxx && by_cxx == by_static);
}
