# A thread claims something, another takes that back, a third claims it, and the first goes on as if it had it: three writes in a row, each under the lock, and nobody reads what is gone.
cat >seats.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
enum state { FREE, HELD, SOLD };
static struct seat { pthread_mutex_t lock; enum state state; } seats[3];
static int sold;
static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static int reserve(struct seat *s)
{
	pthread_mutex_lock(&s->lock);
	int mine = s->state == FREE;
	if (mine)
		s->state = HELD;
	pthread_mutex_unlock(&s->lock);
	return mine;
}
static void buy(struct seat *s, int pause)
{
	if (!reserve(s))
		return;
	usleep(pause);
	pthread_mutex_lock(&s->lock);
	s->state = SOLD; /* it may have been freed */
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_lock(&till);
	sold++;
	pthread_mutex_unlock(&till);
}
static void *slow(void *p)
{
	for (int i = 0; i < 3; i++)
		buy(&seats[i], i == 1 ? 60000 : 0);
	return p;
}
static void *sweeper(void *p)
{
	usleep(20000);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&seats[i].lock);
		if (seats[i].state == HELD)
			seats[i].state = FREE;
		pthread_mutex_unlock(&seats[i].lock);
	}
	return p;
}
static void *late(void *p)
{
	usleep(40000);
	for (int i = 0; i < 3; i++)
		buy(&seats[i], 0);
	return p;
}
int main(void)
{
	pthread_t t[3];
	void *(*const all[])(void *) = {slow, sweeper, late};
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&seats[i].lock, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(sold <= 3);
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread seats.c -o seats
	status 134 rethread record -q --until-failure --runs 100 ./seats 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	tr -s ' \n' ' ' <out >text
	has text 'In short: thread 1:1 wrote seats\[1\].state \(seats.c:13\), thread 1:2 changed that \(seats.c:41\), thread 1:3 went by the change \(seats.c:11\), and thread 1:1 wrote again without having looked \(seats.c:23\)\.' \
		'Who came in between: thread 1:1 wrote seats\[1\].state: HELD seats.c:13 .*then thread 1:2 wrote it: FREE seats.c:41 .*and thread 1:3 read it: FREE seats.c:11 .*then thread 1:1 wrote it: SOLD seats.c:23 .*thread 1:1 had not looked again: what it had written before was gone, and thread 1:3 had gone by that each time with seats\[1\].lock locked, which thread 1:1 gave up between its two accesses'
done
