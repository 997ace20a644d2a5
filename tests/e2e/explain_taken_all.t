# Who takes all that is in a list leaves it empty, also where it was empty, and then waits in a pipe to be woken: what it had found is told, who has put something there since,
# and that the other had looked whether it sleeps before it said so.
cat >mail.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
struct mail { struct mail *next; };
static struct mail *box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sleeps, fd[2];
static struct mail *take_all(void)
{
	pthread_mutex_lock(&lock);
	struct mail *all = box;
	box = NULL;
	pthread_mutex_unlock(&lock);
	return all;
}
static void *reader(void *x)
{
	for (int left = 200; left > 0;) {
		struct mail *m = take_all();
		if (!m) {
			char c;
			sched_yield();
			__atomic_store_n(&sleeps, 1, __ATOMIC_SEQ_CST); /* and does not look again */
			if (read(fd[0], &c, 1) != 1)
				abort();
		}
		for (struct mail *next; m; m = next, left--) {
			next = m->next;
			free(m);
		}
	}
	return x;
}
int main(void)
{
	pthread_t t;
	if (pipe(fd))
		return 1;
	pthread_create(&t, NULL, reader, NULL);
	for (int i = 0; i < 200; i++) {
		struct mail *m = malloc(sizeof *m);
		pthread_mutex_lock(&lock);
		m->next = box;
		box = m;
		pthread_mutex_unlock(&lock);
		if (__atomic_exchange_n(&sleeps, 0, __ATOMIC_SEQ_CST) && write(fd[1], "", 1) != 1)
			abort();
	}
	pthread_join(t, NULL);
}
P
rethread cc -O2 -g -pthread mail.c -o mail
status 124 rethread record -q --until-failure --runs 2000 --timeout 2 ./mail 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 waits for ever \(mail.c:25\)\. It had found box = NULL \(mail.c:12\), which thread 1 changed since to &mail(#[0-9]+)? \(mail.c:45\); thread 1 had looked at sleeps \(mail.c:47\) before thread 1:1 wrote it \(mail.c:24\)\.'
