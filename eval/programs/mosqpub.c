/*
 * For eval/real.sh: publishes messages through libmosquitto, whose own thread sends them to the broker at the port that the
 * argument names. Prints how many were sent.
 */
#include <mosquitto.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int connected, sent;

static void count(int *what)
{
	pthread_mutex_lock(&lock);
	++*what;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for(const int *what, int n)
{
	pthread_mutex_lock(&lock);
	while (*what < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void on_connect(struct mosquitto *m, void *data, int result)
{
	(void)m, (void)data, (void)result;
	count(&connected);
}

static void on_publish(struct mosquitto *m, void *data, int id)
{
	(void)m, (void)data, (void)id;
	count(&sent);
}

int main(int argc, char **argv)
{
	mosquitto_lib_init();
	struct mosquitto *m = mosquitto_new(NULL, true, NULL);
	mosquitto_connect_callback_set(m, on_connect);
	mosquitto_publish_callback_set(m, on_publish);
	if (argc < 2 || mosquitto_connect(m, "127.0.0.1", atoi(argv[1]), 60) || mosquitto_loop_start(m))
		return 2;
	wait_for(&connected, 1);
	for (int i = 0; i < MESSAGES; i++)
		mosquitto_publish(m, NULL, "news", 5, "hello", 0, false);
	wait_for(&sent, MESSAGES);
	mosquitto_disconnect(m);
	mosquitto_loop_stop(m, false);
	mosquitto_destroy(m);
	mosquitto_lib_cleanup();
	printf("%d sent\n", sent);
	return 0;
}
