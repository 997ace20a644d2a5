# What a thread went by may be a copy of a table, which it read in other pieces than others write it: a publisher copies the list of views in one critical section; meanwhile one of them
# is taken from the list, and closed.
cat >views.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
enum { VIEWS = 12 };
struct view { pthread_mutex_t lock; int open, last; };
static struct view views[VIEWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int listed[VIEWS], rounds;
static pthread_barrier_t begin;
static void show(struct view *v, int number)
{
	pthread_mutex_lock(&v->lock);
	assert(v->open); /* shows */
	v->last = number;
	pthread_mutex_unlock(&v->lock);
}
static void *publisher(void *p)
{
	pthread_barrier_wait(&begin);
	for (int n = 0; n < 60; n++) {
		int now[VIEWS];
		pthread_mutex_lock(&lock);
		for (int i = 0; i < VIEWS; i++)
			now[i] = listed[i]; /* copies */
		rounds++;
		pthread_mutex_unlock(&lock);
		for (int i = 0; i < VIEWS; i++)
			if (now[i]) {
				sched_yield();
				show(&views[i], n);
			}
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_barrier_init(&begin, NULL, 2);
	for (int i = 0; i < VIEWS; i++) {
		pthread_mutex_init(&views[i].lock, NULL);
		views[i].open = listed[i] = 1;
	}
	pthread_create(&t, NULL, publisher, NULL);
	pthread_barrier_wait(&begin);
	for (int i = 0; i < VIEWS; i++) {
		usleep(10);
		pthread_mutex_lock(&lock);
		listed[i] = 0; /* takes it away */
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&views[i].lock);
		views[i].open = 0; /* closes */
		pthread_mutex_unlock(&views[i].lock);
	}
	pthread_join(t, NULL);
}
P
line() { grep -n "$1" views.c | cut -d: -f1; }
rethread cc -O2 -g -pthread views.c -o views
status 134 rethread record -q --until-failure --runs 3000 ./views 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short "In short: thread 1:1 went by what it had read in listed[^ ]* \(views.c:$(line copies)\) when it read views\[[0-9]+\].open \(views.c:$(line shows)\); in between thread 1 had changed the one \(views.c:$(line 'takes it')\) and the other \(views.c:$(line closes)\); thread 1:1 had given up lock by then\."
