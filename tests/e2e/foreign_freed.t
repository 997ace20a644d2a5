# Two threads take the same item, and one reads its path when the other has freed the item. The C library allocated the path, which is not in the log, where a block
# of the program's had lain that is: the address that was read may be either's, whatever memory holds by now. What another one then read there is what the C library had left, as an address. About 29 of 30 recordings are inferred; without that, and what was written outside of blocks, hardly any.
cat >p.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
struct item {
	char *path;
	struct item *next;
};
static struct item *queue, *tail;
static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
__attribute__((noinline)) static void *make(size_t size)
{
	return malloc(size);
}
static void *work(void *arg)
{
	struct stat s;
	for (;;) {
		pthread_mutex_lock(&m);
		while (!queue) {
			if (done) {
				pthread_mutex_unlock(&m);
				return arg;
			}
			pthread_cond_wait(&ready, &m);
		}
		pthread_mutex_unlock(&m);
		struct item *item = queue; /* bug: the lock is gone */
		queue = item->next;
		if (!queue)
			tail = NULL;
		stat(item->path, &s);
		free(item->path);
		free(item);
	}
}
int main(void)
{
	pthread_t t[3];
	char *scratch = make(40);
	strcpy(scratch, "/tmp");
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 40; i++) {
		char *path;
		free(scratch); /* the path lies where it lay */
		if (asprintf(&path, "/nonexistent/of/some/length/%04d", i) < 0)
			abort();
		struct item *item = make(sizeof *item);
		item->path = path;
		item->next = NULL;
		pthread_mutex_lock(&m);
		if (tail)
			tail->next = item;
		else
			queue = item;
		tail = item;
		pthread_cond_signal(&ready);
		pthread_mutex_unlock(&m);
		scratch = make(40);
		strcpy(scratch, "/tmp");
	}
	pthread_mutex_lock(&m);
	done = 1;
	pthread_cond_broadcast(&ready);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E
rethread cc -O2 -g -D_GNU_SOURCE -pthread -o p p.c
solved=0
for i in $(seq 8); do
	{ rethread record --until-failure --runs 2000 --timeout 20 ./p >/dev/null 2>err; } 2>/dev/null || true
	if rethread reproduce --engine solve --budget 20 >out 2>&1; then
		rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
		solved=$((solved + 1))
	else
		cat out
	fi
done
[ $solved -ge 6 ] || fail "$solved of 8 recordings inferred"
