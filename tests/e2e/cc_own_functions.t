# A function that rethread has as bitcode in the C library's place, and an archive of the program's own as well: the program's counts,
# wherever the archive stands. Without such an archive it is ours.
cat >mine.c <<'P'
#include <stddef.h>
#include <stdio.h>
void qsort(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	(void)p, (void)n, (void)size, (void)compare;
	puts("my qsort");
}
char *strtok(char *text, const char *delimiters)
{
	(void)text, (void)delimiters;
	return "my strtok";
}
P
cat >main.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int by(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int v[] = {3, 1, 2};
	char t[] = "a b";
	qsort(v, 3, sizeof *v, by);
	printf("%d %d %d %s\n", v[0], v[1], v[2], strtok(t, " "));
}
P
rethread cc -g -O1 -fno-builtin -c mine.c main.c
ar rcs libmine.a mine.o
for libraries in libmine.a '-L. -lmine' '-lm -L. -lmine' '-Wl,--whole-archive libmine.a -Wl,--no-whole-archive'; do
	rethread cc main.o $libraries -o p
	same "$(./p)" "my qsort
3 1 2 my strtok"
done
# The C library named before: then that is where they come from, or from us.
rethread cc main.o -lc libmine.a -o p
same "$(./p)" '1 2 3 a'
rethread cc main.o -o p
same "$(./p)" '1 2 3 a'
nm p | grep -q ' [tTW] qsort' || fail "qsort is not the program's code: $(nm p | grep qsort)"
