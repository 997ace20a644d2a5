/*
 * For tests of decoded paths: L notes its line in a list of the thread, say() writes the list to the file lines.NAME. The
 * test compares it with what `rethread dump` says the thread passed (lines_agree in lib.sh).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread int noted[4096], nnoted;
static __attribute__((noinline, unused)) void note(int line)
{
	noted[nnoted++] = line;
	__asm__ volatile("" ::: "memory");
}
/* The assembly keeps the compiler from making one call of several. */
#define L do { __asm__ volatile("" ::"i"(__LINE__)); note(__LINE__); } while (0)

static __attribute__((noinline, unused)) void say(const char *name)
{
	char file[64];
	snprintf(file, sizeof file, "lines.%s", name);
	FILE *f = fopen(file, "w");
	for (int i = 0; i < nnoted; i++)
		fprintf(f, "%d\n", noted[i]);
	fclose(f);
}
