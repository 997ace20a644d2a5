/*
 * Functions that leave a time in memory that all threads share, as bitcode like the program's own code (src/cc/link.c): who gets
 * another thread's time read it there. Here it is a variable of the program. Weak: a program that brings its own keeps them.
 */
#include <time.h>

#define WEAK __attribute__((weak))

/* One for both, as in glibc. */
static struct tm broken_down;
static char written_out[128];

WEAK struct tm *localtime(const time_t *t)
{
	tzset(); /* TZ may have changed; localtime_r need not look at it again */
	return localtime_r(t, &broken_down);
}

WEAK struct tm *gmtime(const time_t *t)
{
	return gmtime_r(t, &broken_down);
}

WEAK char *asctime(const struct tm *t)
{
	return asctime_r(t, written_out);
}

WEAK char *ctime(const time_t *t)
{
	struct tm *b = localtime(t);
	return b ? asctime(b) : NULL;
}
