/* Workers push numbers through libzmq to a sink, which checks their order and sums them up. For eval/real.sh. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>
enum { WORKERS = 3, MESSAGES = 60 };
static void *context;
static void *worker(void *p)
{
	long id = (long)p;
	void *s = zmq_socket(context, ZMQ_PUSH);
	int r = zmq_connect(s, "inproc://sink");
	assert(r == 0);
	for (long i = 0; i < MESSAGES; i++) {
		long m[2] = {id, i};
		r = zmq_send(s, m, sizeof m, 0);
		assert(r == sizeof m);
	}
	zmq_close(s);
	return NULL;
}
int main(void)
{
	context = zmq_ctx_new();
	void *sink = zmq_socket(context, ZMQ_PULL);
	zmq_bind(sink, "inproc://sink");
	pthread_t t[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	long next[WORKERS] = {0}, sum = 0;
	for (int i = 0; i < WORKERS * MESSAGES; i++) {
		long m[2];
		int r = zmq_recv(sink, m, sizeof m, 0);
		assert(r == sizeof m);
		assert(m[1] == next[m[0]]);
		next[m[0]]++;
		sum += m[1];
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	zmq_close(sink);
	zmq_ctx_term(context);
	printf("%ld\n", sum);
	return 0;
}
