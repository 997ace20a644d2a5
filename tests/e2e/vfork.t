# The child of a vfork runs in its parent's memory until it is another program, or gone: nothing of it is in the parent's path.
cat >p.c <<'P'
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int n;
static void *work(void *p) { n++; return p; }
static int run(char **argv, int status)
{
	int got;
	pid_t pid = vfork();
	if (pid == 0) {
		if (status > 9)
			_exit(status);
		execv(argv[0], argv);
		_exit(127);
	}
	assert(pid > 0 && waitpid(pid, &got, 0) == pid);
	return WEXITSTATUS(got);
}
int main(int argc, char **argv)
{
	pthread_t t;
	int sum = 0;
	if (argc == 1)
		return 5;
	for (int i = 0; i < 20; i++)
		sum += run(i == 7 ? (char *[]){"/no/such", NULL} : i == 8 ? (char *[]){argv[0], NULL} : (char *[]){"/bin/false", NULL}, i);
	pthread_create(&t, NULL, work, NULL);
	n++;
	pthread_join(t, NULL);
	printf("%d\n", sum);
	assert(n != 2 || strcmp(argv[1], "fail"));
	return 0;
}
P
for o in -O0 -O2; do
	rethread cc $o -g p.c -o p -pthread
	same "$(./p x)" 285
	rm -rf t
	status 134 rethread record -o t ./p fail >out 2>err
	same "$(cat out)" ""
	same "$(grep -c 'is not recorded' err)" 0
	rethread dump --lines all t >out 2>err
	same "$(cat err)" ""
	has out 'input vfork = [0-9]'
	rethread reproduce --engine solve t >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread replay -n 5 t >out 2>&1 || fail "not replayed: $(cat out)"
done
