/* Workers push numbers through nanomsg to a sink, which checks their order and sums them up. For eval/real.sh. */
#include <assert.h>
#include <nn.h>
#include <pipeline.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { WORKERS = 3, MESSAGES = 20 };
static void *worker(void *p)
{
	int s = nn_socket(AF_SP, NN_PUSH);
	int r = nn_connect(s, "ipc://nnsink.ipc");
	assert(s >= 0 && r >= 0);
	for (long i = 0; i < MESSAGES; i++) {
		long m[2] = {(long)p, i};
		r = nn_send(s, m, sizeof m, 0);
		assert(r == sizeof m);
	}
	usleep(20000);
	nn_close(s);
	return NULL;
}
int main(void)
{
	int sink = nn_socket(AF_SP, NN_PULL);
	int r = nn_bind(sink, "ipc://nnsink.ipc");
	assert(sink >= 0 && r >= 0);
	pthread_t t[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	long next[WORKERS] = {0}, sum = 0;
	for (int i = 0; i < WORKERS * MESSAGES; i++) {
		long m[2];
		r = nn_recv(sink, m, sizeof m, 0);
		assert(r == sizeof m);
		assert(m[1] == next[m[0]]);
		next[m[0]]++;
		sum += m[1];
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	nn_close(sink);
	printf("%ld\n", sum);
	return 0;
}
