# A failure in an exit handler, or in the destructor of a static object, while another thread is still running.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, closed;
static void *work(void *x) {
	for (;;) {
		pthread_mutex_lock(&m);
		if (!closed) n++;
		pthread_mutex_unlock(&m);
	}
	return x;
}
static void closes(void) {
	pthread_mutex_lock(&m);
	closed = 1;
	pthread_mutex_unlock(&m);
	assert(n == 0);
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t;
	atexit(closes);
	pthread_create(&t, 0, work, 0);
	for (int seen = 0; seen < 10;) {
		pthread_mutex_lock(&m);
		seen = n;
		pthread_mutex_unlock(&m);
	}
	if (argc > 1) exit(3);
	return 0;
}
P
cat >q.cpp <<'P'
#include <cassert>
#include <mutex>
#include <thread>
static std::mutex m;
struct Table {
	int users = 0;
	~Table() {
		std::lock_guard<std::mutex> hold(m);
		assert(users == 0 && "destroyed while in use");
	}
};
static Table table;
int main() {
	std::thread([] {
		for (;;) {
			std::lock_guard<std::mutex> hold(m);
			table.users = 1;
		}
	}).detach();
	for (int seen = 0; !seen;) {
		std::lock_guard<std::mutex> hold(m);
		seen = table.users;
	}
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread p.c -o p
	rethread c++ $opt -g -pthread q.cpp -o q
	for run in "./p" "./p x" "./q"; do
		status 134 rethread record -q $run 2>err
		rethread reproduce >out 2>&1 || fail "$opt $run: $(cat out)"
		has out 'reproduced and proven by replay'
		rethread replay -n 5 >out
		has out '^reproduced 5/5$'
	done
done
