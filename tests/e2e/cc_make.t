# A project of several files, a static library, C and C++, hand-written assembly, a foreign object and a
# shared library, with make -j; several programs from the same objects.
cat >main.c <<'E'
#include <stdio.h>
int one(void), two(void), three(void), four(void), five(void);
int main(void) { printf("%d\n", one() + two() + three() + four() + five()); return 0; }
E
echo 'int one(void) { return 1; }' >one.c
echo 'int two(void) { return 20; }' >two.c
echo '#include <string>
extern "C" int three() { return std::string(300, 0).size(); }' >three.cc
printf '.globl four\nfour: mov $4000, %%eax\nret\n.section .note.GNU-stack,"",@progbits\n' >four.s
echo 'int five(void) { return 50000; }' >five.c
clang-19 -O2 -c five.c -o foreign.o
cat >Makefile <<'E'
CC = rethread-cc
CXX = rethread-c++
all: p q
p q: main.o libone.a three.o four.o foreign.o libtwo.so
	$(CXX) -o $@ main.o three.o four.o foreign.o -L. -lone -ltwo -Wl,-rpath,$(CURDIR)
libone.a: one.o
	ar rcs $@ $^
libtwo.so: two.c
	$(CC) -shared -fPIC -O2 -o $@ $^
E
make -s -j4
recordable p
recordable q
same "$(./p)" 54321
same "$(./q)" 54321
