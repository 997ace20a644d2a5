# Options that could get in the way, each with the same program: it works as clang's does, and is recordable or said not to be.
cat >a.c <<'P'
#include <pthread.h>
#include <stdio.h>
int f(int);
static int g;
static void *w(void *x) { g += f(3); return x; }
int main(int argc, char **argv) {
	(void)argv;
	pthread_t t;
	pthread_create(&t, 0, w, 0);
	pthread_join(t, 0);
	printf("%d\n", g + argc);
	return 0;
}
P
echo 'int f(int x) { return x * 2; }' >f.c

# works HOW ARGUMENTS...: HOW is `quietly', or what is said
works() {
	local how=$1
	shift
	rm -f p
	rethread cc "$@" -o p 2>err || fail "$*: $(cat err)"
	same "$(./p)" 7
	recordable p
	if [ "$how" = quietly ]; then same "$(cat err)" ""; else has err "$how"; fi
}
# plain WHY ARGUMENTS...: not instrumented, which is said
plain() {
	local why=$1
	shift
	rm -f p
	rethread cc "$@" -o p 2>err || fail "$*: $(cat err)"
	has err "$why"
	same "$(./p)" 7
	readelf -SW p >out
	if grep -q rethread.bc out; then fail "instrumented all the same: $*"; fi
}

# Response files are looked into.
echo '-O2 a.c f.c -fuse-ld=gold' >r
works 'fuse-ld=gold is ignored' @r
echo '-c a.c -flto=thin -o a.o' >r
rethread cc @r
works quietly a.o f.c
# Libraries that the user names himself.
works quietly -nodefaultlibs a.c f.c -lc
works quietly -static-libgcc a.c f.c
# What the linker prints is printed, once, where it prints it.
works quietly a.c f.c -Wl,-t >printed
same "$(grep -c 'crti.o$' printed)" 1
rethread cc -Wl,--version >printed 2>err
has printed LLD
same "$(cat err)" ""
# Links of objects that were made in other ways.
works 'fno-lto is ignored' -fno-lto a.c f.c
rethread cc -c a.c
rethread cc -c -fno-lto f.c
works quietly a.o f.o
rethread cc -c -fno-lto a.c
plain 'no object made by rethread cc' a.o f.o
works 'ld-path=.* is ignored' --ld-path=/usr/bin/ld.bfd a.c f.c
works 'is ignored' -fno-fat-lto-objects a.c f.c
rethread cc -emit-llvm -c a.c -o a.bc
works quietly a.bc f.c
rethread cc -O1 -E a.c -o a.i
rethread cc -S f.c
works quietly a.i f.s
# Partial links: recordable if all parts are.
rethread cc -c -g a.c f.c
rethread cc -r a.o -o r1.o
rethread cc -r r1.o f.o -o r2.o
works quietly r2.o
rethread analyze p >out
has out '3 functions'
printf '.globl f\nf: mov $6, %%eax\nret\n.section .note.GNU-stack,"",@progbits\n' >asm.s
rethread cc -c asm.s
works quietly a.o asm.o
rethread cc -r a.o asm.o -o r3.o 2>err
has err 'r3.o will not be recorded: asm.o has no bitcode'
plain 'no object made by rethread cc' r3.o
# Precompiled headers.
printf '#include <stdio.h>\n#include <pthread.h>\n' >pre.h
rethread cc -x c-header pre.h -o pre.h.pch
works quietly -include-pch pre.h.pch a.c f.c
# Sanitizers: those that leave no room for a recorder are left alone; others are linked, in shared libraries too.
plain 'fsanitize=thread is not instrumented' -fsanitize=thread a.c f.c
works quietly -fsanitize=undefined a.c f.c
works quietly -fsanitize=address a.c f.c
rethread cc -fsanitize=address -fPIC -shared f.c -o libf.so
works quietly -fsanitize=address a.c ./libf.so
# Programs that cannot have a recorder.
cat >m.c <<'P'
#include <stddef.h>
static char bytes[1 << 20];
static size_t used;
void *malloc(size_t n) { void *p = bytes + used; used += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
P
plain 'p defines malloc itself' a.c f.c m.c
plain 'linked statically' -static a.c f.c
plain 'linked statically' -static-pie a.c f.c
echo 'void _start(void) { __asm__ volatile("mov $60, %eax; mov $9, %edi; syscall"); }' >n.c
rethread cc -nostdlib -ffreestanding n.c -o n 2>err
has err 'without the C library'
status 9 ./n
# What a configure script asks.
for name in pthread_create malloc memcpy printf longjmp sigaction exit; do
	printf 'char %s ();\nint main (void) { return %s (); }\n' $name $name >conftest.c
	rethread cc -o conftest -g -O2 conftest.c 2>err || fail "$name: $(cat err)"
done
printf 'char no_such ();\nint main (void) { return no_such (); }\n' >conftest.c
status 1 rethread cc -o conftest conftest.c 2>err
# More arguments than a process can have.
seq -f '-Wl,-rpath-link,/a/folder/that/has/quite/a/long/name/indeed/so/that/these/are/many/bytes/%.0f' 16000 >r
works quietly @r a.c f.c
