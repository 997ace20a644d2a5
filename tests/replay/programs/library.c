/*
 * Memory that only the C library touches: text that one thread prints, sorts and reads from a file into while others change it.
 *
 * fails: assert
 */
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char name[64] = "nobody", line[128];
static int numbers[16];
static FILE *file;
static int wrong;

static void *writes(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < 12; i++) {
		strcpy(name, me ? "somebody else altogether" : "me");
		sched_yield();
		strcat(name, me ? ", twice" : ", too");
		sprintf(line, "%s wrote %d %s", name, i, me ? "lines" : "l");
		rewind(file);
		fread(line, 1, (size_t)(10 + i), file);
		for (int k = 0; k < 16; k++)
			numbers[k] = (k * 7 + me + i) % 16;
	}
	return NULL;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void *reads(void *x)
{
	char copy[128];
	for (int i = 0; i < 12; i++) {
		printf("%s|%.20s|%zu\n", name, line, strlen(name));
		memcpy(copy, numbers, sizeof numbers);
		qsort(copy, 16, sizeof(int), by_value);
		int first;
		memcpy(&first, copy, sizeof first);
		snprintf(copy, sizeof copy, "%d %s", first, line);
		puts(copy);
		size_t n = strlen(name);
		if (i % 3 == 0)
			sched_yield();
		if (strlen(name) != n || strcmp(name, "nobody") == 5)
			wrong++;
	}
	return x;
}

int main(void)
{
	pthread_t t[3];
	file = tmpfile();
	fputs("The text of a file that is read in pieces of growing length.\n", file);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? writes : reads, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d wrong, %s\n", wrong, name);
	fflush(stdout);
	assert(!wrong);
}
