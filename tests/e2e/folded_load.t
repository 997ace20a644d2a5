# Of a load and the sum that it goes to the code generator makes one instruction, with the line of the sum, in the program or in the twin: where
# the load faults, that is the recorded failure all the same.
cat >slots.cc <<'P'
#include <mutex>
#include <pthread.h>
#include <sched.h>
struct text {
	const char *at;
	long n;
	long size() const
	{
		return n;
	}
};
struct slot {
	text *state;
	long hits;
};
static std::mutex mutex;
static slot *current;
static long total, seen[8];
__attribute__((noinline)) static void add(slot *s, int i)
{
	s->hits++;
	std::lock_guard<std::mutex> lock(mutex);
	total += i + s->state->size(); // bug: it may have been taken away
#ifdef RECORDED
	seen[total & 7]++; // so what is read is in the log, and the program's load stays one
#endif
}
static void *use(void *x)
{
	for (int i = 0; i < 2000; i++)
		add(current, i);
	return x;
}
static void *replace(void *x)
{
	for (int i = 0; i < 200; i++) {
		slot *s = current;
		text *t = s->state;
		s->state = nullptr;
		sched_yield();
		t->n = 4 + i % 3;
		s->state = t;
	}
	return x;
}
int main()
{
	pthread_t a, b;
	text t = {"some", 4};
	current = new slot{&t, 0};
	pthread_create(&a, 0, use, 0);
	pthread_create(&b, 0, replace, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
}
P
for options in -O1 "-O2 -DRECORDED"; do
	rethread c++ $options -g slots.cc -o slots
	status 139 rethread record --until-failure -- ./slots 2>err
	rethread reproduce --budget 20 >out 2>&1 || fail "$options: $(cat out)"
	rethread replay -n 20 >out 2>&1 || fail "$options: $(cat out)"
done
