# A write to somebody who has hung up kills the process: the signal is blamed on the thread that wrote, at its call, and each engine reproduces
# that. A program that ignores the signal, or asks what is done about it, is not disturbed.
cat >reply.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_barrier_t gone;
static volatile int hung_up;
static int fds[2];
static void *server(void *p)
{
	pthread_barrier_wait(&gone);
	if (!hung_up)
		if (write(fds[1], "reply", 5) != 5)
			return p;
	return p;
}
static void *client(void *p)
{
	close(fds[0]);
	pthread_barrier_wait(&gone);
	usleep(1000);
	hung_up = 1;
	return p;
}
int main(void)
{
	pthread_t t[2];
	if (pipe(fds))
		return 9;
	pthread_barrier_init(&gone, NULL, 2);
	pthread_create(&t[0], NULL, client, NULL);
	pthread_create(&t[1], NULL, server, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread reply.c -o reply
for scheme in path+sync path; do
	status 141 timeout 60 rethread record --scheme $scheme --until-failure --runs 100 ./reply 2>err
	has err 'SIGPIPE'
	rethread info >out
	has out 'in thread *1:2'
	for engine in solve search; do
		rethread reproduce --engine $engine --budget 40 >out 2>&1 || fail "$scheme, $engine: $(cat out)"
		rethread replay -n 20 >out 2>&1 || fail "$scheme, $engine, not replayed: $(cat out)"
		has out '^reproduced 20/20$'
	done
done

cat >own.c <<'P'
#include <errno.h>
#include <signal.h>
#include <unistd.h>
int main(void)
{
	struct sigaction was;
	int fds[2];
	if (sigaction(SIGPIPE, 0, &was) || was.sa_handler != SIG_DFL || pipe(fds))
		return 1;
	signal(SIGPIPE, SIG_IGN);
	close(fds[0]);
	return write(fds[1], "x", 1) == -1 && errno == EPIPE ? 0 : 2;
}
P
rethread cc -O2 own.c -o own
rethread record ./own
