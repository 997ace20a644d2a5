# A semaphore that counts what is free is posted twice for one handle, where a query fails: another client comes in when all handles are taken. Not so where the semaphore says that work has
# come: whoever posts it does not take it.
cat >pool.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <unistd.h>
enum { HANDLES = 3, CLIENTS = 5 };
static struct { bool busy[HANDLES]; sem_t available; pthread_mutex_t guard; } pool;
static int take(void)
{
	int found = -1;
	sem_wait(&pool.available); /* comes in */
	pthread_mutex_lock(&pool.guard);
	for (int i = 0; i < HANDLES && found < 0; i++)
		if (!pool.busy[i])
			found = i;
	assert(found >= 0);
	pool.busy[found] = true;
	pthread_mutex_unlock(&pool.guard);
	return found;
}
static void give(int handle)
{
	pthread_mutex_lock(&pool.guard);
	pool.busy[handle] = false;
	pthread_mutex_unlock(&pool.guard);
	sem_post(&pool.available); /* gives back */
}
static void report_error(int handle)
{
	pthread_mutex_lock(&pool.guard);
	pool.busy[handle] = false;
	pthread_mutex_unlock(&pool.guard);
	sem_post(&pool.available); /* gives up */
}
static void *client(void *p)
{
	for (int i = 0; i < 20; i++) {
		int handle = take();
		usleep(20);
		if (i % 7 == 3)
			report_error(handle);
		give(handle);
	}
	return p;
}
int main(void)
{
	pthread_t t[CLIENTS];
	pthread_mutex_init(&pool.guard, NULL);
	sem_init(&pool.available, 0, HANDLES);
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&t[i], NULL, client, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(t[i], NULL);
}
P
line() { grep -n "/\* $1" pool.c | cut -d: -f1; }
rethread cc -O2 -g -pthread pool.c -o pool
status 134 rethread record -q --until-failure --runs 500 ./pool 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short "In short: thread 1:[1-5] posted pool.available \(pool.c:$(line 'gives back')\) once more than it had taken it: it had given it back already \(pool.c:$(line 'gives up')\); thread 1:[1-5] took it after that \(pool.c:$(line 'comes in')\)\."
has out '^What was posted too often:$'

cat >work.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t come;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int jobs;
static void *producer(void *p)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&guard);
		jobs++;
		pthread_mutex_unlock(&guard);
		sem_post(&come);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	sem_init(&come, 0, 0);
	pthread_create(&t, NULL, producer, NULL);
	for (int i = 0; i < 3; i++)
		sem_wait(&come);
	pthread_join(t, NULL);
	assert(jobs != 3);
}
P
rethread cc -O2 -g -pthread work.c -o work
status 134 rethread record -q ./work 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
! grep -q 'once more than\|posted too often' out || fail "$(cat out)"
