# Of a structure that threads share, what was set before there were any stays known beside what they change; and so does what main has on its stack, where it joins
# them all, also if that is under the condition under which it created them.
cat >p.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct image { int width, height; unsigned char *text; };
struct job { /* in main's stack */
	struct image *from;
	int limit;
	pthread_mutex_t mutex;
	int next, done;
	long sums[8];
};
static long row(struct job *j, int y)
{
	long sum = 0;
	for (int x = 0; x < j->from->width; x++) /* 16 */
		sum += (x * y) % 7 < j->limit;   /* 17 */
	return sum;
}
static void *work(void *arg)
{
	struct job *j = arg;
	for (;;) {
		pthread_mutex_lock(&j->mutex);
		int y = j->next < j->from->height ? j->next++ : -1;
		pthread_mutex_unlock(&j->mutex);
		if (y < 0)
			return NULL;
		long sum = row(j, y);
		int before = j->done; /* bug: not under the lock */
		sched_yield();
		j->done = before + 1;
		pthread_mutex_lock(&j->mutex);
		j->sums[y % 8] += sum;
		pthread_mutex_unlock(&j->mutex);
	}
}
int main(int argc, char **argv)
{
	int n = argc + 1;
	struct image picture = { 20, 30, NULL };
	for (int round = 0; round < argc; round++) {
		struct job j = { &picture, 4, PTHREAD_MUTEX_INITIALIZER, 0, 0, { 0 } };
		pthread_t t[8];
		for (int i = 0; i < n; i++)
			pthread_create(&t[i], NULL, work, &j);
#ifdef LATE /* bug: while they work */
		j.limit = 2;
#endif
		for (int i = 0; i < n; i++)
			pthread_join(t[i], NULL);
		picture.width++;
#ifdef LATE
		assert(j.sums[1] == 0 || j.sums[1] % 2);
#else
		assert(j.done == picture.height);
#endif
	}
	return 0;
}
C
rethread cc -O2 -g -pthread p.c -o p
rethread analyze p >out
! grep -E ' picture +p.c' out || fail "what main has on its stack counts as shared"
! grep -E '^ +17 .*recorded' out || fail "a member that nobody changes is not known"
has out ' j +p.c' # it is shared as a whole
proven_built() { # PROGRAM
	rethread record --until-failure --runs 2000 "$1" 2>err && fail "$1: no failure"
	rethread reproduce --engine solve >out 2>&1 || fail "$1: $(cat out)"
	rethread replay -n 10 >out
	has out '^reproduced 10/10$'
}
proven_built ./p
# Main changes a member while there are threads: then it is not known.
rethread cc -O2 -g -pthread -DLATE p.c -o late
rethread analyze late >out
grep -E '^ +17 +row +.*load' out >/dev/null || fail "a member that main changes meanwhile counts as nobody's"
proven_built ./late
