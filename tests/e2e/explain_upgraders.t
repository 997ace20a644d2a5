# Two readers of a lock of the program's own both want to write, and each waits for the other to stop reading: after solve, and of what hunt finds.
cat >upgrade.c <<'P'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writer, table[16];
static void begin_read(void)
{
	pthread_mutex_lock(&m);
	while (writer)
		pthread_cond_wait(&changed, &m);
	readers++; /* reads */
	pthread_mutex_unlock(&m);
}
static void become_writer(void)
{
	pthread_mutex_lock(&m);
	while (readers > 1 || writer) /* asks */
		pthread_cond_wait(&changed, &m); /* waits */
	writer = 1;
	pthread_mutex_unlock(&m);
}
static void end(void)
{
	pthread_mutex_lock(&m);
	writer = 0;
	readers--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
}
static void *client(void *p)
{
	for (int i = 0; i < 16; i++) {
		begin_read();
		if (!table[i]) {
			become_writer();
			table[i] = 1;
		}
		end();
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, client, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
both_wait() {
	rethread explain "$1" >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has out 'after it had read readers: 2' 'which thread 1:[12] had written: [12]; it waits for ever as well'
	line() { grep -n "/\* $1" upgrade.c | cut -d: -f1; }
	has short "In short: thread 1:[12] waits for ever for a signal of changed \(upgrade.c:$(line waits)\). It had found readers = 2 \(upgrade.c:$(line asks)\); thread 1:[12], which had written that \(upgrade.c:$(line reads)\), waits for ever as well \(upgrade.c:$(line waits)\)\."
}
rethread cc -O1 -g -pthread upgrade.c -o upgrade
status 124 rethread record -q --until-failure --runs 3000 --timeout 5 -o stuck ./upgrade 2>err
rethread reproduce --engine solve --budget 60 stuck >out 2>&1 || fail "$(cat out)"
both_wait stuck
status 124 rethread hunt -q --runs 2000 -o hunted ./upgrade 2>err
rethread reproduce hunted >out 2>&1 || fail "$(cat out)"
both_wait hunted
