# A race inside of a project's own shared library is recorded, reproduced and replayed: libcount needs libstore, the program names only
# libcount; some objects have no bitcode, some come out of archives.
mkdir -p lib
cat >store.c <<'P'
static long cells[4];
static int ready;
__attribute__((constructor)) static void start(void) { ready = 1; }
long store_get(int i) { return ready ? cells[i] : -1000; }
void store_set(int i, long v) { cells[i] = v; }
P
cat >count.c <<'P'
#include <pthread.h>
#include <sched.h>
long store_get(int), step(void);
void store_set(int, long);
static void *work(void *arg) {
	for (int i = 0; i < 50; i++) {
		long v = store_get(1);
		if (i % 8 == 0)
			sched_yield();
		store_set(1, v + step());
	}
	return arg;
}
long count(int n) {
	pthread_t t[8];
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], 0);
	return store_get(1);
}
P
printf '.globl step\n.hidden step\nstep: mov $1, %%eax\nret\n.section .note.GNU-stack,"",@progbits\n' >step.s
cat >main.c <<'P'
#include <assert.h>
#include <stdio.h>
long count(int);
int main(void) {
	long n = count(2);
	assert(n == 100);
	return 0;
}
P
rethread cc -O2 -g -fPIC -c store.c count.c step.s
ar rcs libparts.a count.o step.o
rethread cc -shared -Wl,-soname,libstore.so.1 -o lib/libstore.so.1 store.o
ln -s libstore.so.1 lib/libstore.so
rethread cc -shared -o lib/libcount.so -Wl,--whole-archive libparts.a -Wl,--no-whole-archive -Llib -lstore -pthread
rethread cc -O2 -g main.c -Llib -lcount -Wl,-rpath-link,lib -pthread -o p 2>err
same "$(cat err)" ""
recordable p
readelf -dW p >out
if grep -q 'libcount\|libstore' out; then fail "still needed: $(cat out)"; fi
rethread analyze p >out
has out '^count.c' '^store.c'
rethread record --until-failure --runs 3000 -- ./p >/dev/null 2>err || :
has err '^rethread: trace: '
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 20 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 20/20$'
rethread explain >out
has out 'store.c:5'

# The libraries are ordinary ones all the same: for other compilers, and when asked to.
clang-19 main.c -Llib -lcount -Wl,-rpath,"$PWD/lib" -Wl,-rpath-link,lib -o plain
readelf -dW plain >out
has out 'libcount.so'
RETHREAD_KEEP_SHARED=all rethread cc main.c -Llib -lcount -Wl,-rpath,"$PWD/lib" -Wl,-rpath-link,lib -o kept
readelf -dW kept >out
has out 'libcount.so'
RETHREAD_KEEP_SHARED=libx.so:libstore.so.1 rethread cc main.c -Llib -lcount -Wl,-rpath,"$PWD/lib" -o half
readelf -dW half >out
has out 'libstore.so.1'
if grep -q libcount out; then fail "libcount was to be taken in"; fi
