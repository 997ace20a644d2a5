# Threads share the work on a file by an offset that is read and advanced separately: inputs, counts, exit status.
cat >chunks.c <<'P'
/* Word count of a file by chunks: threads take the next chunk by a shared offset that is read and advanced separately. */
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define CHUNK 256
static int fd; static off_t size, next; static long lines[4]; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static long total;
static void *count(void *arg)
{
	long id = (long)arg; char buf[CHUNK];
	for (;;) {
		off_t at = next;	/* BUG */
		if (at >= size) break;
		next = at + CHUNK;
		ssize_t n = pread(fd, buf, CHUNK, at);
		for (ssize_t i = 0; i < n; i++) lines[id] += buf[i] == '\n';
	}
	pthread_mutex_lock(&m); total += lines[id]; pthread_mutex_unlock(&m);
	return NULL;
}
int main(void)
{
	char name[] = "/tmp/chunksXXXXXX"; long want = 0; struct stat st;
	fd = mkstemp(name); unlink(name);
	for (int i = 0; i < 1500; i++) { char l[40]; int n = snprintf(l, sizeof l, "line %d of %s\n", i, i % 3 ? "text" : "a longer text"); if (write(fd, l, (size_t)n) != n) return 2; want++; }
	if (fstat(fd, &st)) return 2;
	size = st.st_size;
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, count, (void *)i);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	if (total != want) { fprintf(stderr, "%ld lines, not %ld\n", total, want); return 1; }
	return 0;
}
P
ENGINE=solve proven chunks.c
