# Memory that is counted and given back by whoever counts down last. That the other one was there before, only the count tells: the
# executor runs in an order in which it is too late, sees the memory used after it was freed, and has to take another order (early.c).
cat >counted.cpp <<'P'
// The last one to give up a counted object frees it; the other one's giving up came before, which only the count tells.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

struct Counted {
	int **value;
	std::atomic<int> count{2};
};
struct Other {
	int number;
	int more;
	int **value;
};
static_assert(sizeof(Counted) == sizeof(Other));
static int one = 1;
static int *table[2] = {&one, &one};

static std::atomic<unsigned> state{1}, odd;
/* Its branches are recorded, with time stamps. */
static void work()
{
	unsigned s = state;
	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	state = s;
	if (s & 1)
		odd++;
}

static void drop(Counted *c)
{
	if (--c->count == 0)
		delete c;
}

/* Memory that no other thread knows, so that nothing of it is recorded. */
[[gnu::noinline]] static void fill(Other *o)
{
	o->number = 1;
	o->more = 2;
	o->value = table + 1;
}

[[gnu::noinline]] static int use(Other *o)
{
	return **o->value + o->more;
}

int main()
{
	Counted *c = new Counted;
	c->value = table + 1;
	std::thread t([c] {
		for (int i = 0; i < 20000; i++)
			work();
		drop(c);
	});
	usleep(30000);
	drop(c);
	Other *o = new Other;
	fill(o);
	t.join();
	int sum = use(o);
	printf("%d\n", sum);
	if (sum == 3)
		abort();
}
P
# What join and detach leave in a std::thread that lies on such memory.
cat >joined.cpp <<'P'
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

struct Counted {
	long number = 1;
	std::atomic<int> count{2};
};
struct Task {
	long number;
	std::thread thread;
};
static_assert(sizeof(Counted) == sizeof(Task));

static void drop(Counted *c)
{
	if (--c->count == 0)
		delete c;
}

int main(int argc, char **argv)
{
	Counted *c = new Counted;
	std::thread other(drop, c);
	usleep(30000);
	drop(c);
	Task *t = new Task{argc, std::thread([] { puts("working"); })};
	if (argc > 1)
		t->thread.detach();
	else
		t->thread.join();
	other.join();
	bool left = t->thread.joinable();
	if (!left)
		abort();
	puts(argv[0]);
}
P
for p in counted joined; do
	rethread c++ -O1 -g -pthread -o $p $p.cpp
done
for run in ./counted ./joined "./joined detached"; do
	status 134 rethread record -- $run >recorded 2>&1
	rethread infer --budget 60 --engine solve >out 2>&1 || fail "$run: not inferred: $(cat out)"
	has out '^an interleaving explains the log'
	rethread reproduce --budget 60 --engine solve >out 2>&1 || fail "$run: not reproduced: $(cat out)"
	rethread replay -n 5 >out 2>&1 || fail "$run: not replayed: $(cat out)"
	has out '^reproduced 5/5$'
done
