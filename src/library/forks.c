/*
 * Handlers of forks as glibc has them, as bitcode like the program's own code (src/cc/link.c): called from within the C library's fork, what they do would be
 * in the log, and nothing in the program's code would say that they come there. Only programs with pthread_atfork have this; there the pass
 * turns fork and daemon to these (src/instrument/forks.c). Weak: a program that brings its own keeps it. Handlers of libraries that are not part of the
 * program are the C library's business.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

struct handlers {
	void (*prepare)(void), (*parent)(void), (*child)(void);
	struct handlers *before, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct handlers *first, *last;

pid_t rethread_fork(void);
int rethread_daemon(int stays, int keeps);

WEAK int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	struct handlers *h = malloc(sizeof *h);
	if (!h)
		return ENOMEM;
	pthread_mutex_lock(&lock);
	*h = (struct handlers){prepare, parent, child, last, NULL};
	if (last)
		last->next = h;
	else
		first = h;
	last = h;
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Returns the last of those that there are by now: whoever comes meanwhile counts in the next fork. */
static struct handlers *begin(void)
{
	pthread_mutex_lock(&lock);
	struct handlers *end = last;
	pthread_mutex_unlock(&lock);
	for (struct handlers *h = end; h; h = h->before)
		if (h->prepare)
			h->prepare();
	return end;
}

static void go_on(struct handlers *end, int is_child)
{
	int error = errno;
	if (is_child) /* another thread may have had it */
		pthread_mutex_init(&lock, NULL);
	for (struct handlers *h = end ? first : NULL; h; h = h == end ? NULL : h->next) {
		void (*handler)(void) = is_child ? h->child : h->parent;
		if (handler)
			handler();
	}
	errno = error;
}

__attribute__((used)) pid_t rethread_fork(void)
{
	struct handlers *end = begin();
	pid_t pid = fork();
	go_on(end, pid == 0);
	return pid;
}

/* Only the child comes back, or nobody has forked. */
__attribute__((used)) int rethread_daemon(int stays, int keeps)
{
	struct handlers *end = begin();
	int result = daemon(stays, keeps);
	go_on(end, result == 0);
	return result;
}
