# Backtraces that a program takes and compares (C++ libraries do when exceptions are thrown) are those of the recorded run; the runtime is not in them.
cat >p.c <<'P'
#include "race.h"
#include <execinfo.h>
__attribute__((noinline)) static int deeper(void **frames)
{
	int n = backtrace(frames, 16);
	__asm__ volatile("" ::: "memory");
	return n;
}
int main(void)
{
	void *a[16], *b[16];
	int n = backtrace(a, 16), m = deeper(b), same = 0;
	while (same < n && same < m && a[n - 1 - same] == b[m - 1 - same])
		same++;
	if (m != n + 1 || same != n - 1)
		return 4;
	printf("%d frames\n", n);
	both(same + 5, backtrace(a, 2) + 5);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
got=0
rethread record --until-failure -- ./p >recorded 2>err || got=$?
[ $got = 134 ] || fail "status $got: $(cat err)"
clang-19 -O2 -I"$ROOT/tests/e2e" p.c -o native
{ ./native || true; } >out 2>err
same "$(head -n 1 recorded)" "$(head -n 1 out)"
status 0 rethread reproduce --engine solve --budget 60 >out
has out 'reproduced and proven by replay'
