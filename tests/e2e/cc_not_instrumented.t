# What cannot be instrumented is linked as clang does, and said so where the user would expect otherwise.
cat >p.c <<'E'
#include <stdio.h>
int main(void) { puts("hello"); return 0; }
E
rethread cc -static p.c -o p 2>err
has err 'linked statically'
same "$(./p)" hello
clang-19 -c p.c
rethread cc p.o -o q 2>err
has err 'no object made by rethread cc'
same "$(./q)" hello
rethread cc -c p.c
rethread cc -r p.o -o r.o
rethread cc r.o -o r
same "$(./r)" hello
rethread cc -fuse-ld=bfd p.c -o s 2>err
has err 'fuse-ld=bfd is ignored'
recordable s
rethread cc -flto=thin -O2 p.c -o t 2>err
has err 'thin is ignored'
recordable t
status 1 rethread cc p.c -lno_such_library -o u 2>err
has err 'no_such_library'
[ ! -e u ] || fail "a failed link left its output"
echo 'int f(void); int main(void) { return f(); }' >v.c
status 1 rethread cc v.c -o v 2>err
has err 'undefined symbol: f'
if grep -q rethread: err; then fail "the user's error is told in our words: $(cat err)"; fi
