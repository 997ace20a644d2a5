# What a function that no table has returned is not in the log: with something else from it nothing explains the log, and that proves nothing.
cat >slots.c <<'P'
long slots[2];
static long calls;
/* The same for both threads when it is recorded, later not: as an allocator that is not locked. */
long *slot(void)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(21L), "D"("mark"), "S"(0L) : "rcx", "r11", "memory");
	return &slots[result ? calls++ & 1 : 0];
}
P
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
extern long slots[2];
long *slot(void);
static pthread_barrier_t all;
static void *work(void *id)
{
	volatile long *mine = slot();
	*mine = (long)id;
	pthread_barrier_wait(&all);
	if (*mine != (long)id)
		abort();
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	long sum = 0;
	pthread_barrier_init(&all, NULL, 2);
	pthread_create(&a, NULL, work, (void *)1);
	pthread_create(&b, NULL, work, (void *)2);
	for (int i = 0; i < 100; i++)
		sum += ((volatile long *)slots)[i & 1];
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sum == -1;
}
P
clang-19 -c slots.c -o slots.o
rethread cc -O1 -g -pthread -o p p.c slots.o
touch mark
rethread record -q --until-failure ./p 2>/dev/null || true
rm mark
rethread reproduce --engine solve --budget 20 >out 2>&1 || true
! grep -q 'explains the log: proven' out || fail "$(cat out)"
has out 'which proves nothing: '
