/* Workers push numbers through nng to a sink, which checks their order and sums them up. For eval/real.sh. */
#include <assert.h>
#include <nng/nng.h>
#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pipeline0/push.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
enum { WORKERS = 3, MESSAGES = 20 };
static void *worker(void *p)
{
	nng_socket s;
	int r = nng_push0_open(&s);
	assert(r == 0);
	r = nng_dial(s, "inproc://sink", NULL, 0);
	assert(r == 0);
	for (long i = 0; i < MESSAGES; i++) {
		long m[2] = {(long)p, i};
		r = nng_send(s, m, sizeof m, 0);
		assert(r == 0);
	}
	usleep(20000);
	nng_close(s);
	return NULL;
}
int main(void)
{
	nng_socket sink;
	int r = nng_pull0_open(&sink);
	assert(r == 0);
	r = nng_listen(sink, "inproc://sink", NULL, 0);
	assert(r == 0);
	pthread_t t[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	long next[WORKERS] = {0}, sum = 0;
	for (int i = 0; i < WORKERS * MESSAGES; i++) {
		long m[2];
		size_t n = sizeof m;
		r = nng_recv(sink, m, &n, 0);
		assert(r == 0 && n == sizeof m);
		assert(m[1] == next[m[0]]);
		next[m[0]]++;
		sum += m[1];
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	nng_close(sink);
	printf("%ld\n", sum);
	return 0;
}
