# What makes no program is as clang makes it.
echo 'int add(int a, int b) { return a + b; }' >a.c
echo '#include "a.h"' >b.c
echo 'int b;' >a.h
rethread cc -c a.c
rethread cc -c -o other.o a.c
nm a.o | grep -q 'T add' && nm other.o | grep -q 'T add' || fail "no symbol"
readelf -SW a.o | grep -q llvm.lto || fail "no bitcode in the object"
same "$(rethread cc -E -P b.c)" 'int b;'
same "$(rethread cc -MM b.c)" 'b.o: b.c a.h'
rethread cc -S a.c -o a.s
grep -q 'add:' a.s || fail "no assembly"
rethread cc -c a.s -o a2.o
rethread cc -c -MD -MF dep a.c && [ -s dep ] || fail "no dependency file"
rethread cc -fsyntax-only -Werror a.c
rethread cc --version | grep -q clang || fail "no version"
same "$(rethread cc -dumpmachine)" "$(clang-19 -dumpmachine)"
echo 'int f(void) { return 1 }' >bad.c
status 1 rethread cc -c bad.c 2>err
has err "bad.c:1:.*error"
status 1 rethread cc bad.c 2>err
has err "bad.c:1:.*error"
status 1 rethread cc 2>err
has err "no input files"
