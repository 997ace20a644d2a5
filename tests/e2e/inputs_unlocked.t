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
# So do those that ask for the end of the file.
cat >q.c <<'P'
#include "race.h"
int main(void)
{
	char text[8];
	while (!feof_unlocked(stdin) && !ferror_unlocked(stdin))
		both(fread_unlocked(text, 1, sizeof text, stdin) % 20, 3);
	if (ungetc('x', stdin) != 'x' || feof_unlocked(stdin))
		return 4;
	both(getc(stdin) == 'x' ? 2 : 30, getc(stdin) == EOF ? 2 : 30);
	return feof_unlocked(stdin) ? judge() : 5;
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" q.c -o q
reproduced stdin ./q
