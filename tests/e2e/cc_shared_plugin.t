# Libraries that are loaded while the program runs: a plugin is not recorded, which is said; it shares the state of a library that it and
# the program use, whose constructors run once.
cat >core.c <<'P'
#include <stdio.h>
static int hidden_state;
int state = 1;
__attribute__((constructor)) static void begin(void) { puts("core begins"); state += 10; hidden_state = 5; }
__attribute__((destructor)) static void end(void) { puts("core ends"); }
int core_add(int n) { hidden_state += n; return hidden_state; }
int core_unused_by_program(void) { return hidden_state + state; }
P
cat >plugin.c <<'P'
#include <pthread.h>
#include <stdio.h>
extern int state;
int core_add(int), core_unused_by_program(void);
__attribute__((constructor)) static void begin(void) { puts("plugin begins"); }
static void *work(void *x) { state++; return x; }
int plugin(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	return core_add(100) + core_unused_by_program();
}
P
cat >main.c <<'P'
#include <dlfcn.h>
#include <stdio.h>
int core_add(int);
extern int state;
int main(int argc, char **argv) {
	core_add(1000);
	void *l = dlopen(argv[1], RTLD_NOW);
	if (!l)
		return puts(dlerror()), 1;
	int (*f)(void) = (int (*)(void))dlsym(l, "plugin");
	printf("%d %d %d\n", f(), state, core_add(0));
	dlclose(l);
	return argc - 2;
}
P
mkdir plain
build() {
	"$@" -O2 -fPIC -shared core.c -Wl,-soname,libcore.so.3 -o "$dir/libcore.so.3"
	ln -sf libcore.so.3 "$dir/libcore.so"
	"$@" -O2 -fPIC -shared plugin.c -o "$dir/plugin.so" -L"$dir" -lcore -Wl,-rpath,"\$ORIGIN"
	"$@" -O2 main.c -o "$dir/p" -L"$dir" -lcore -Wl,-rpath,"\$ORIGIN"
}
dir=plain build clang-19
dir=. build rethread cc
recordable p
readelf -dW p >out
if grep -q 'libcore' out; then fail "still needed: $(cat out)"; fi
same "$(./p ./plugin.so)" "$(plain/p plain/plugin.so)"
same "$(plain/p ./plugin.so)" "$(plain/p plain/plugin.so)"
same "$(rethread record ./p ./plugin.so 2>err)" "$(plain/p plain/plugin.so)"
has err 'what .*/plugin.so did is not recorded' 'libcore.so.3 was loaded although its code is part of the program'
same "$(grep -c plugin.so err)" 1
same "$(rethread record --scheme rw ./p ./plugin.so 2>err)" "$(plain/p plain/plugin.so)"
has err 'what .*/plugin.so did is not recorded'
rethread record ./p plain/plugin.so >/dev/null 2>err
has err 'what threads did in plain/plugin.so is not recorded: it was not built'

# A library that was built anew is not what the program has.
sed -i 's/core begins/the core begins/' core.c
rethread cc -O2 -fPIC -shared core.c -Wl,-soname,libcore.so.3 -o libcore.so.3
rethread record ./p ./plugin.so >out 2>err
has err "$PWD/libcore.so was built anew after its code became part of .*/p"
has out '^core begins$'

# What a library of others needs stays shared, and so does a library of which only the code is left.
clang-19 -O2 -fPIC -shared plugin.c -o libforeign.so -L. -lcore -Wl,-rpath,"\$ORIGIN"
echo 'int core_add(int), plugin(void); int main(void) { return core_add(1) + plugin() == 5 + 1 + 106 + 106 + 12 ? 0 : 1; }' >user.c
rethread cc user.c -L. -lforeign -lcore -Wl,-rpath,"\$ORIGIN" -o q 2>err
has err 'libcore.so.3 stays a shared library.*: libforeign.so needs it, which was not built with rethread cc$'
readelf -dW q >out
has out 'libcore.so.3'
echo 'int core_add(int); int main(void) { return core_add(1) - 6; }' >user.c
objcopy -R .rethread.shared -R .rethread.shared.bc libcore.so.3
rethread cc user.c -L. -lcore -Wl,-rpath,"\$ORIGIN" -o r 2>err
has err 'libcore.so.* was stripped'
./r >/dev/null
rethread record ./r >/dev/null 2>err
has err 'what .*libcore.so.3 did is not recorded'

# Nothing is there twice: a library that the program also loads by name stays shared.
cat >by_name.c <<'P'
#include <dlfcn.h>
int core_add(int);
int main(void) {
	int (*add)(int) = (int (*)(int))dlsym(dlopen("./libcore.so.3", RTLD_NOW), "core_add");
	return core_add(1) + add(1) - 13;
}
P
rethread cc -O2 -fPIC -shared core.c -Wl,-soname,libcore.so.3 -o libcore.so.3
rethread cc by_name.c -L. -lcore -Wl,-rpath,"\$ORIGIN" -o t 2>err
has err 'libcore.so.3 stays a shared library.*: the program uses dlopen'
./t >/dev/null
RETHREAD_KEEP_SHARED=none rethread cc by_name.c -L. -lcore -Wl,-rpath,"\$ORIGIN" -o u 2>err
same "$(cat err)" ""

# -Bsymbolic: the library's own definition comes first for it.
echo 'int pick(void) { return 1; } int ask(void) { return pick(); }' >sym.c
echo 'int ask(void); int pick(void) { return 2; } int main(void) { return 10 * ask() + pick(); }' >ask.c
for how in -Wl,-Bsymbolic ''; do
	rethread cc -O2 -fPIC -fsemantic-interposition -shared sym.c $how -o libsym.so
	rethread cc -O2 ask.c ./libsym.so -o v 2>err
	clang-19 -O2 ask.c ./libsym.so -o w
	want=0
	./w || want=$?
	status $want ./v
	if [ -n "$how" ]; then has err 'libsym.so stays a shared library.*: pick, which is defined'; else same "$(cat err)" ""; fi
done

# Of a symbol with several versions the default one is meant.
cat >versions.c <<'P'
int api_1(int x) { return x + 1; }
int api_2(int x) { return x + 2; }
int inside(int x) { return x * 100; }
__asm__(".symver api_1, api@V1");
__asm__(".symver api_2, api@@V2");
P
printf 'V1 { global: api; local: *; };\nV2 { global: api; } V1;\n' >map
echo 'int api(int); int inside(int x) { return x; } int main(void) { return api(inside(5)); }' >user.c
rethread cc -O2 -g -fPIC -shared versions.c -Wl,--version-script=map -o libversions.so
rethread cc -O2 -g user.c ./libversions.so -o x 2>err
same "$(cat err)" ""
readelf -dW x >out
if grep -q libversions out; then fail "still needed"; fi
status 7 ./x

# A library that stands in for a function of libc's, as the recorder does, stays what it is.
echo 'int own; int pthread_yield_np(void) { return 0; } unsigned sleep(unsigned n) { own++; return n - n; }' >stand_in.c
echo '#include <unistd.h>
extern int own; int main(void) { sleep(100); return own - 1; }' >user.c
rethread cc -O2 -fPIC -shared stand_in.c -o libstand_in.so
rethread cc -O2 user.c ./libstand_in.so -o y 2>err
has err 'libstand_in.so stays a shared library.*: sleep, in whose place'
./y
# The errors and warnings of a link are told once.
echo 'int inside(int); int missing(void); int main(void) { return inside(1) + missing(); }' >user.c
rethread cc -O2 -fPIC -shared core.c -o libone.so
status 1 rethread cc user.c ./libone.so -o z 2>err
same "$(grep -c 'undefined symbol: missing' err)" 1
