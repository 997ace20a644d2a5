/*
 * cherokee: the server's date string is rebuilt while another thread copies it.
 *
 * The current date is formatted once per second rather than once per request. The main thread
 * rebuilds the string in place, as cherokee's buffers do: empty it, then append piece after piece.
 * The workers copy it into the head of each reply and into the access log.
 *
 * Bad interleaving: the main thread has emptied the buffer and appended a part of the date; a
 * worker copies the buffer.
 * Symptom: replies whose date is empty or cut short.
 * Fix: a reader-writer lock around the rebuild and the copy.
 * Paper: PRES, table 3 (Cherokee, buffer corruption).
 *
 * fail-if: grep -qv '^Date: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] 20[0-9]* [0-9:]* GMT$'
 * threads: 4
 * args: 10
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, DATE_MAX = 40, SERVE = 1000, SECOND = 8000 };

static struct buffer {
	volatile size_t length;
	char text[DATE_MAX];
} date;

#ifdef FIXED
static pthread_rwlock_t date_lock = PTHREAD_RWLOCK_INITIALIZER;
#endif

static int requests = 10; /* per worker */
static atomic_int working = WORKERS;

static void buffer_clean(struct buffer *b)
{
	b->length = 0;
	b->text[0] = '\0';
}

static void buffer_add(struct buffer *b, const char *text)
{
	size_t length = strlen(text);
	memcpy(b->text + b->length, text, length + 1);
	b->length += length;
}

/* Formats the given second of a day in June. */
static void date_update(int second)
{
	char day[20], time[20];
	snprintf(day, sizeof day, "%02d Jun 2009 ", 1 + second / 86400 % 30);
	snprintf(time, sizeof time, "%02d:%02d:%02d", second / 3600 % 24, second / 60 % 60,
		 second % 60);
#ifdef FIXED
	pthread_rwlock_wrlock(&date_lock);
#endif
	buffer_clean(&date);
	buffer_add(&date, "Mon, ");
	buffer_add(&date, day);
	buffer_add(&date, time);
	buffer_add(&date, " GMT");
#ifdef FIXED
	pthread_rwlock_unlock(&date_lock);
#endif
}

static void date_copy(char *to)
{
#ifdef FIXED
	pthread_rwlock_rdlock(&date_lock);
#endif
	size_t length = date.length;
	memcpy(to, date.text, length);
	to[length] = '\0';
#ifdef FIXED
	pthread_rwlock_unlock(&date_lock);
#endif
}

static void work(int steps)
{
	for (volatile int i = 0; i < steps; i++)
		;
}

/* Fills a table of `requests` dates, one per reply. */
static void *worker(void *arg)
{
	char(*replies)[DATE_MAX] = arg;
	for (int i = 0; i < requests; i++) {
		work(SERVE);
		date_copy(replies[i]);
	}
	working--;
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		requests = atoi(argv[1]);
	char(*replies)[DATE_MAX] = calloc((size_t)(WORKERS * requests), DATE_MAX);

	int second = 50000;
	date_update(second);
	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, replies + i * requests);
	while (working > 0) {
		work(SECOND);
		date_update(++second);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	for (int i = 0; i < WORKERS * requests; i++)
		printf("Date: %s\n", replies[i]);
	free(replies);
	return 0;
}
