/*
 * mysql_deadlock: two threads of the server take two locks in opposite order.
 *
 * A statement opens its table under LOCK_open and, still holding it, looks up whether the table is
 * logged, under LOCK_log. FLUSH LOGS holds LOCK_log and then closes the tables, for which it needs
 * LOCK_open.
 *
 * Bad interleaving: the client locks LOCK_open; the flushing thread locks LOCK_log; each waits for
 * the other's lock.
 * Symptom: deadlock.
 * Fix: FLUSH LOGS takes LOCK_open first, too.
 * Paper: PRES, table 3 (MySQL#2, wrong order of two locks).
 *
 * fails: deadlock
 * threads: 2
 * args: 100
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TABLES = 4, EXECUTE = 2000, OPEN = 20, FLUSH_EVERY = 5 };

static pthread_mutex_t LOCK_open = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t LOCK_log = PTHREAD_MUTEX_INITIALIZER;
static bool table_open[TABLES]; /* under LOCK_open */
static int log_records;         /* under LOCK_log */
static int statements = 100;

/* What a thread does for itself; touches nothing shared. */
static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

static void execute(int table)
{
	pthread_mutex_lock(&LOCK_open);
	table_open[table] = true;
	work(OPEN);
	pthread_mutex_lock(&LOCK_log);
	log_records++;
	pthread_mutex_unlock(&LOCK_log);
	pthread_mutex_unlock(&LOCK_open);
	work(EXECUTE);
}

static void flush_logs(void)
{
#ifdef FIXED
	pthread_mutex_lock(&LOCK_open);
	pthread_mutex_lock(&LOCK_log);
#else
	pthread_mutex_lock(&LOCK_log);
	pthread_mutex_lock(&LOCK_open);
#endif
	log_records = 0;
	for (int i = 0; i < TABLES; i++)
		table_open[i] = false;
	pthread_mutex_unlock(&LOCK_open);
	pthread_mutex_unlock(&LOCK_log);
}

static void *client(void *unused)
{
	for (int i = 0; i < statements; i++)
		execute(i % TABLES);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		statements = atoi(argv[1]);

	pthread_t connection;
	pthread_create(&connection, NULL, client, NULL);
	for (int i = 0; i < statements / FLUSH_EVERY; i++) {
		work(FLUSH_EVERY * EXECUTE);
		flush_logs();
	}
	pthread_join(connection, NULL);
	return 0;
}
