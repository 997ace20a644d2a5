# error() of the C library is known, and ends a run as exit does where it is given a status.
cat >p.c <<'P'
#include "race.h"
#include <error.h>
int main(void)
{
	both(10, 10);
	error(0, 0, "%s", "added");
	if (total != want)
		error(3, 0, "lost: %ld of %ld", want - total, want);
	return 0;
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
rethread record ./p 2>err || true
! grep 'from outside' err || fail "$(cat err)"
rethread record --until-failure ./p 2>err && fail "no failure"
has err 'exit status 3'
rethread reproduce >out
rethread replay -n 5 >out
has out '^reproduced 5/5$'
