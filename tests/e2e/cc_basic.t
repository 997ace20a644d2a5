# Compile and link at once: same output and status as clang's program, for every -O level.
cat >p.c <<'E'
#include <stdio.h>
int main(int n, char **v) { printf("%d %s\n", n, n > 1 ? v[1] : "-"); return n + 1; }
E
for o in -O0 -O1 -O2 -O3 -Os "-O2 -g" "-O2 -g0" "-no-pie" "-O2 -fuse-ld=lld" "-O2 -flto" "-O1 -ffunction-sections -Wl,--gc-sections" "-O2 -Wl,-s"; do
	rethread cc $o -Wall -Werror p.c -o p
	recordable p
	same "$(./p x 'a b')" '3 x' || true
	status 4 ./p x y >out
	same "$(cat out)" "3 x"
done
rethread cc p.c
recordable a.out
