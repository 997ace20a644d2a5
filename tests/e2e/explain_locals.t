# Objects that are local variables of main, and pointers to variables and functions, are called as in the source.
cat >clerks.cpp <<'P'
#include <mutex>
#include <thread>
#include <unistd.h>
struct Desk {
	int papers = 0;
	std::mutex lock;
	void pass(Desk &to)
	{
		std::lock_guard<std::mutex> mine(lock);
		usleep(2000);
		std::lock_guard<std::mutex> his(to.lock);
		papers--;
		to.papers++;
	}
};
int main()
{
	Desk left, rights[2];
	std::thread t([&] { left.pass(rights[1]); });
	rights[1].pass(left);
	t.join();
}
P
for opt in -O0 -O2; do
	rethread c++ -std=c++17 $opt -g -pthread clerks.cpp -o clerks
	status 124 rethread record -q --until-failure --runs 500 ./clerks 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	has out 'thread 1 waits for left.lock:'
	has out 'thread 1:1 waits for rights\[1\].lock:'
done
rethread strip clerks && strip --strip-debug clerks && rm "$(latest)/program"
rethread explain >out
has out 'thread 1 waits for left\+8:'

cat >hooks.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct hook { void (*call)(void *); void *with; };
static struct hook hooks[3];
static struct { int low, high; } ranges[4];
static void on_range(void *p) { ((int *)p)[1]++; }
static void *user(void *p)
{
	usleep(100000);
	struct hook *h = p;
	if (h->call != on_range || h->with != &ranges[2].high)
		abort();
	h->call(h->with);
	return p;
}
int main(void)
{
	pthread_t t;
	hooks[1].with = &ranges[2].high;
	pthread_create(&t, NULL, user, &hooks[1]);
	hooks[1].call = on_range;
	hooks[1].with = &ranges[3];
	pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread hooks.c -o hooks
status 134 rethread record -q --until-failure --runs 500 ./hooks 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain --all >out
has out 'writes hooks\[1\].with = &ranges\[2\].high'
has out 'writes hooks\[1\].call = &on_range'
has out 'reads hooks\[1\].with = &ranges\[3\]'
