#include "trace/image.h"

#include "base/base.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* No copies of larger programs. */
enum { COPY_MOST = 256 << 20 };

/* With its times, by which trace_image knows it again. */
static bool copy(const char *from, const char *to)
{
	struct stat st;
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	bool ok = in >= 0 && !fstat(in, &st) && st.st_size <= COPY_MOST && (out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700)) >= 0;
	for (off_t left = ok ? st.st_size : 0; ok && left;) {
		ssize_t n = sendfile(out, in, NULL, (size_t)left);
		ok = n > 0;
		left -= ok ? n : 0;
	}
	ok = ok && !futimens(out, (const struct timespec[]){st.st_atim, st.st_mtim});
	if (out >= 0 && !ok)
		unlink(to);
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	return ok;
}

void trace_keep_image(const char *dir, const char *program)
{
	char *to = xasprintf("%s/" TRACE_IMAGE, dir);
	if (link(program, to))
		copy(program, to);
	free(to);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

char *trace_image(const char *dir, const char *program)
{
	char *kept = xasprintf("%s/" TRACE_IMAGE, dir);
	struct stat now, then;
	bool is_kept = !stat(kept, &then) && S_ISREG(then.st_mode);
	if (is_kept && (stat(program, &now) || !is_same(&now, &then)))
		return kept;
	free(kept);
	return xstrdup(program);
}
