/* Floating point: n bodies, matrices, conversions, comparisons with NaN, long double, mathematical functions. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct body { double x, y, z, vx, vy, vz, mass; };
static struct body bodies[5] = {
	{0, 0, 0, 0, 0, 0, 39.47},
	{4.84, -1.16, -0.10, 0.60, 2.81, -0.02, 0.037},
	{8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011},
	{12.89, -15.11, -0.22, 1.08, 0.86, -0.01, 0.0017},
	{15.37, -25.9, 0.17, 0.97, 0.59, -0.03, 0.002},
};

static void advance(double dt)
{
	for (int i = 0; i < 5; i++)
		for (int j = i + 1; j < 5; j++) {
			struct body *a = &bodies[i], *b = &bodies[j];
			double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
			double d2 = dx * dx + dy * dy + dz * dz, mag = dt / (d2 * sqrt(d2));
			a->vx -= dx * b->mass * mag;
			a->vy -= dy * b->mass * mag;
			a->vz -= dz * b->mass * mag;
			b->vx += dx * a->mass * mag;
			b->vy += dy * a->mass * mag;
			b->vz += dz * a->mass * mag;
		}
	for (int i = 0; i < 5; i++) {
		bodies[i].x += dt * bodies[i].vx;
		bodies[i].y += dt * bodies[i].vy;
		bodies[i].z += dt * bodies[i].vz;
	}
}

static float a[16][16], b[16][16], c[16][16];

static void matrix(void)
{
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			a[i][j] = (float)(i * j % 7) * 0.25f;
			b[i][j] = (float)(i + j) / 3.0f;
		}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			float s = 0;
			for (int k = 0; k < 16; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
	double sum = 0;
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			sum += c[i][j];
	printf("matrix %.17g %a %a\n", sum, (double)c[3][5], (double)c[15][15]);
}

__attribute__((noinline)) static void conversions(double d, float f, long n, unsigned long u)
{
	printf("%d %ld %u %lu\n", (int)d, (long)d, (unsigned)fabs(d), (unsigned long)fabs(d));
	printf("%d %ld %a %a\n", (int)f, (long)f, (double)(float)d, (double)f);
	printf("%a %a %a %a\n", (double)n, (double)u, (double)(float)n, (double)(float)u);
	printf("%a %a %d %d\n", (double)(int8_t)n, (double)(uint16_t)u, (int8_t)f, (int16_t)d);
	printf("%a\n", (double)((long double)d * 3 + n));
}

__attribute__((noinline)) static void compare(double x, double y)
{
	printf("%d%d%d%d%d%d%d%d\n", x < y, x <= y, x > y, x >= y, x == y, x != y, isunordered(x, y) != 0,
	       islessgreater(x, y) != 0);
}

__attribute__((noinline)) static long double extended(long double x, int n)
{
	long double s = 1;
	for (int i = 1; i < n; i++) {
		s = s * x / i + 1 - s / 7;
		if (s > 10)
			s = -s / 3;
	}
	return s;
}

__attribute__((noinline)) static void functions(double x, float f)
{
	printf("%a %a %a %a\n", sin(x), cos(x), exp(x), log(fabs(x) + 1));
	printf("%a %a %a %a\n", floor(x), ceil(x), trunc(x), rint(x));
	printf("%a %a %a %a\n", round(x), pow(fabs(x), 1.5), fmod(x, 0.7), hypot(x, 2));
	printf("%a %a %a %a\n", fmin(x, 1), fmax(x, -1), copysign(3, x), fma(x, x, 1));
	printf("%a %a %a %ld\n", (double)sqrtf(fabsf(f)), (double)floorf(f), (double)fmodf(f, 0.3f), lrint(x));
	printf("%d %d %d\n", isnan(x), isinf(x), isfinite(f));
}

int main(void)
{
	for (int i = 0; i < 200; i++)
		advance(0.01);
	for (int i = 0; i < 5; i++)
		printf("%.17g %.17g %.17g\n", bodies[i].x, bodies[i].y, bodies[i].vz);
	matrix();
	conversions(-123.75, 99.5f, -1234567890123l, 0xfedcba9876543210ul);
	conversions(0.99, -0.5f, 17, 3);
	double values[] = {0, -0.0, 1, -1, INFINITY, NAN};
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++)
			compare(values[i], values[j]);
	long double e = extended(1.25L, 50);
	printf("%.20Lg %La\n", e, e);
	functions(2.7, -1.3f);
	functions(-0.4, 8.9f);
	return 0;
}
