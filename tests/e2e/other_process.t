# Memory that another process writes to, too: what it wrote is in no log, and that is said.
cat >both.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *box;
static void *watch(void *unused)
{
	while (box[0] < 3)
		sched_yield();
	if (box[1] != 9)
		abort();
	return unused;
}
int main(void)
{
	pthread_t t;
	box = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fork()) {
		for (int i = 1; i < 4; i++)
			box[0] = i;
		usleep(100000);
		box[1] = 9; /* bug: too late */
		_exit(0);
	}
	pthread_create(&t, NULL, watch, NULL);
	return pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread -o both both.c
rethread record -q --until-failure --runs 20 ./both >rec 2>&1 || true
rethread reproduce --engine solve --budget 20 >out 2>&1 && fail "$(cat out)"
grep -q 'has mapped 4096 bytes with MAP_SHARED, and what another process writes there is not recorded' out || fail "$(cat out)"
! grep -q ': proven' out
