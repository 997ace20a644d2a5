# --until-failure keeps the first failing run only; --runs bounds it; --fail-if judges by the output.
cat >p.c <<'E'
#include <stdio.h>
#include <stdlib.h>
/* Counts its runs in a file; fails in the n-th. */
int main(int argc, char **v) {
	int k = 0;
	FILE *f = fopen("count", "r");
	if (f) { if (fscanf(f, "%d", &k) != 1) k = 0; fclose(f); }
	f = fopen("count", "w");
	fprintf(f, "%d", ++k);
	fclose(f);
	printf("run %d\n", k);
	return argc > 1 && k == atoi(v[1]) ? 3 : 0;
}
E
rethread cc p.c -o p
status 3 rethread record --until-failure ./p 4 >out 2>err
same "$(cat out)" "$(printf 'run 1\nrun 2\nrun 3\nrun 4')"
has err 'run 4: exit status 3'
has "$(latest)/meta.json" ',tries=0,' # every second run takes locks otherwise
same "$(rethread ls | wc -l)" 1
rm count
status 0 rethread record --until-failure --runs 3 ./p 2>err >out
has err 'no failure in 3 runs' '.rethread hunt. chooses the order'
same "$(rethread ls | wc -l)" 1
rm count
status 0 rethread record --until-failure --fail-if 'grep -q "run 2"' ./p >out 2>err
has err 'run 2: predicate: grep'
same "$(cat out)" "$(printf 'run 1\nrun 2')"
same "$(cat "$(latest)/output")" 'run 2'
rm count
rethread record -o "$PWD/mine" ./p >out 2>err
has err 'no failure'
has mine/meta.json '"kind": "none"'
! grep -q tries mine/meta.json || fail "the first run takes locks otherwise"
same "$(latest)" "$PWD/mine"

# Every run finds the same standard input when it is a file, from where it stood; a pipe cannot be read again, and that is said.
cat >counts.c <<'P'
#include <stdio.h>
int main(void)
{
	int n = 0;
	while (getchar() != EOF)
		n++;
	fprintf(stderr, "read %d\n", n);
	return 0;
}
P
rethread cc counts.c -o counts
printf '0123456789' >ten
{ dd bs=1 count=3 of=/dev/null 2>dd.err; rethread record --until-failure --runs 3 ./counts 2>err; } <ten
same "$(grep -c '^read 7$' err)" 3
{ printf abc; sleep 1; } | { sleep 0.3; rethread record --until-failure --runs 2 ./counts 2>err; }
has err 'read 3' 'read 0' 'standard input is a pipe'
