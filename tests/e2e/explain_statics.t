# A static variable of a function of C++ has no name of the linker's in the debug information: it is called by its own.
cat >statics.cpp <<'P'
#include <cstdlib>
#include <sched.h>
#include <thread>
struct Counter { int parts = 0, whole = 0; };
static Counter &counter()
{
	static Counter all;
	return all;
}
static void count()
{
	for (int i = 0; i < 200; i++) {
		volatile int &n = counter().whole;
		int before = n;
		if (i % 16 == 0) sched_yield();
		n = before + 1;
	}
}
int main()
{
	std::thread a(count), b(count);
	a.join();
	b.join();
	if (counter().whole != 400) std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o statics statics.cpp
	status 134 rethread record -q --until-failure --runs 5000 ./statics 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	has out 'read all.whole:'
	! grep '_ZZ' out || fail "$opt: names as the linker has them"
done

# Of a member that has two values only, the optimiser keeps one bit: it is shown as the source has it.
cat >limit.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static struct { long version; int limit; } driver;
static int rounds;
static _Bool closed = 1;
static void *starts(void *p)
{
	closed = 0;
	driver.version = 2;
	driver.limit = 16;
	rounds = 7;
	usleep(30000);
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, starts, NULL);
	usleep(10000);
	if (!closed && argc + 1 < driver.limit && argc + 1 < rounds)
		abort();
	pthread_join(t, NULL);
	return argv[0] == NULL;
}
P
rethread cc -O2 -g -pthread limit.c -o limit
status 134 rethread record -q --until-failure --runs 50 ./limit 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out 'writes driver.limit = 16$' 'reads driver.limit = 16$' 'reads rounds = 7$' 'writes closed = false$' 'reads closed = false$'
