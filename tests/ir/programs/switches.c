/* Switches: shared arms, sparse cases, more than 7 bits of successors, inside loops, on a long. */
#include "ir.h"

#include <stdio.h>

static void small(long v)
{
	switch (v) {
	case 0:
		mark(1);
		break;
	case 1:
	case 2:
	case 3:
		mark(2);
		/* fall through */
	case 4:
		mark(3);
		break;
	case 1000000007:
	case -5:
		mark(4);
		break;
	default:
		mark(5);
	}
}

#define CASE(n)                                                                                    \
	case n:                                                                                    \
		mark(1000 + n);                                                                    \
		break;
#define CASES8(n)                                                                                  \
	CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)
#define CASES64(n)                                                                                 \
	CASES8(n)                                                                                  \
	CASES8(n + 8) CASES8(n + 16) CASES8(n + 24) CASES8(n + 32) CASES8(n + 40) CASES8(n + 48)   \
		CASES8(n + 56)

static void large(unsigned v)
{
	switch (v) {
		CASES64(0)
		CASES64(64)
		CASES64(128)
	default:
		mark(6);
	}
}

static void complete(unsigned v)
{
	switch (v & 3) {
	case 0:
		mark(10);
		break;
	case 1:
		mark(11);
		break;
	case 2:
		mark(12);
		break;
	case 3:
		mark(13);
		break;
	}
}

static void only_default(int v)
{
	switch (v) {
	default:
		mark(7);
	}
}

int main(void)
{
	static const long values[] = {0, 1, 2, 3, 4, 5, -5, 1000000007, 77, -1};
	for (int i = 0; i < 10; i++)
		small(opaque(values[i]));
	for (unsigned i = 0; i < 400; i++) {
		large((unsigned)opaque(i * 37 % 200));
		complete((unsigned)opaque(i));
	}
	only_default((int)opaque(3));
	puts("done");
	mark(99);
	return 0;
}
