# What a function of the program's own hands to vsnprintf decides how long the text gets: a racy number, and a racy string.
cat >say.c <<'P'
/* Two messages are shown while they change; one that is too long was never meant to be.
 * args: 
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int value;
static const char *volatile name = "short";
static int say(char *text, size_t size, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsnprintf(text, size, format, list);
	va_end(list);
	return n;
}
static void *changes(void *p)
{
	for (int i = 0; i < 12; i++) {
		value = i == 6 ? 123456 : 7;
		name = i == 9 ? "much longer" : "short";
		usleep(200);
	}
	return p;
}
int main(int argc, char **argv)
{
	(void)argv;
	pthread_t t;
	char text[64];
	int spaces = 2;
	pthread_create(&t, NULL, changes, NULL);
	for (int i = 0; i < 100; i++) {
		int n = say(text, sizeof text, "%.*s%.1f %d %d %d %d", spaces, "  ", 1.5, argc, 2, value, 4);
		if (n > 17)
			abort();
		if (say(text, sizeof text, "%s", name) > 5)
			abort();
		usleep(50);
	}
	pthread_join(t, NULL);
	return 0;
}
P
ENGINE=solve proven say.c
ENGINE=solve proven say.c
