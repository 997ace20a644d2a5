/* What the vectoriser makes: reductions, saturation, masks, shuffles, mixed widths, conditional stores. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 211 };
static int8_t a8[N];
static uint8_t u8[N];
static int16_t a16[N];
static int32_t a32[N], b32[N], c32[N];
static int64_t a64[N];
static float f[N], g[N];
static double d[N];
typedef int v4 __attribute__((vector_size(16)));
typedef float v4f __attribute__((vector_size(16)));

static uint32_t seed = 7;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

static void fill(void)
{
	for (int i = 0; i < N; i++) {
		a8[i] = (int8_t)(next() >> 24);
		u8[i] = (uint8_t)(next() >> 24);
		a16[i] = (int16_t)(next() >> 16);
		a32[i] = (int32_t)next();
		b32[i] = (int32_t)(next() >> 20);
		a64[i] = (int64_t)next() * (int64_t)next();
		f[i] = (float)(int)next() / 65536.0f;
		g[i] = (float)(next() >> 16);
		d[i] = (double)(int)next();
	}
}

__attribute__((noinline)) static void maps(void)
{
	for (int i = 0; i < N; i++)
		c32[i] = a32[i] > 0 ? a32[i] * 3 + b32[i] : b32[i] - a8[i];
	for (int i = 0; i < N; i++)
		u8[i] = (uint8_t)(u8[i] + 100 > 255 ? 255 : u8[i] + 100);
	for (int i = 0; i < N; i++)
		a16[i] = (int16_t)(a16[i] >> 3 ^ a8[i]);
	for (int i = 0; i < N; i++)
		if (b32[i] & 4)
			a64[i] = a64[i] / 2 + c32[i];
	for (int i = 0; i < N; i++)
		f[i] = f[i] > g[i] ? f[i] - g[i] : f[i] * 0.5f;
	for (int i = 0; i < N; i++)
		d[i] = d[i] * 2 + f[i];
}

__attribute__((noinline)) static void reductions(void)
{
	long s = 0;
	int most = -1000, least = 1000, x = 0, o = 0, count = 0;
	unsigned sad = 0;
	for (int i = 0; i < N; i++)
		s += c32[i];
	for (int i = 0; i < N; i++) {
		most = a8[i] > most ? a8[i] : most;
		least = a8[i] < least ? a8[i] : least;
	}
	for (int i = 0; i < N; i++)
		x ^= a32[i], o |= b32[i];
	for (int i = 0; i < N; i++)
		sad += (unsigned)(u8[i] > (uint8_t)a8[i] ? u8[i] - (uint8_t)a8[i] : (uint8_t)a8[i] - u8[i]);
	for (int i = 0; i < N; i++)
		count += a16[i] > 100;
	printf("%ld %d %d %d %d %u %d\n", s, most, least, x, o, sad, count);
	int dot = 0;
	for (int i = 0; i < N; i++)
		dot += a16[i] * a8[i];
	printf("%d\n", dot);
	uint64_t h = 0;
	for (int i = 0; i < N; i++)
		h = h * 31 + (uint64_t)a64[i];
	printf("%llx %a %a\n", (unsigned long long)h, (double)f[17], d[100]);
}

__attribute__((noinline)) static void explicit_vectors(v4 p, v4 q, int n)
{
	v4 r = p * q + (p >> 1), m = p > q;
	v4 s = __builtin_shufflevector(p, q, 3, 5, 0, 6);
	r[n & 3] = 77;
	printf("%d %d %d %d | %d %d %d %d | %d %d | %d\n", r[0], r[1], r[2], r[3], m[0], m[1], m[2], m[3], s[0],
	       s[3], q[n & 3]);
	v4f t = __builtin_convertvector(p, v4f) * 0.5f;
	printf("%g %g %g %g\n", (double)t[0], (double)t[1], (double)t[2], (double)t[3]);
	long two[2];
	memcpy(two, &r, sizeof two);
	printf("%lx %lx\n", (unsigned long)two[0], (unsigned long)two[1]);
}

__attribute__((noinline)) static int find(const char *s, int n, char c)
{
	for (int i = 0; i < n; i++)
		if (s[i] == c)
			return i;
	return -1;
}

int main(void)
{
	fill();
	maps();
	reductions();
	explicit_vectors((v4){1, -2, 3, 40}, (v4){10, 20, 3, 4}, 2);
	static char text[300];
	memset(text, 'a', 299);
	text[211] = 'q';
	printf("%d %d\n", find(text, 299, 'q'), find(text, 100, 'q'));
	return 0;
}
