# The command lines of libtool and CMake: names with versions, links through -l and full paths, relinking for installation, copies
# that were installed and stripped; several programs at once from the same libraries.
mkdir -p .libs inst
cat >util.c <<'P'
int util(int x) { return x > 3 ? x * 2 : x; }
P
cat >foo.c <<'P'
#include <pthread.h>
int util(int);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
__thread int last; /* one for each thread, in the program and in the library */
static void helper(int n) { total += util(n); }
int foo(int n) { pthread_mutex_lock(&m); helper(n); n = total; last = n; pthread_mutex_unlock(&m); return n; }
P
cat >main.c <<'P'
#include <math.h>
#include <stdio.h>
int foo(int);
extern __thread int last;
static int helper(int n) { return foo(n) == last ? last + 1 : -1; }
int main(int argc, char **argv) { (void)argv; printf("%d %.0f\n", helper(argc + 9), floor(argc + 0.5)); return 0; }
P
for f in util foo; do
	rethread cc -g -O2 -c $f.c -fPIC -DPIC -o .libs/$f.o
	rethread cc -g -O2 -c $f.c -o $f.o >/dev/null 2>&1
done
# What libtool 2.4 runs for libutil.la (a convenience library), libfoo.la and two programs.
ar cr .libs/libutil.a .libs/util.o
rethread cc -shared -fPIC -DPIC .libs/foo.o -Wl,--whole-archive ./.libs/libutil.a -Wl,--no-whole-archive -lm -g -O2 -pthread -Wl,-soname -Wl,libfoo.so.0 -o .libs/libfoo.so.0.0.0
(cd .libs && rm -f libfoo.so.0 libfoo.so && ln -s libfoo.so.0.0.0 libfoo.so.0 && ln -s libfoo.so.0.0.0 libfoo.so)
rethread cc -g -O2 -c main.c
for p in p q; do
	rethread cc -g -O2 -o .libs/$p main.o ./.libs/libfoo.so -lm -pthread -Wl,-rpath -Wl,/nowhere/lib &
done
wait
for p in p q; do
	recordable .libs/$p
	same "$(.libs/$p)" "21 1"
	readelf -dW .libs/$p >out
	has out nowhere/lib 'libm.so'
	if grep -q libfoo out; then fail "needed: $(cat out)"; fi
done
cmp .libs/p .libs/q || fail "two links differ"
# Objects without bitcode, in a thin archive as Meson makes them; they stay what they are where they have constructors.
clang-19 -O2 -fPIC -c util.c -o .libs/foreign_util.o
(cd .libs && ar crT libthin.a foreign_util.o)
rethread cc -shared .libs/foo.o .libs/libthin.a -pthread -o libthin.so
rethread cc main.o ./libthin.so -lm -o p 2>err
same "$(cat err)" ""
same "$(./p)" "21 1"
readelf -dW p >out
if grep -q libthin out; then fail "libthin is needed"; fi
# The same in a folder of its own, with and without bitcode: the linker then names the folder, too.
for cc in clang-19 'rethread cc'; do
	mkdir -p .libs/libdeep.a.p
	$cc -O2 -fPIC -c util.c -o .libs/libdeep.a.p/util.c.o
	rm -f .libs/libdeep.a
	(cd .libs && ar csrDT libdeep.a libdeep.a.p/util.c.o)
	rethread cc -shared .libs/foo.o .libs/libdeep.a -pthread -o libdeep.so 2>err
	same "$(cat err)" ""
	rethread cc main.o ./libdeep.so -lm -o p
	same "$(./p)" "21 1"
	readelf -dW p >out
	if grep -q libdeep out; then fail "libdeep is needed"; fi
done
(cat util.c; echo 'volatile int begun; __attribute__((constructor)) static void begin(void) { begun++; }') >begin.c
clang-19 -O2 -fPIC -c begin.c -o .libs/foreign_util.o
rethread cc -shared .libs/foo.o .libs/libthin.a -pthread -o libthin.so 2>err
has err 'libthin.so is an ordinary shared library.*foreign_util.o.*was not made by rethread cc and has constructors'
rethread cc main.o ./libthin.so -lm -o p 2>err
same "$(cat err)" ""
same "$(./p)" "21 1"
# Installed, as `make install-strip' does.
cp -P .libs/libfoo.so* inst
strip --strip-unneeded inst/libfoo.so.0.0.0
rethread cc main.o -Linst -lfoo -lm -o r
recordable r
same "$(./r)" "21 1"
cp .libs/libfoo.so.0.0.0 inst
rethread strip inst/libfoo.so.0.0.0 >out
rethread cc main.o inst/libfoo.so.0.0.0 -lm -o s 2>err
same "$(cat err)" ""
readelf -dW s >out
if grep -q libfoo out; then fail "the companion was not found"; fi
# As CMake writes them, in a response file of the linker's and of clang's.
echo '-Wl,-rpath,/nowhere/build:  inst/libfoo.so.0.0.0 -lm' >args
rethread cc -O3 -rdynamic main.o -o t @args
echo 'inst/libfoo.so.0.0.0 -lm' >args
rethread cc -O3 main.o -o u -Wl,@args
for p in t u; do
	recordable $p
	same "$(./$p)" "21 1"
	readelf -dW $p >out
	if grep -q libfoo out; then fail "$p needs libfoo"; fi
done
# A whole project, if there is a CMake.
command -v cmake >/dev/null || exit 0
mkdir cm
cat >cm/CMakeLists.txt <<'P'
cmake_minimum_required(VERSION 3.10)
project(x C)
add_library(util STATIC ../util.c)
set_property(TARGET util PROPERTY POSITION_INDEPENDENT_CODE ON)
add_library(foo SHARED ../foo.c)
set_target_properties(foo PROPERTIES VERSION 1.2.3 SOVERSION 1)
target_link_libraries(foo PRIVATE util pthread)
foreach(p p1 p2 p3)
	add_executable(${p} ../main.c)
	target_link_libraries(${p} foo m)
endforeach()
P
CC=rethread-cc cmake -S cm -B cm/build -DCMAKE_BUILD_TYPE=RelWithDebInfo >out 2>&1 || fail "$(cat out)"
make -s -j3 -C cm/build >out 2>&1 || fail "$(cat out)"
for p in p1 p2 p3; do
	recordable cm/build/$p
	same "$(cm/build/$p)" "21 1"
	readelf -dW cm/build/$p >out
	if grep -q libfoo out; then fail "$p needs libfoo"; fi
done
