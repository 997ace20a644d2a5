#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool fail(struct error *err, const char *format, ...)
{
	if (err) {
		va_list ap;
		va_start(ap, format);
		vsnprintf(err->text, sizeof err->text, format, ap);
		va_end(ap);
	}
	return false;
}

static void say(const char *prefix, const char *format, va_list ap)
{
	fflush(stdout);
	fputs(prefix, stderr);
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
}

_Noreturn void die(int code, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say("rethread: ", format, ap);
	va_end(ap);
	exit(code);
}

void warn(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say("rethread: warning: ", format, ap);
	va_end(ap);
}

static void check_output(void)
{
	bool failed = ferror(stdout); /* before, and errno is another's by now */
	errno = 0;
	if (!fflush(stdout) && !failed)
		return;
	dprintf(2, "rethread: cannot write standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
	_exit(EXIT_ERROR);
}

void check_output_at_exit(void)
{
	atexit(check_output);
}

static void *checked(void *p)
{
	if (!p)
		die(EXIT_ERROR, "out of memory");
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xasprintf(const char *format, ...)
{
	char *s = NULL;
	va_list ap;
	va_start(ap, format);
	if (vasprintf(&s, format, ap) < 0)
		s = NULL;
	va_end(ap);
	return checked(s);
}

void *vec_grow(void *at, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 8;
	return checked(reallocarray(at, *cap, size));
}

bool read_file(const char *path, char **data, size_t *size, struct error *err)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return fail(err, "cannot read %s: %s", path, strerror(errno));
	size_t n = 0, cap = 0;
	char *at = NULL;
	for (;;) {
		if (cap - n < 65536)
			at = xrealloc(at, cap = cap ? cap * 2 : 131072);
		size_t got = fread(at + n, 1, cap - n - 1, f);
		if (!got)
			break;
		n += got;
	}
	bool bad = ferror(f);
	int why = errno;
	fclose(f);
	if (bad) {
		free(at);
		return fail(err, "cannot read %s: %s", path, strerror(why));
	}
	at[n] = 0;
	*data = at;
	if (size)
		*size = n;
	return true;
}

bool write_file(const char *path, const void *data, size_t size, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(err, "cannot write %s: %s", path, strerror(errno));
	const char *at = data;
	while (size) {
		ssize_t put = write(fd, at, size);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			int why = errno;
			close(fd);
			return fail(err, "cannot write %s: %s", path, strerror(why));
		}
		at += put;
		size -= (size_t)put;
	}
	if (close(fd))
		return fail(err, "cannot write %s: %s", path, strerror(errno));
	return true;
}

bool replace_file(const char *path, const void *data, size_t size, unsigned mode, struct error *err)
{
	char *new = xasprintf("%s.new%d", path, (int)getpid());
	bool ok = write_file(new, data, size, err);
	if (ok && (chmod(new, mode) || rename(new, path)))
		ok = fail(err, "cannot write %s: %s", path, strerror(errno));
	if (!ok)
		unlink(new);
	free(new);
	return ok;
}

bool make_dirs(const char *path, struct error *err)
{
	char *copy = xstrdup(path);
	bool ok = true;
	for (char *slash = copy + 1; ok; slash++) {
		slash = strchr(slash, '/');
		if (slash)
			*slash = 0;
		if (mkdir(copy, 0700) && errno != EEXIST)
			ok = fail(err, "cannot create the directory %s: %s", copy, strerror(errno));
		if (!slash)
			break;
		*slash = '/';
	}
	free(copy);
	return ok;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* A process that is being killed may still make files in it: that ends soon. */
bool remove_tree(const char *path, struct error *err)
{
	const struct timespec tick = {.tv_nsec = 10 * 1000 * 1000};
	int failed = 0;
	for (int tries = 0; tries < 100; tries++) {
		failed = nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) ? errno : 0;
		if (failed != ENOTEMPTY)
			break;
		nanosleep(&tick, NULL);
	}
	return !failed || failed == ENOENT || fail(err, "cannot remove %s: %s", path, strerror(failed));
}

static bool is_directory(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *temp_dir(struct error *err)
{
	const char *base = getenv("TMPDIR");
	char *name = xasprintf("%s/rethread-XXXXXX", base && *base && is_directory(base) ? base : "/tmp");
	if (mkdtemp(name))
		return name;
	fail(err, "cannot create the directory %s: %s", name, strerror(errno));
	free(name);
	return NULL;
}

char *tool_file(const char *name)
{
	const char *dir = getenv("RETHREAD_LIBDIR");
	if (dir && *dir)
		return xasprintf("%s/%s", dir, name);
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		die(EXIT_ERROR, "cannot read /proc/self/exe: %s; set RETHREAD_LIBDIR", strerror(errno));
	self[n] = 0;
	*strrchr(self, '/') = 0;
	char *path = xasprintf("%s/%s", self, name);
	if (access(path, F_OK)) {
		free(path);
		path = xasprintf("%s/../lib/rethread/%s", self, name);
	}
	return path;
}

bool is_one_of(const char *text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(text, list[i]))
			return true;
	return false;
}

void signal_name(int signal, char *text, size_t size)
{
	const char *name = sigabbrev_np(signal);
	if (name)
		snprintf(text, size, "SIG%s", name);
	else if (signal >= SIGRTMIN && signal <= SIGRTMAX)
		snprintf(text, size, "SIGRTMIN+%d", signal - SIGRTMIN);
	else
		snprintf(text, size, "signal %d", signal);
}
