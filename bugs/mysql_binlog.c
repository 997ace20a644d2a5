/*
 * mysql_binlog: a statement goes unlogged while the log is being rotated (MySQL bug 791).
 *
 * Every statement is executed and then written to the binary log, if that is open. FLUSH LOGS
 * closes the log and opens the next one, under the log's lock; but a client asks whether the log
 * is open before it takes the lock, to save the lock when logging is off.
 *
 * Bad interleaving: the rotating thread marks the log closed; a client, having executed a
 * statement, finds the log closed and does not write; the rotating thread opens the new log.
 * Symptom: a statement was executed that no log contains, so a replica would miss it.
 * Fix: ask under the lock.
 * Paper: PRES, table 3 (MySQL#1, database log disorder).
 *
 * fail-if: awk '/^insert / { n++ } /^executed / { e = $2 } END { exit n == e }'
 * threads: 3
 * args: 100
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 2, EXECUTE = 300, OPEN_FILE = 20, FLUSH_EVERY = 50 };

static struct log {
	pthread_mutex_t lock;
	volatile bool open;
	int file;    /* number of the log file that is open */
	int *record; /* what has been written, over all files */
	int records;
} binlog = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int statements = 100; /* per client */

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void log_open(struct log *log, int file)
{
	work(OPEN_FILE);
	log->file = file;
	log->open = true;
}

static void log_close(struct log *log)
{
	log->open = false;
}

/* FLUSH LOGS. */
static void log_rotate(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	int next = log->file + 1;
	log_close(log);
	log_open(log, next);
	pthread_mutex_unlock(&log->lock);
}

static void log_write(struct log *log, int statement)
{
#ifdef FIXED
	pthread_mutex_lock(&log->lock);
	if (log->open)
		log->record[log->records++] = statement;
	pthread_mutex_unlock(&log->lock);
#else
	if (log->open) {
		pthread_mutex_lock(&log->lock);
		log->record[log->records++] = statement;
		pthread_mutex_unlock(&log->lock);
	}
#endif
}

static void *client(void *arg)
{
	int first = (int)(long)arg;
	for (int i = 0; i < statements; i++) {
		work(EXECUTE);
		log_write(&binlog, first + i);
		if (i % FLUSH_EVERY == FLUSH_EVERY - 1)
			log_rotate(&binlog);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		statements = atoi(argv[1]);
	binlog.record = calloc((size_t)(CLIENTS * statements), sizeof *binlog.record);
	log_open(&binlog, 1);

	pthread_t clients[CLIENTS];
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, client, (void *)(i * statements));
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);

	for (int i = 0; i < binlog.records; i++)
		printf("insert %d\n", binlog.record[i]);
	printf("executed %d\n", CLIENTS * statements);
	free(binlog.record);
	return 0;
}
