/* Faults at known lines; the harness must name them. */
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; int value; };

__attribute__((noinline)) static int walk(struct node *n, int count)
{
	int s = 0;
	for (int i = 0; i < count; i++) {
		s += n->value; /* load */
		n = n->next;
	}
	return s;
}

__attribute__((noinline)) static void put(char *p, int v)
{
	*p = (char)v; /* store */
}

__attribute__((noinline)) static int divide(int a, int b)
{
	volatile int by = b;
	return a / by; /* divide */
}

int main(int argc, char **argv)
{
	struct node last = {NULL, 2}, first = {&last, 1};
	int which = argc > 1 ? atoi(argv[1]) : 0;
	printf("%d\n", walk(&first, which == 1 ? 3 : 2));
	fflush(stdout);
	if (which == 2)
		put((char *)8, argc);
	if (which == 3)
		printf("%d\n", divide(argc, which - 3));
	return 0;
}
