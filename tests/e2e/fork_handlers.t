# Handlers that pthread_atfork registered are called in the order in which the C library calls them, what they do is in the log, and a program that has them is
# reproduced, and so is a child that goes on behind its own.
cat >forks.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char said[64];
static int table[64], used, odd;
static volatile int hits;
static void say(const char *what) { strcat(said, what); }
static void prepare_one(void) { say("p1 "); }
static void prepare_two(void)
{
	pthread_mutex_lock(&lock);
	say("p2 ");
	for (int i = 0; i < used; i++)
		odd += table[i] & 1;
}
static void parent_one(void) { say("a1 "); }
static void parent_two(void) { say("a2 "); pthread_mutex_unlock(&lock); }
static void child_one(void) { say("c1 "); }
static void child_two(void) { say("c2 "); pthread_mutex_init(&lock, NULL); used = 0; }
static void *add(void *p)
{
	for (int i = 0; i < 30000; i++) {
		pthread_mutex_lock(&lock);
		if (used < 64 && i % 100 == 0)
			table[used++] = i / 100 + (int)(long)p;
		pthread_mutex_unlock(&lock);
		hits++; /* bug: not under the lock */
	}
	return NULL;
}
static void race(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(hits == 60000);
}
int main(int argc, char **argv)
{
	(void)argv;
	pthread_t t[2];
	pthread_atfork(prepare_one, parent_one, child_one);
	pthread_atfork(prepare_two, parent_two, child_two);
	pthread_atfork(NULL, NULL, NULL);
	pid_t pid = fork();
	if (!pid) {
		printf("%s%d\n", said, used);
		fflush(stdout);
		if (argc > 2)
			race();
		_exit(3);
	}
	int status;
	waitpid(pid, &status, 0);
	printf("%s%d\n", said, status);
	if (argc > 1)
		return status != 0;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	said[0] = 0;
	pid = fork();
	if (!pid)
		_exit(used);
	waitpid(pid, &status, 0);
	assert(!status);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(hits == 60000);
	return 0;
}
P
rethread cc -O2 -g -pthread forks.c -o forks
clang-19 -O2 -w -pthread forks.c -o plain
./plain x >native || :
./forks x >ours || :
has native 'p2 p1 c1 c2 0' 'p2 p1 a1 a2'
cmp native ours || fail "other handlers: $(cat ours)"
status 134 rethread record --until-failure --runs 3000 -q ./forks
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not inferred: $(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 10 >out
has out '10/10'
status 1 rethread record --until-failure --runs 3000 -q ./forks x y
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "the child is not inferred: $(cat out)"
rethread replay -n 10 >out
has out '10/10'
