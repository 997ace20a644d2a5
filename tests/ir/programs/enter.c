/* The entry switch and the tables: functions of many signatures, called by native code in infer
 * mode. */
#include "ir.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
	double x;
	float y;
};
struct mixed {
	void *p;
	int n;
	char c;
};
struct large {
	long v[5];
};
typedef int int4 __attribute__((vector_size(16)));

int8_t f_small(int8_t a, uint16_t b, bool c, float d);
struct pair f_pair(struct pair p, double d);
__int128 f_wide(__int128 a, long double b);
int4 f_vector(int4 v);
struct mixed f_mixed(struct mixed m, struct mixed *p);
struct large f_large(struct large l, int k);
void f_void(void);
long f_many(long a, long b, long c, long d, long e, long f, long g, long h);

static __thread int tls_one;
__thread long tls_two = 5;
int variable;
void check_tables(int *tls_one, long *tls_two, int *variable);
void call_all(void);
void in_infer_mode(void (*)(void));

int8_t f_small(int8_t a, uint16_t b, bool c, float d)
{
	return (int8_t)(a + b + c + (int)d);
}
struct pair f_pair(struct pair p, double d)
{
	return (struct pair){p.x + d, p.y * 2};
}
__int128 f_wide(__int128 a, long double b)
{
	return a + (__int128)b;
}
int4 f_vector(int4 v)
{
	return v + v;
}
struct mixed f_mixed(struct mixed m, struct mixed *p)
{
	m.n += p->n;
	return m;
}
struct large f_large(struct large l, int k)
{
	l.v[k]++;
	return l;
}
void f_void(void)
{
	variable++;
}
long f_many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

int main(void)
{
	tls_one = 3;
	check_tables(&tls_one, &tls_two, &variable);
	call_all();
	printf("native done, variable %d\n", variable);
	in_infer_mode(call_all);
	printf("infer done, variable %d\n", variable);
	return 0;
}
