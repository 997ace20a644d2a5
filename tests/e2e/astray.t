# While inference does not know yet what races, it calls the wrong function through a table, and that reads the other one's path: it comes to
# where the compiler says that nobody comes. That is a guess to be revised, not a program that cannot be followed.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile unsigned pos, kind = 1;
static unsigned sums[4];
static __attribute__((noinline)) unsigned by_kind(unsigned x)
{
	switch (kind & 3) {
	case 0: return x * 3;
	case 1: kind += x; return x + 7;
	case 2: kind++; return x ^ 5;
	case 3: kind += 2; return x - 1;
	}
	__builtin_unreachable();
}
static __attribute__((noinline)) unsigned by_place(unsigned x)
{
	for (unsigned i = 0; i < 5; i++)
		if (!(pos >> i & 1))
			x++;
		else
			x += 2;
	return x;
}
static unsigned (*const table[])(unsigned) = {by_kind, by_place, by_kind, by_place, by_place};
static void *work(void *arg)
{
	unsigned x = (unsigned)(long)arg;
	for (int i = 0; i < 60; i++) {
		x = table[pos % 5](x);
		pos += x & 3;
		if (i % 5 == 0)
			sched_yield();
	}
	sums[(long)arg] = x;
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 1;
}
P
rethread cc -O3 -g -pthread p.c -o p
for i in 1 2 3 4 5; do
	status 1 rethread record -q ./p
	rethread dump >out 2>err
	same "$(cat err)" ""
	has out '^  line by_kind at p.c:' '^  line by_place at p.c:'
done
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'reproduced and proven by replay'
