# A program that walks over its environment and copies it, as those do that write a title over it, does as many rounds in every kind of replay.
cat >prog.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char **environ;
static volatile int racy, many;
static char copy[1 << 20];
static void *work(void *p)
{
	for (int i = 0; i < 20; i++, usleep(1))
		racy = racy + 1;
	return p;
}
int main(int argc, char **argv)
{
	char *end = argv[0];
	pthread_t t[2];
	for (int i = 0; i < argc; i++)
		if (argv[i] == end)
			end = argv[i] + strlen(argv[i]) + 1;
	for (int i = 0; environ[i]; i++) {
		if (environ[i] == end) {
			end = environ[i] + strlen(environ[i]) + 1;
			many++;
		}
		racy = i;
		for (char *p = environ[i]; (copy[p - environ[i]] = *p); p++)
			racy = 0;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d variables\n", many);
	fflush(stdout);
	abort();
}
P
rethread cc -O2 -g -pthread -o prog prog.c
for engine in solve search; do
	status 134 rethread record -- ./prog one two >recorded 2>err
	rethread reproduce --engine $engine --budget 60 -v >out 2>&1 || fail "$engine: $(cat out)"
	! grep -q 'another branch' out || fail "$engine: $(cat out)"
	rethread replay >replayed 2>&1 || fail "$engine: $(cat replayed)"
	grep -qxF "$(cat recorded)" replayed || fail "$engine: $(cat recorded) became $(cat replayed)"
done
status 134 rethread record --scheme rw -- ./prog one two >recorded 2>err
rethread reproduce --budget 60 >out 2>&1 || fail "rw: $(cat out)"
rethread replay >replayed 2>&1 || fail "rw: $(cat replayed)"
grep -qxF "$(cat recorded)" replayed || fail "rw: $(cat recorded) became $(cat replayed)"
