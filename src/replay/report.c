/* What the tool is told about a replayed run: a struct in a shared file mapping (schedule.h). */
#include "replay/twin.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct rt_report scratch;
struct rt_report *twin_report = &scratch;

void report_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (!ftruncate(fd, sizeof *twin_report)) {
		void *p = mmap(NULL, sizeof *twin_report, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			twin_report = p;
	}
	close(fd);
	twin_report->magic = RT_REPORT_MAGIC;
}

void report_outcome(enum rt_replay_outcome outcome, const struct twin_thread *t, const char *format, ...)
{
	if (twin_report->outcome != RT_REPLAY_RUNNING)
		return;
	twin_report->nthreads = twin_thread_count();
	if (t)
		memcpy(twin_report->thread, t->name, sizeof twin_report->thread);
	va_list ap;
	va_start(ap, format);
	vsnprintf(twin_report->message, sizeof twin_report->message, format, ap);
	va_end(ap);
	twin_report->outcome = outcome;
}
