/* Shifts by as much as the width and more, of known numbers: what the machine makes of them decides branches that are not recorded. */
#include <stdint.h>
#include <stdio.h>

static unsigned long hash = 5381;
static __attribute__((noinline)) void mark(long k) { hash = hash * 33 ^ (unsigned long)k; }

#define SHIFTS(type, name)                                                                                                        \
	static __attribute__((noinline)) void name(type x, int n)                                                                  \
	{                                                                                                                          \
		if ((type)(x << n) > (type)1000)                                                                                   \
			mark(1);                                                                                                   \
		if ((type)(x >> n) > (type)3)                                                                                      \
			mark(2);                                                                                                   \
		if ((type)((x >> n) | (x << n)) & 4)                                                                               \
			mark(3);                                                                                                   \
	}
SHIFTS(uint32_t, shift_unsigned)
SHIFTS(int32_t, shift_int)
SHIFTS(uint64_t, shift_long)
SHIFTS(int64_t, shift_signed_long)
SHIFTS(uint16_t, shift_short)
SHIFTS(uint8_t, shift_char)

int main(void)
{
	for (int n = 0; n < 70; n += 3) {
		shift_unsigned(0x12345677u + (unsigned)n, n);
		shift_int(-77 * n, n);
		shift_long(0x123456789abcdefful, n);
		shift_signed_long(-1234567890123, n);
		shift_short((uint16_t)(n * 777), n);
		shift_char((uint8_t)(n * 77), n);
	}
	printf("%lu\n", hash);
	return 0;
}
