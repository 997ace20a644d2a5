# Who still has a reference to a local variable whose scope is over changes whatever lies there by then, in the recorded run, and only there: that no
# interleaving explains it is no proof.
cat >scope.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
struct request { volatile int answers[16]; };
static struct request *_Atomic posted;
static atomic_int asked, answered;
static void *serve(void *arg)
{
	while (!atomic_load(&asked))
		sched_yield();
	struct request *r = atomic_load(&posted);
	for (int i = 0; i < 16; i++)
		r->answers[i] = 7;
	atomic_store(&answered, 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, serve, NULL);
	{
		struct request question;
		for (int i = 0; i < 16; i++)
			question.answers[i] = 0;
		atomic_store(&posted, &question); /* bug: nobody waits for the answer */
	}
	{
		volatile int scratch[16];
		for (int i = 0; i < 16; i++)
			scratch[i] = i;
		atomic_store(&asked, 1);
		while (!atomic_load(&answered))
			sched_yield();
		int changed = 0;
		for (int i = 0; i < 16; i++)
			changed += scratch[i] != i;
		assert(!changed);
	}
	pthread_join(t, NULL);
}
P
rethread cc -O2 -g -pthread scope.c -o scope
status 134 rethread record -q ./scope 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 && fail "$(cat out)"
has out 'proves nothing' 'thread 1:1 wrote question, a local variable of thread 1, \(scope.c:14\) that may have been no more'
! grep ': proven' out || fail "$(cat out)"
