# Each process has its own log. In the child of a fork the forking thread is the main thread; where the parent has other threads,
# its log begins there.
program p <<'E'
#include "recorded.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *forks(void *arg)
{
	B(1);
	pthread_mutex_lock(&m);
	if (fork() == 0) {
		B(0), B(1), B(0);
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
		abort();
	}
	pthread_mutex_unlock(&m);
	wait(NULL);
	if (fork() == 0)
		execl("./q", "q", NULL);
	wait(NULL);
	B(1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forks, NULL);
	pthread_join(t, NULL);
	return 0;
}
E
program q <<'E'
#include "recorded.h"
int main(void) { B(1), B(1), B(1), B(0); return 0; }
E
record 0 ./p
same "$(ls trace/log.* | wc -l)" 3
# What has become another program says which.
same "$(stat -c %a trace/command.*)" 600
same "$(tail -c +9 trace/command.* | tr '\0' '\n' | head -n 3)" "$(pwd -P)/q
$(pwd -P)
q"
rm trace/command.*
for log in trace/log.*; do
	mkdir one
	mv "$log" one
	dump one
	rm -r one
	case "$(cat dump)" in
	*'path 1:1 11'*) has dump '^flags 4 .*threads 2 ' '^failure none' '^thread 1:1 bits 2 done 2 ended 1'; echo parent ;;
	*'path 1 010'*) has dump '^flags 32 .*threads 1 ' '^failure signal 6 1 ' '^thread 1 bits 3 done 2 ' \
		'^sync 1 op 2 object 1 order 1 '; echo child ;;
	*'path 1 1110'*) has dump '^flags 4 .*threads 1 '; echo other ;;
	*) fail "$(cat dump)" ;;
	esac
done | sort >seen
same "$(tr '\n' ' ' <seen)" "child other parent "

# Else it begins as the parent's, with the threads that are over and what they did, and goes on.
program r <<'E'
#include "recorded.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *locks(void *arg)
{
	B(1);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return arg;
}
static void both(void)
{
	pthread_t t;
	pthread_create(&t, NULL, locks, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
}
int main(void)
{
	B(0), B(0), B(1);
	both();
	if (fork() == 0) {
		for (int i = 0; i < 200; i++) /* more than a word */
			B(1), B(0);
		both();
		_exit(3);
	}
	B(1), B(1);
	wait(NULL);
	return 0;
}
E
record 0 ./r
same "$(ls trace | wc -l)" 2
for log in trace/log.*; do
	mkdir one
	mv "$log" one
	dump one
	rm -r one
	case "$(cat dump)" in
	*'path 1 00111'*) has dump '^flags 4 .*threads 2 ' '^failure none'; echo parent ;;
	*'path 1 00110101010'*) has dump '^flags 16 .*threads 3 ' '^failure exit ' '^thread 1 bits 403 done 8 ' '^thread 1:2 bits 1 done 2 ended 1' \
		'^sync 1:2 op 1 object 1 order 3 '; echo child ;;
	*) fail "$(cat dump)" ;;
	esac
done | sort >seen
same "$(tr '\n' ' ' <seen)" "child parent "

# clone without CLONE_VM is a fork, too: the child leaves its parent's log alone.
program c -D_GNU_SOURCE <<'E'
#include "recorded.h"
#include <sched.h>
#include <sys/wait.h>
static char stack[65536] __attribute__((aligned(16)));
static int child(void *p) { for (int i = 0; i < 50000; i++) B(i % 3 == 0); return *(int *)p; }
int main(void)
{
	int seven = 7, status;
	B(1), B(1), B(0);
	pid_t pid = clone(child, stack + sizeof stack, SIGCHLD, &seven);
	for (int i = 0; i < 50000; i++) B(i % 5 == 0);
	if (waitpid(pid, &status, 0) != pid) return 1;
	return WEXITSTATUS(status);
}
E
record 7 ./c
for log in trace/log.*; do
	mkdir one
	mv "$log" one
	dump one
	rm -r one
	case "$(cat dump)" in
	*'path 1 11010000'*) has dump '^thread 1 bits 50003 '; echo parent ;;
	*'path 1 11010010'*) has dump '^flags [0-9]*[02468] .*threads 1 ' '^thread 1 bits 50003 '; echo child ;;
	*) fail "$(head -c 2000 dump)" ;;
	esac
done | sort >seen
same "$(tr '\n' ' ' <seen)" "child parent "

# Forked while other threads come, go and lock: the child, which has none of them, waits for nobody that they kept waiting.
program busy <<'P'
#include "recorded.h"
#include <sys/wait.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int over;
static void *short_lived(void *p)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return p;
}
static void *creates(void *p)
{
	while (!over) {
		pthread_t t;
		if (!pthread_create(&t, NULL, short_lived, NULL))
			pthread_join(t, NULL);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, creates, NULL);
	for (int i = 0; i < 300; i++) {
		int status;
		pid_t child = fork();
		if (!child) {
			alarm(10);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			return 1;
	}
	over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
record 0 ./busy
