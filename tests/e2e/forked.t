# A process that runs its work in children, as test frameworks and servers do: what is recorded of a child that fails begins as its parent's
# run, and is inferred and replayed as one process.
cat >suite.c <<'P'
#include "race.h"
#include <signal.h>
#include <sys/wait.h>

static int *table; /* made before the fork, used after it */

static void fine(void) { both(1, 0); }
static void races(void)
{
	both(300, table[3]);
	if (total != want)
		_exit(7);
}
static void asserts(void)
{
	both(300, table[3]);
	assert(total == want);
}
static void crashes(void)
{
	both(300, table[3]);
	table[(total - want) * 1000000 + 3]++;
}

int main(int argc, char **argv)
{
	void (*tests[])(void) = {fine, argv[1][0] == 'r' ? races : argv[1][0] == 'a' ? asserts : crashes};
	int bad = 0;
	table = calloc(10, sizeof *table);
	table[3] = 300;
	adds((void *)(long)(argc - 2));
	for (int i = 0; i < 2; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			tests[i]();
			exit(0);
		}
		waitpid(pid, &status, 0);
		bad += status != 0;
	}
	return bad;
}
P
rethread cc -O1 -g -pthread -I"$ROOT/tests/e2e" suite.c -o p
for what in races:'exit status 7' asserts:assert crashes:SIGSEGV; do
	got=0
	rethread record --until-failure --runs 2000 -- ./p "${what%:*}" >recorded 2>err || got=$?
	[ $got = 1 ] || fail "status $got: $(cat err)"
	has err "process [0-9]+, which was forked: .*${what#*:}"
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread replay -n 30 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 30/30$'
	rethread dump >out 2>&1
	has out 'fork'
done

# A parent that does not care, and a process that has left its own parent behind.
cat >server.c <<'P'
#include "race.h"
int main(void)
{
	int over[2];
	char byte;
	if (pipe(over))
		return 3;
	if (fork()) {
		close(over[1]);
		return (int)read(over[0], &byte, 1); /* 0: the server is over */
	}
	if (daemon(1, 1))
		return 3;
	both(300, 300);
	assert(total == want);
	return 0;
}
P
rethread cc -O1 -g -pthread -I"$ROOT/tests/e2e" server.c -o server
status 134 rethread record --until-failure --runs 2000 -- ./server 2>err
has err 'process [0-9]+, which was forked: assert'
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
