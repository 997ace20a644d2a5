/*
 * The native side of enter.c. call_all() calls each function and checks the result. In infer mode
 * the entry switch leads to ir_enter, which checks the slots of each parameter as the contract lays
 * them out, and computes the result into slots itself.
 */
#include <rethread/instrument.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The recorded program is linked with this file too. */
extern const struct rt_twin_module __rethread_twin_module __attribute__((weak));
extern int __rethread_infer __attribute__((weak));

static int calls;

#define CHECK(c)                                                                                   \
	do {                                                                                       \
		if (!(c)) {                                                                        \
			fprintf(stderr, "enter: line %d: %s\n", __LINE__, #c);                     \
			_Exit(99);                                                                 \
		}                                                                                  \
	} while (0)

static uint64_t float_bits(float f)
{
	uint32_t v;
	memcpy(&v, &f, sizeof v);
	return v;
}

static uint64_t double_bits(double d)
{
	uint64_t v;
	memcpy(&v, &d, sizeof v);
	return v;
}

static struct large large_in, *large_out;
static struct mixed mixed_in;

void ir_enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	const void *f = __rethread_twin_module.symbols[symbol];
	calls++;
	if (f == f_small) {
		CHECK(in[0] == 0xfb && in[1] == 65535 && in[2] == 1 && in[3] == float_bits(2.5f));
		out[0] = 0x100 - 3; /* -5 + 65535 + 1 + 2 as int8 */
	} else if (f == f_pair) {
		CHECK(in[0] == double_bits(1.5) && in[1] == float_bits(2.0f) &&
		      in[2] == double_bits(3.0));
		out[0] = double_bits(4.5);
		out[1] = float_bits(4.0f);
	} else if (f == f_wide) {
		CHECK(in[0] == 7 && in[1] == 1);
		out[0] = 8;
		out[1] = 1;
	} else if (f == f_vector) {
		CHECK(in[0] && in[1]);
		out[0] = out[1] = 0; /* see below: compared by lane only natively */
		for (int i = 0; i < 4; i++)
			out[i] = 2 * in[i];
	} else if (f == f_mixed) {
		/* Two registers: the pointer, then int and char packed; and the pointer argument.
		 */
		CHECK(in[0] == (uintptr_t)&calls && (uint32_t)in[1] == 4 &&
		      in[2] == (uintptr_t)&mixed_in);
		out[0] = in[0];
		out[1] = in[1] + 10;
	} else if (f == f_large) {
		/* Result by hidden pointer, parameter by pointer to its copy. */
		CHECK(in[2] == 3);
		const struct large *l = (const struct large *)in[1];
		CHECK(l->v[0] == 10 && l->v[4] == 14);
		large_out = (struct large *)in[0];
		*large_out = *l;
		large_out->v[3]++;
	} else if (f == f_void) {
		return;
	} else if (f == f_many) {
		for (unsigned i = 0; i < 8; i++)
			CHECK(in[i] == i + 1);
		out[0] = 204;
	} else {
		CHECK(!"a known function");
	}
}

void call_all(void)
{
	CHECK(f_small(-5, 65535, true, 2.5f) == -3);
	struct pair p = f_pair((struct pair){1.5, 2.0f}, 3.0);
	CHECK(p.x == 4.5 && p.y == 4.0f);
	CHECK(f_wide((__int128)1 << 64 | 7, 1.0L) == ((__int128)1 << 64 | 8));
	int4 v = f_vector((int4){1, 2, 3, 4});
	CHECK(v[0] == 2 && v[1] == 4 && v[2] == 6 && v[3] == 8);
	mixed_in.n = 10;
	struct mixed m = f_mixed((struct mixed){&calls, 4, 'x'}, &mixed_in);
	CHECK(m.p == &calls && m.n == 14 && m.c == 'x');
	large_in = (struct large){{10, 11, 12, 13, 14}};
	struct large l = f_large(large_in, 3);
	CHECK(l.v[3] == 14 && l.v[4] == 14);
	f_void();
	CHECK(f_many(1, 2, 3, 4, 5, 6, 7, 8) == 204);
}

void in_infer_mode(void (*run)(void))
{
	if (!&__rethread_twin_module)
		return;
	__rethread_infer = 1;
	run();
	__rethread_infer = 0;
	CHECK(calls == 8);
}

/* Each variable is in the tables once, the thread-local ones only by tls_address. */
void check_tables(int *tls_one, long *tls_two, int *variable)
{
	const struct rt_twin_module *m = &__rethread_twin_module;
	int one = 0, two = 0, plain = 0, functions = 0;
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nsymbols; i++) {
		const void *a = m->symbols[i], *t = m->tls_address(i);
		CHECK(!a || !t);
		one += t == tls_one;
		two += t == tls_two;
		plain += a == variable;
		functions += a == f_void || a == (const void *)f_large ||
			     a == (const void *)check_tables;
	}
	CHECK(one == 1 && two == 1 && plain == 1 && functions == 3);
	CHECK(!m->tls_address(m->nsymbols));
}
