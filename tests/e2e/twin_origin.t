# A program finds its libraries and itself although its twin runs from elsewhere: $ORIGIN, /proc/self/exe, argv[0].
mkdir lib
cat >lib/one.c <<'P'
int one(void) { return 1; }
P
clang-19 -shared -fPIC lib/one.c -o lib/libone.so
cat >p.c <<'P'
#include "race.h"
int one(void);
int main(int argc, char **argv)
{
	char self[500];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	assert(n > 0 && argc == 2);
	self[n] = 0;
	printf("%s is %s\n", argv[0], self);
	for (int i = 0; i < 5; i++)
		both(20 * one(), 20);
	return judge();
}
P
rethread cc -O1 -g -I"$ROOT/tests/e2e" p.c -o p -Llib -lone '-Wl,-rpath,$ORIGIN/lib'
mkdir elsewhere
for scheme in path+sync rw; do
	(cd elsewhere && status 134 rethread record --scheme $scheme --until-failure --runs 300 ../p x) >out 2>err
	has out "../p is $PWD/p\$"
	(cd / && rethread reproduce) >out 2>err
	(cd / && rethread replay) >out 2>err
	has out "../p is $PWD/p\$" '^reproduced 1/1$'
	printf 'continue\n' >batch
	rethread replay --gdb-batch batch >out 2>&1
	has out "../p is $PWD/p\$" 'SIGABRT'
done
# Threads give way at random: only where the twin records.
status 2 rethread record --shake ./p x 2>err
has err 'goes with --scheme rw'
cat >q.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *add(void *a) { x = x + 1; return a; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, add, 0);
	x = x + 1;
	pthread_join(t, 0);
	assert(x == 2);
}
P
rethread cc -O1 -g q.c -o q
status 134 rethread record --scheme rw --shake --until-failure --runs 5000 ./q >out 2>err
rethread reproduce >out 2>err
# A run that did not fail is followed as well.
rethread cc -O1 -g -DNDEBUG q.c -o q
status 0 rethread record --scheme rw ./q >out 2>err
rethread reproduce >out 2>err
rethread replay -n 3 >out 2>err
has out '^reproduced 3/3$'
