#include "cli/show.h"
#include "trace/image.h"
#include "trace/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

const char *scheme_name(uint32_t scheme)
{
	static const char *const names[] = {
		[RT_SCHEME_OFF] = "off",
		[RT_SCHEME_BASE] = "base",
		[RT_SCHEME_PATH] = "path",
		[RT_SCHEME_PATH_SYNC] = "path+sync",
		[RT_SCHEME_RW] = "rw",
		[RT_SCHEME_RW_LEAP] = "rw:leap",
	};
	return scheme < sizeof names / sizeof *names ? names[scheme] : "unknown";
}

const char *failing_thread_name(const struct trace *t)
{
	return t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "?";
}

double trace_seconds(const struct trace *t)
{
	const struct rt_log_header *h = &t->header;
	return h->end_ns >= h->start_ns ? (double)(h->end_ns - h->start_ns) / 1e9 : -1;
}

void trace_when(const struct trace *t, char *text, size_t size)
{
	struct stat st;
	struct tm tm;
	if (stat(t->dir, &st) || !localtime_r(&st.st_mtime, &tm) ||
	    !strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(text, size, "?");
}

uint64_t trace_bytes(const struct trace *t)
{
	uint64_t bytes = 0;
	DIR *dir = opendir(t->dir);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		if (!fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && (strcmp(e->d_name, TRACE_IMAGE) || st.st_nlink == 1))
			bytes += (uint64_t)st.st_blocks * 512;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

struct trace *open_trace(const char *name)
{
	struct error err;
	char *dir = traces_find(name, &err);
	struct trace *t = dir ? trace_open(dir, &err) : NULL;
	if (!t)
		die(EXIT_ERROR, "%s", err.text);
	free(dir);
	return t;
}

void hex(const uint8_t *bytes, size_t n, char *text)
{
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}
