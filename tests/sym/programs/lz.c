/* A small LZ77 compressor and a CRC: byte shuffling, hashing, tables. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t crc_table[256];

static void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		crc_table[i] = c;
	}
}

static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;
	while (n--)
		c = crc_table[(c ^ *p++) & 255] ^ (c >> 8);
	return ~c;
}

static size_t compress(const uint8_t *in, size_t n, uint8_t *out)
{
	int32_t last[4096];
	size_t o = 0, i = 0;
	memset(last, -1, sizeof last);
	while (i < n) {
		size_t best = 0, at = 0;
		if (i + 3 < n) {
			uint32_t v;
			memcpy(&v, in + i, 4);
			uint32_t h = (v * 2654435761u) >> 20;
			int32_t p = last[h];
			last[h] = (int32_t)i;
			if (p >= 0 && i - (size_t)p < 65536)
				while (i + best < n && best < 255 && in[(size_t)p + best] == in[i + best])
					best++, at = i - (size_t)p;
		}
		if (best >= 4) {
			out[o++] = 255;
			out[o++] = (uint8_t)best;
			out[o++] = (uint8_t)at;
			out[o++] = (uint8_t)(at >> 8);
			i += best;
		} else {
			out[o++] = in[i] == 255 ? 254 : in[i];
			i++;
		}
	}
	return o;
}

static size_t expand(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t o = 0;
	for (size_t i = 0; i < n;) {
		if (in[i] == 255) {
			size_t len = in[i + 1], at = in[i + 2] | (size_t)in[i + 3] << 8;
			for (; len; len--, o++)
				out[o] = out[o - at];
			i += 4;
		} else {
			out[o++] = in[i++];
		}
	}
	return o;
}

int main(void)
{
	enum { N = 20000 };
	uint8_t *in = malloc(N), *mid = malloc(2 * N), *out = malloc(2 * N);
	uint32_t r = 1;
	for (int i = 0; i < N; i++) {
		r = r * 1103515245 + 12345;
		in[i] = i > 100 && (r >> 16) % 8 ? in[i - 1 - (int)((r >> 20) % 64)] : (uint8_t)((r >> 24) & 127);
	}
	crc_init();
	size_t c = compress(in, N, mid), d = expand(mid, c, out);
	printf("%d -> %zu -> %zu, crc %08x %08x %08x\n", N, c, d, crc(in, N), crc(mid, c), crc(out, d));
	printf("%s\n", d == N && !memcmp(in, out, N) ? "same" : "DIFFERENT");
	free(in);
	free(mid);
	free(out);
	return 0;
}
