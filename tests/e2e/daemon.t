# A program that goes into the background: record waits for the process that it left behind, ends as that one does, and keeps its log.
cat >server.c <<'P'
#include "race.h"
int main(int argc, char **argv)
{
	(void)argv;
	if (daemon(1, 1))
		return 3;
	usleep(50000); /* the process that was started has long ended */
	both(300, 300);
	assert(argc > 1 || total == want);
	return argc > 1 ? 5 : 0;
}
P
rethread cc -O1 -g -pthread -I"$ROOT/tests/e2e" server.c -o server
status 5 rethread record -- ./server x 2>err
has err 'process [0-9]+, which was forked: exit status 5'
status 134 rethread record --until-failure --runs 2000 -- ./server 2>err
has err 'process [0-9]+, which was forked: assert'
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"

# A signal goes to the one that is watched, and so does the time limit; a process that has become another program is not waited for.
cat >wait.c <<'P'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argv;
	if (daemon(1, 1))
		return 3;
	if (argc > 1)
		execlp("sleep", "sleep", "300", NULL);
	for (;;)
		pause();
}
P
rethread cc -O1 -g wait.c -o wait
status 124 rethread record --timeout 1 -- ./wait 2>err
has err 'still running after 1 s'
rethread record -o traced -- ./wait 2>err &
for _ in $(seq 200); do [ "$(ls traced/log.* 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.05; done
kill -TERM $!
got=0
wait $! || got=$?
[ $got = 143 ] || fail "status $got: $(cat err)"
status 0 timeout 100 rethread record -o other -- ./wait x 2>err
for log in other/log.*; do kill "${log#*log.}" 2>/dev/null || :; done
