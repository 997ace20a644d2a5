/* What has no expression is made concrete and becomes a condition: addresses, floats, native calls, pointers. */
#include "sym.h"

#include <stdio.h>
#include <stdlib.h>

static int plus(int a) { return a + 1; }
static int minus(int a) { return a - 1; }
static int (*const functions[])(int) = {plus, minus};
static const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49};

int main(void)
{
	int a = sym_input(0);
	int i = a & 7;
	sym_output(squares[i]);
	sym_output(functions[a & 1](a));
	double d = a * 0.5;
	sym_output((long)(d * 8));
	sym_output(abs(a));
	char text[20];
	snprintf(text, sizeof text, "%d", a);
	sym_output(atoi(text));
	sym_output(__builtin_popcount((unsigned)a));
	return 0;
}
