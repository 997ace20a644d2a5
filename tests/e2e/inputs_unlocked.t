# Functions that <stdio.h> makes of macros read the stream's buffer themselves.
cat >p.c <<'P'
#include "race.h"
int main(void)
{
	for (int c, d; (c = getchar_unlocked()) != EOF && (d = getc_unlocked(stdin)) != EOF;)
		both(c % 20, d % 20);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
printf 'read by bytes\n' >stdin
reproduced stdin ./p
