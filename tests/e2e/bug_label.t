# Text in a shared buffer that only snprintf reads, by %s: that is an access like any other.
cat >label.c <<'P'
/* Two threads format lines with a prefix that is in a static buffer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *prefix(const char *name)
{
	static char buffer[16];	/* bug: one for all threads */
	buffer[0] = name[0];
	buffer[1] = '-';
	buffer[2] = 0;
	for (volatile int i = 0; i < 20; i++)
		;
	return buffer;
}

static void *writer(void *name)
{
	size_t total = 0;
	for (int i = 0; i < 60; i++) {
		char line[32];
		snprintf(line, sizeof line, "%s%d", prefix(name), i);
		if (line[0] != *(const char *)name) {
			fprintf(stderr, "%s wrote \"%s\"\n", (const char *)name, line);
			abort();
		}
		total += strlen(line);
	}
	return (void *)total;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, writer, "anna");
	pthread_create(&b, NULL, writer, "ben");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
P
ENGINE=solve proven label.c
