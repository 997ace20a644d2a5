# Where nobody may turn off that the kernel chooses addresses at random, as in Docker's containers, nor look into other processes, all works.
clang-19 -O1 -Wall -Wextra -Werror "$ROOT/tests/e2e/container.c" -o container
./container setarch -R true 2>/dev/null && fail "the container lets addresses be chosen"
rethread() { "$PWD/container" "$ROOT/build/rethread" "$@"; }
cat >race.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct account { long balance, moves; };
static volatile struct account one;
static void *deposit(void *arg)
{
	for (int i = 0; i < 3; i++) {
		long was = one.balance;
		usleep(2000);
		one.balance = was + 1;
		one.moves++;
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, deposit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(one.balance == 6);
	return 0;
}
P
cat >freed.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct job { long magic, size; };
static struct job *volatile jobs[2];
static void *work(void *arg)
{
	struct job *mine = jobs[0];
	usleep(20000);
	assert(mine->magic == 4711);
	return arg;
}
static void *clean(void *arg)
{
	usleep(5000);
	free(jobs[0]);
	jobs[1] = malloc(sizeof *jobs[1]);
	jobs[1]->magic = 17;
	return arg;
}
int main(void)
{
	pthread_t t[2];
	jobs[0] = malloc(sizeof *jobs[0]);
	jobs[0]->magic = 4711;
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, clean, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
# found_in_here PROGRAM ENGINE RECORD-OPTIONS...: recorded, reproduced and replayed.
found_in_here() {
	local program=$1 engine=$2
	shift 2
	rethread record --until-failure --runs 50 -q "$@" ./$program >/dev/null 2>&1 && fail "$program does not fail"
	rethread reproduce --engine $engine --budget 50 >out 2>&1 || fail "$program $engine $*: not reproduced: $(cat out)"
	rethread replay -n 5 >replayed 2>&1 || fail "$program $engine $*: $(cat replayed)"
}
for program in race freed; do
	rethread cc -O2 -g -pthread $program.c -o $program
	found_in_here $program solve
	# Racy places are found out about in several runs of the executor, which have to lie alike.
	has out 'symbolically in ([2-9]|[0-9]{2,}) runs'
	rethread explain >out
	has out '^In short: '
	rethread dump >out
	has out "$program.c:[0-9]+"
done
found_in_here race solve --scheme path
found_in_here race search
found_in_here race follow --scheme rw
