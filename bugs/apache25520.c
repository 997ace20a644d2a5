/*
 * apache25520: Apache's buffered access log (httpd bug 25520).
 *
 * mod_log_config collects log lines in one buffer per log and writes it out when the next line
 * would not fit. All worker threads share the buffer, and nothing locks it.
 *
 * Bad interleaving: worker A reads the index and copies its line to that place; worker B, having
 * read the same index, copies its own line over it; A advances the index, then B does.
 * Symptom: the log has mangled lines, or lacks some.
 * Fix: a lock around the append.
 * Paper: PRES, figure 1 and table 3 (Apache#1).
 *
 * fail-if: awk '/^w[1-3] GET [a-z0-9\/]+ 200$/ { n++ } /^requests / { r = $2 } END { exit n == r }'
 * threads: 4
 * args: 10
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, LINE_MAX = 64, LOG_BUFSIZE = 512 };

/* The slack keeps what goes wrong inside of the buffer: it is to show in the log, not to crash. */
static struct {
	volatile size_t count; /* bytes in use, and so the place of the next line */
	char text[LOG_BUFSIZE + WORKERS * LINE_MAX];
} buffer;

#ifdef FIXED
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static int requests = 10; /* per worker */

static void flush_log(void)
{
	fwrite(buffer.text, 1, buffer.count, stdout);
	buffer.count = 0;
}

static void append_line(const char *line, size_t length)
{
#ifdef FIXED
	pthread_mutex_lock(&log_lock);
#endif
	if (length + buffer.count > LOG_BUFSIZE)
		flush_log();
	memcpy(&buffer.text[buffer.count], line, length);
	buffer.count += length;
#ifdef FIXED
	pthread_mutex_unlock(&log_lock);
#endif
}

/* Serving a page, which takes its time; touches nothing shared. */
static void serve(int page)
{
	for (volatile int i = 0; i < 1000 + page % 7 * 500; i++)
		;
}

static void *worker(void *arg)
{
	int id = (int)(long)arg;
	for (int i = 0; i < requests; i++) {
		serve(id + i);
		char line[LINE_MAX];
		int length =
			snprintf(line, sizeof line, "w%d GET /site/%d/page%d 200\n", id, i % 10, i);
		append_line(line, (size_t)length);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		requests = atoi(argv[1]);

	char line[LINE_MAX];
	int length = snprintf(line, sizeof line, "server started, %d workers\n", WORKERS);
	append_line(line, (size_t)length);
	flush_log();

	pthread_t workers[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, (void *)(i + 1));
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	flush_log();
	printf("requests %d\n", WORKERS * requests);
	return 0;
}
