#include "infer/progress.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool status_shown;

static void wipe(void)
{
	if (status_shown)
		fputs("\r\033[K", stderr);
	status_shown = false;
}

void progress_status(const char *format, ...)
{
	if (!isatty(STDERR_FILENO))
		return;
	wipe();
	va_list ap;
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fflush(stderr);
	status_shown = true;
}

void progress_line(const char *format, ...)
{
	wipe();
	va_list ap;
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}
