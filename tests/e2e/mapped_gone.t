# A table is mapped anew and the old one unmapped while a thread still uses it: whoever went on had used it before, who did not came after.
cat >p.c <<'P'
#include "race.h"
#include <sys/mman.h>
enum { N = 1024 };
static long *volatile table;
static long *map(long first)
{
	long *p = mmap(NULL, N * sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < N; i++)
		p[i] = first + i;
	return p;
}
static void *look(void *x)
{
	long sum = 0;
	for (int i = 0; i < 30; i++) {
		long *t = table;
		sched_yield();
		sum += t[i * 7 % N];
		t[i] = sum & 0xff;
	}
	return x;
}
static void *change(void *x)
{
	for (int i = 0; i < 3; i++) {
		long *old = table;
		table = map(i);
		sched_yield();
		assert(!munmap(old, N * sizeof *old));
	}
	return x;
}
int main(void)
{
	pthread_t a, b;
	table = map(0);
	pthread_create(&a, 0, look, 0);
	pthread_create(&b, 0, change, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
P
rethread cc -O1 -g -I"$ROOT/tests/e2e" p.c -o p
for i in 1 2 3; do
	rethread record --until-failure --runs 3000 -- ./p >/dev/null 2>err && fail "never failed: $(cat err)"
	has err 'SIGSEGV'
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not reproduced: $(cat out)"
	has out 'reproduced and proven by replay'
	rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
done
