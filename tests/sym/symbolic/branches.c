/* Conditions over two inputs: comparisons of all kinds, switch, select, loops bounded by input. */
#include "sym.h"

#include <stdint.h>

__attribute__((noinline)) static int classify(int v)
{
	switch (v) {
	case 1: return 10;
	case 5: return 20;
	case -2: return 30;
	case 100: return 40;
	default: return v / 3;
	}
}

int main(void)
{
	int a = sym_input(0), b = sym_input(1);
	unsigned u = (unsigned)a * 7 + 3;
	long r = 0;
	if (a < b)
		r += 1;
	if ((unsigned)a > (unsigned)b)
		r += 2;
	if (u % 4 == 1)
		r += 4;
	if ((int8_t)a == (int8_t)b)
		r += 8;
	if ((uint16_t)(a ^ b) >> 3 > 20)
		r += 16;
	r += classify(a + b);
	for (int i = 0; i < (a & 7); i++)
		r = r * 3 + b;
	sym_output(r);
	sym_output(a > b ? a : b);
	sym_output((long)a * b);
	sym_output(a << (b & 3) | b >> 2);
	sym_output((long)((int64_t)a - (uint8_t)b));
	return 0;
}
