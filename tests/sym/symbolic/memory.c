/* Inputs that travel through memory: structs, arrays, bytes, memcpy, unions, bit fields, variadic parameters. */
#include "sym.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct record { char tag; int value; uint16_t half; long wide; unsigned low : 5, high : 11; };

__attribute__((noinline)) static int sum(int n, ...)
{
	va_list ap;
	int s = 0;
	va_start(ap, n);
	while (n--)
		s += va_arg(ap, int);
	va_end(ap);
	return s;
}

__attribute__((noinline)) static struct record make(int a, int b)
{
	struct record r = {.tag = (char)a, .value = b, .half = (uint16_t)(a * b), .wide = (long)a << 20};
	r.low = (unsigned)a & 31;
	r.high = (unsigned)b & 2047;
	return r;
}

int main(void)
{
	int a = sym_input(0), b = sym_input(1);
	struct record r = make(a, b), copy, *heap = malloc(sizeof *heap);
	memcpy(&copy, &r, sizeof r);
	*heap = copy;
	heap->value += heap->tag;
	union { uint32_t word; uint8_t byte[4]; } u = {.word = (uint32_t)heap->value};
	uint8_t swap[4] = {u.byte[3], u.byte[2], u.byte[1], u.byte[0]};
	uint32_t back;
	memcpy(&back, swap, 4);
	sym_output(heap->value);
	sym_output((long)back);
	sym_output(heap->half + heap->wide);
	sym_output(heap->low * 100 + heap->high);
	sym_output(sum(4, a, 7, b, a));
	int table[8];
	for (int i = 0; i < 8; i++)
		table[i] = i & 1 ? a * i : b - i;
	long t = 0;
	for (int i = 0; i < 8; i++)
		if (table[i] > 50)
			t += table[i];
	sym_output(t);
	memset(table, 0, sizeof table);
	sym_output(table[3]);
	char text[8];
	memset(text, a, sizeof text);
	sym_output(text[5] == (char)b);
	sym_output((long)__builtin_bswap32((uint32_t)a));
	if (heap->low > 9)
		sym_output(sum(2, table[1], b));
	free(heap);
	return 0;
}
