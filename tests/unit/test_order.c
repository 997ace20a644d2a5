/* Known order by vector clocks, against reachability by search. */
#include "model/order.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 40, EDGES = 60 };

static void close_transitively(bool reach[NODES][NODES], uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				reach[i][j] |= reach[i][k] && reach[k][j];
}

static void run_case(void)
{
	uint32_t n = 1 + pick(NODES), nchains = 1 + pick(5), chain[NODES], cycle;
	struct edge edges[EDGES];
	bool reach[NODES][NODES] = {{false}}, needed[NODES], cyclic = false;
	size_t nedges = pick(EDGES);
	bool mostly_forward = pick(3) != 0;
	for (uint32_t i = 0; i < n; i++) {
		chain[i] = pick(nchains);
		needed[i] = true;
		for (uint32_t j = 0; j < i; j++)
			reach[j][i] |= chain[i] == chain[j];
	}
	for (size_t k = 0; k < nedges; k++) {
		uint32_t a = pick(n), b = pick(n);
		edges[k] = mostly_forward && a > b ? (struct edge){b, a} : (struct edge){a, b};
		reach[edges[k].a][edges[k].b] = true;
	}
	close_transitively(reach, n);
	for (uint32_t i = 0; i < n; i++)
		cyclic |= reach[i][i];
	struct error err;
	struct order *o = order_new(n, chain, nchains, edges, nedges, needed, &cycle, &err);
	assert_int_equal(o == NULL, cyclic);
	for (uint32_t i = 0; o && i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			assert_int_equal(order_before(o, i, j), reach[i][j]);
	order_free(o);
}

static void clocks_agree_with_search(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++)
		run_case();
}

/* A million nodes handing over a lock: linear, and little memory. */
static void a_long_chain_of_hand_overs_is_quick(void **state)
{
	(void)state;
	uint32_t n = 1000000, *chain = malloc(n * sizeof *chain), cycle;
	bool *needed = calloc(n, sizeof *needed);
	struct edge *edges = malloc(n * sizeof *edges);
	struct error err;
	for (uint32_t i = 0; i < n; i++)
		chain[i] = i % 4;
	for (uint32_t i = 0; i + 1 < n; i++)
		edges[i] = (struct edge){i, i + 1};
	needed[n - 1] = needed[5] = true;
	struct order *o = order_new(n, chain, 4, edges, n - 1, needed, &cycle, &err);
	assert_non_null(o);
	assert_true(order_before(o, 0, n - 1));
	assert_false(order_before(o, n - 1, 5));
	order_free(o);
	free(chain);
	free(needed);
	free(edges);
}

int main(void)
{
	seed = 7;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_agree_with_search),
		cmocka_unit_test(a_long_chain_of_hand_overs_is_quick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
