# Every function that the recorder records: the order in the log is the one that the program noted, and the steps are
# those of include/rethread/trace.h.
# steps NAME: what thread 1 did under that name: operations, and entries as "object order result".
steps() {
	record 0 ./p "$1"
	dump
	has dump '^flags 4 .* dropped 0$'
	echo "$(sed -n 's/^thread 1 .*done \([0-9]*\).*/\1/p' dump):" \
		"$(sed -n 's/^sync 1 op [0-9]* object \(.*\) order \(.*\) result \(.*\)/\1 \2 \3,/p' dump)"
}
expect() { same "$(steps "$1" | tr '\n' ' ')" "$2 "; }

program p <<'E'
#include "recorded.h"
#include <errno.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static int ready;
static struct timespec soon(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if ((t.tv_nsec += 10000000) >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
	return t;
}
static void *locks(void *unused) { pthread_mutex_lock(&m); return unused; }
static void *wakes(void *unused)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return unused;
}
static void *posts(void *unused) { sem_post(&sem); return unused; }
static void *meets(void *unused) { pthread_barrier_wait(&barrier); return unused; }
static void *reads_locked(void *unused) { pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw); return unused; }
static void *runs_once(void *routine) { pthread_once(&once, (void (*)(void))routine); return NULL; }
static void *exits(void *unused) { pthread_exit(unused); }
static void nothing(void) {}
static int eleven(void *unused) { (void)unused; thrd_exit(11); }
static void run(void *(*f)(void *))
{
	pthread_t t;
	pthread_create(&t, NULL, f, (void *)nothing);
	pthread_join(t, NULL);
}
int main(int argc, char **argv)
{
	const char *s = argv[1];
	struct timespec t = soon();
	pthread_t id;
	int status;
	mtx_t mtx;
	once_flag flag = ONCE_FLAG_INIT;
	if (!strcmp(s, "try")) {
		run(locks);
		errno = 5;
		if (pthread_mutex_trylock(&m) != EBUSY || pthread_mutex_timedlock(&m, &t) != ETIMEDOUT || errno != 5) return 1;
	}
	if (!strcmp(s, "cond")) {
		pthread_mutex_lock(&m);
		pthread_create(&id, NULL, wakes, NULL);
		while (!ready) pthread_cond_wait(&c, &m);
		if (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT) return 1;
		pthread_mutex_unlock(&m);
	}
	if (!strcmp(s, "spin")) {
		pthread_spin_init(&spin, 0);
		pthread_spin_lock(&spin);
		if (pthread_spin_trylock(&spin) != EBUSY) return 1;
		pthread_spin_unlock(&spin);
	}
	if (!strcmp(s, "rwlock")) {
		pthread_rwlock_rdlock(&rw);
		run(reads_locked);
		if (pthread_rwlock_trywrlock(&rw) != EBUSY) return 1;
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_wrlock(&rw);
		pthread_rwlock_unlock(&rw);
	}
	if (!strcmp(s, "sem")) {
		sem_init(&sem, 0, 1);
		sem_wait(&sem);
		if (sem_trywait(&sem) != -1 || errno != EAGAIN) return 1;
		run(posts);
		sem_wait(&sem);
		sem_post(&sem);
	}
	if (!strcmp(s, "barrier")) {
		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&id, NULL, meets, NULL);
		pthread_barrier_wait(&barrier);
		pthread_join(id, NULL);
	}
	if (!strcmp(s, "once")) {
		run(runs_once);
		pthread_once(&once, nothing);
		call_once(&flag, nothing);
		call_once(&flag, nothing);
	}
	if (!strcmp(s, "threads")) {
		if (pthread_join(pthread_self(), NULL) != EDEADLK) return 1;
		run(exits);
		pthread_create(&id, NULL, exits, NULL);
		pthread_detach(id);
	}
	if (!strcmp(s, "c11")) {
		mtx_init(&mtx, mtx_plain);
		mtx_lock(&mtx);
		if (mtx_trylock(&mtx) != thrd_busy) return 1;
		mtx_unlock(&mtx);
		if (thrd_create(&id, eleven, NULL) || thrd_join(id, &status) || status != 11) return 2;
	}
	return 0;
}
E
expect try '4: t1 1 0, t1 2 0, 0 1 16, 0 1 110,'
expect cond '7: 1 1 0, t1 1 0, 1 3 0, 1 4 110,'
expect spin '3: 1 1 0, 0 1 16,'
expect rwlock '7: 1 1 0, t1 1 0, t1 2 0, 0 1 16, 1 4 0,'
expect sem '6: 1 1 0, 0 1 11, t1 1 0, t1 2 0, 1 3 0,'
# Only who comes before the routine has run has a place in the order.
expect once '6: t1 1 0, t1 2 0, 2 1 1,'
expect threads '5: 0 1 35, t1 1 0, t1 2 0, t2 1 0,'
expect c11 '5: 1 1 0, 0 1 16, t1 1 0, t1 2 0,'
steps barrier >/dev/null
same "$(sed -n 's/^sync [0-9:]* op [0-9]* object 1 order \([0-9]*\) result .*/\1/p' dump | sort -n | head -n 1)" 1
same "$(grep -c 'result 4294967295' dump)" 1
