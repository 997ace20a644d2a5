# Without optimisation, variables of the main thread that others use lie elsewhere when explain asks what the failure rests on, since others were
# promoted there: it said that nothing of another thread's had a part in it.
cat >stock.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct stock {
	pthread_mutex_t lock;
	long items;
};
static int available(struct stock *s)
{
	pthread_mutex_lock(&s->lock);
	int any = s->items > 0;
	pthread_mutex_unlock(&s->lock);
	return any;
}
static void take(struct stock *s)
{
	pthread_mutex_lock(&s->lock);
	if (s->items == 0)
		abort();
	s->items--;
	pthread_mutex_unlock(&s->lock);
}
static void *customer(void *arg)
{
	struct stock *s = arg;
	if (available(s)) {
		usleep(20000);
		take(s);
	}
	return NULL;
}
int main(void)
{
	int first = 1, second = 2, third = first + second;
	struct stock stock = { .items = third - second };
	pthread_t t[2];
	pthread_mutex_init(&stock.lock, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, customer, &stock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O0 -g -pthread stock.c -o stock
status 134 rethread record --until-failure --runs 20 -- ./stock 2>err
rethread reproduce --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:([12]) read stock.items .*stock.c:11.*thread 1:[12] changed it \(stock.c:20\)'
