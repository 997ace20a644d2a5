# Scheme rw: what a library that rethread knows nothing of does to memory that threads share is one step, and comes in the
# recorded order again; a call of it that waits for another thread holds nobody up for long.
cat >foreign.c <<'C'
#include <sys/syscall.h>
struct list { int n, items[4000]; };
void append(struct list *l, int value)
{
	int n = l->n;
	for (volatile int i = 0; i < 30; i++)
		;
	l->items[n] = value;
	l->n = n + 1;
}
long waits(int fd)
{
	char c;
	long n;
	__asm__ volatile("syscall" : "=a"(n) : "a"(SYS_read), "D"(fd), "S"(&c), "d"(1) : "rcx", "r11", "memory");
	return n;
}
C
cat >p.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
struct list { int n, items[4000]; };
void append(struct list *, int);
long waits(int);
static struct list list;
static int fds[2];
static volatile int others;
static void *add(void *me)
{
	for (int i = 0; i < 300; i++) {
		append(&list, (int)(long)me * 1000 + i);
		if (i % 50 == 0)
			sched_yield();
	}
	others++;
	return 0;
}
static void *hears(void *x)
{
	printf("%ld heard\n", waits(fds[0]));
	return x;
}
int main(void)
{
	pthread_t t[4];
	pipe(fds);
	pthread_create(&t[3], 0, hears, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, add, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	write(fds[1], "", 1);
	pthread_join(t[3], 0);
	unsigned sum = 0;
	for (int i = 0; i < list.n; i++)
		sum = sum * 31 + (unsigned)list.items[i];
	printf("%d in the list, %u\n", list.n, sum);
	return 3;
}
C
clang-19 -O1 -fPIC -shared foreign.c -o libforeign.so
rethread cc -O1 -g -pthread p.c -L. -lforeign -Wl,-rpath,"$PWD" -o p
for scheme in rw rw:leap; do
	status 3 timeout 60 rethread record --scheme $scheme -- ./p >recorded 2>err
	has recorded '^900 in the list'
	rethread reproduce >out 2>&1 || fail "$(cat out)"
	rethread replay -v -n 10 >out 2>err || fail "$(cat out err)"
	[ "$(grep -c "^$(tail -n 1 recorded)\$" out)" = 10 ] || fail "$(cat recorded out)"
done
