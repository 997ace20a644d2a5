# A lock of one's own on a futex: what it hands to the kernel is not guessed, and the paths are found again.
cat >futex.c <<'P'
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int word; /* 0 free, 1 taken, 2 taken and waited for */
static int guarded;

static void lock(void)
{
	int was = 0;
	if (atomic_compare_exchange_strong(&word, &was, 1))
		return;
	if (was != 2)
		was = atomic_exchange(&word, 2);
	while (was) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, was == 1 ? 2 : was, NULL, NULL, 0);
		was = atomic_exchange(&word, 2);
	}
}

static void unlock(void)
{
	int was = atomic_exchange(&word, 0);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, was - 1, NULL, NULL, 0);
}

static void *work(void *p)
{
	for (int i = 0; i < 200; i++) {
		lock();
		guarded++;
		unlock();
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (guarded == 400)
		abort();
	return 0;
}
P
rethread cc -O2 -g -pthread -o futex futex.c
rethread record -q -o trace ./futex 2>err || true
grep -q 'syscall' err && fail "$(cat err)"
test "$(rethread dump --no-lines trace | grep -c rethread_futex_wake)" -ge 400
rethread reproduce --engine solve --budget 40 -v trace >out 2>&1 || fail "$(cat out)"
has out ' 0 assumptions' 'reproduced and proven by replay'
rethread replay -n 10 trace >out 2>&1
has out '^reproduced 10/10$'
