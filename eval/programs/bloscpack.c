/* A buffer packed by three threads of the library and unpacked again, several times. Exits 1 when it is not the same again. */
#include "blosc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 200000, BLOCK = 4096, ROUNDS = 30 };

int main(void)
{
	char *text = malloc(SIZE), *packed = malloc(SIZE + BLOSC_MAX_OVERHEAD), *again = malloc(SIZE);
	blosc_init();
	blosc_set_nthreads(3);
	blosc_set_blocksize(BLOCK);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < SIZE; i++)
			text[i] = (char)((i / 7 * 31 + i / 4096 * i) >> (round & 3) & 15);
		int size = blosc_compress(5, BLOSC_SHUFFLE, 4, SIZE, text, packed, SIZE + BLOSC_MAX_OVERHEAD);
		if (size <= 0 || blosc_decompress(packed, again, SIZE) != SIZE || memcmp(text, again, SIZE)) {
			fprintf(stderr, "round %d: the %d bytes do not unpack\n", round, size);
			return 1;
		}
		printf("round %d: %d bytes\n", round, size);
	}
	blosc_destroy();
	return 0;
}
