# A thread waits for the end of one that never comes because it goes round: what that one finds is told.
cat >round.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_uint sequence;
static void *writer(void *arg)
{
	unsigned s = atomic_load(&sequence);
	usleep(arg ? 20000 : 1000);
	atomic_store(&sequence, s + 1);
	if (!arg)
		atomic_store(&sequence, s + 2);
	return NULL;
}
static void *reader(void *arg)
{
	usleep(50000);
	while (atomic_load(&sequence) & 1)
		;
	return arg;
}
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, writer, t);
	pthread_create(&t[2], NULL, reader, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread round.c -o round
status 124 rethread record --timeout 1 -- ./round 2>err
rethread reproduce --budget 30 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:3 goes round for ever: it finds sequence = [13] \(round.c:17\), which thread 1:[12] had written \(round.c:(9|11)\)'
