/* Integers of two words: sums, differences, comparisons and shifts by constants are expressions of their words. */
#include "sym.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

__attribute__((noinline)) static wide make(long high, long low)
{
	return (wide)((uwide)high << 64 | (unsigned long)low);
}

__attribute__((noinline)) static void show(wide v)
{
	sym_output((long)v);
	sym_output((long)(v >> 64));
}

int main(void)
{
	long a = sym_input_long(0), b = sym_input_long(1);
	wide x = make(a, b), y = make(b, ~a), z = make(a, b + 1);
	show(x + y);
	show(x - y);
	show(x >> 70);
	show(y >> 7);
	show((wide)((uwide)x >> 24 | (uwide)y << 72));
	sym_output((x < y) | (x > z) << 1 | (x <= z) << 2 | (x >= y) << 3 | (x == z) << 4 | (x != y) << 5);
	sym_output(((uwide)x < (uwide)y) | ((uwide)x > (uwide)z) << 1 | ((uwide)x <= (uwide)z) << 2);
	return 0;
}
