# A wait that nobody ends: what the thread had looked at is told, not what it counted just before it waited. One that waits for what only this thread would do comes behind it.
cat >phases.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, reached = PTHREAD_COND_INITIALIZER;
static int phase, done, waiting;
static void *worker(void *arg)
{
	int late = arg != NULL;
	for (int mine = 0; mine < 2; mine++) {
		pthread_mutex_lock(&m);
		if (++done == 2)
			pthread_cond_signal(&reached);
		pthread_mutex_unlock(&m);
		if (__atomic_load_n(&phase, __ATOMIC_SEQ_CST) == mine) {
			if (late)
				usleep(20000);
			pthread_mutex_lock(&m);
			waiting++;
			pthread_cond_wait(&changed, &m);
			waiting--;
			pthread_mutex_unlock(&m);
		}
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, worker, NULL);
	usleep(5000);
	pthread_create(&t[1], NULL, worker, t);
	for (int p = 0; p < 2; p++) {
		usleep(10000);
		pthread_mutex_lock(&m);
		while (done < 2)
			pthread_cond_wait(&reached, &m);
		done = 0;
		__atomic_store_n(&phase, p + 1, __ATOMIC_SEQ_CST);
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&m);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
cat >gate.cpp <<'P'
#include <atomic>
#include <thread>
#include <vector>
static std::atomic<int> generation, arrived;
static void pass()
{
	int g = generation.load();
	if (arrived.fetch_add(1) + 1 == 3) {
		arrived.store(0);
		generation.fetch_add(1);
		generation.notify_one();
	} else
		generation.wait(g);
}
int main()
{
	std::vector<std::jthread> t;
	for (int i = 0; i < 3; i++)
		t.emplace_back([] { for (int k = 0; k < 100; k++) pass(); });
}
P
rethread cc -O2 -g -pthread phases.c -o phases
rethread c++ -O2 -g -std=c++20 -pthread gate.cpp -o gate
told() { # PROGRAM PATTERN
	status 124 rethread record --until-failure --runs 50 --timeout 5 -- ./"$1" 2>err
	rethread reproduce --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread explain | tr -s ' \n' ' ' >text
	has text "$2"
}
told phases 'In short: thread 1:2 waits for ever for a signal of changed \(phases.c:19\). It had found phase = [01] \(phases.c:14\), which thread 1 changed since to [12] \(phases.c:38\); the signal \(phases.c:39\) came before it waited'
told gate 'In short: thread 1:[123] waits for ever \(gate.cpp:13\). It had found generation = [0-9]+ \(gate.cpp:7\), which thread 1:[123] changed since to [0-9]+ \(gate.cpp:10\)'

# What a thread put there itself it has not looked at: who writes a buffer out, fills it with dots and waits for the next to be full, finds there later what came too late for the first time.
cat >swap.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct { size_t used; char data[1024]; } buffers[2];
static int active;
static bool stop;
static void line(const char *text)
{
	pthread_mutex_lock(&lock);
	char *at = buffers[active].data + buffers[active].used;
	buffers[active].used += 16;
	if (buffers[active].used > 64)
		pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	if (text[0] == 'b')
		sched_yield();
	memcpy(at, text, 16); /* too late */
}
static void *flush(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!stop && buffers[active].used <= 64)
			pthread_cond_wait(&wake, &lock);
		int full = active;
		if (!buffers[full].used)
			break;
		active ^= 1;
		pthread_mutex_unlock(&lock);
		if (write(1, buffers[full].data, buffers[full].used) < 0)
			_exit(9);
		memset(buffers[full].data, '.', buffers[full].used);
		buffers[full].used = 0;
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}
static void *work(void *arg)
{
	for (int i = 0; i < 40; i++)
		line(arg);
	return NULL;
}
int main(void)
{
	pthread_t f, w[2];
	pthread_create(&f, NULL, flush, NULL);
	pthread_create(&w[0], NULL, work, "a first line...\n");
	pthread_create(&w[1], NULL, work, "b second line..\n");
	for (int i = 0; i < 2; i++)
		pthread_join(w[i], NULL);
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(f, NULL);
}
P
rethread cc -O2 -g -pthread swap.c -o swap
rethread record -q --until-failure --runs 500 --fail-if 'n=$(grep -cxE "a first line\.\.\.|b second line\.\."); [ $n != 80 ]' ./swap >out 2>&1
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'buffers\[[01]\]\.data'
! grep -q 'had looked at buffers' text || fail "$(cat text)"
