/* Decodes a picture twice, the second time with a thread that filters and shows rows while the next ones are read. Exits 1 when the two differ.
 * Compiled with -DMAKE it makes the picture. */
#include <webp/decode.h>
#ifdef MAKE
#include <webp/encode.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, HEIGHT = 64, STRIDE = 3 * WIDTH, ROOM = 1 << 16 };

#ifdef MAKE
int main(int argc, char **argv)
{
	static unsigned char rgb[HEIGHT * STRIDE];
	unsigned char *data;
	FILE *f = argc > 1 ? fopen(argv[1], "wb") : NULL;
	for (int i = 0; i < HEIGHT * STRIDE; i++)
		rgb[i] = (unsigned char)(i / 3 % WIDTH / 4 + i / STRIDE * (i % 3));
	size_t n = WebPEncodeRGB(rgb, WIDTH, HEIGHT, STRIDE, 60, &data);
	return !f || fwrite(data, 1, n, f) != n || fclose(f);
}
#else
static int decode(const unsigned char *data, size_t n, int threads, unsigned char *to)
{
	WebPDecoderConfig c;
	if (!WebPInitDecoderConfig(&c))
		return 1;
	c.options.use_threads = threads;
	c.output.colorspace = MODE_RGB;
	c.output.is_external_memory = 1;
	c.output.u.RGBA.rgba = to;
	c.output.u.RGBA.stride = STRIDE;
	c.output.u.RGBA.size = HEIGHT * STRIDE;
	return WebPDecode(data, n, &c) != VP8_STATUS_OK;
}

int main(int argc, char **argv)
{
	static unsigned char data[ROOM], one[HEIGHT * STRIDE], two[HEIGHT * STRIDE];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(data, 1, sizeof data, f) : 0;
	if (decode(data, n, 0, one) || decode(data, n, 1, two))
		return 2;
	int differ = memcmp(one, two, sizeof one) != 0;
	puts(differ ? "the rows differ" : "the same rows");
	return differ;
}
#endif
