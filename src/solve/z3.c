/*
 * Z3 through its C API. Two backends: order variables as plain Booleans (lazy, the refinement loop adds what
 * order they need), or as differences of integers (Z3 knows by itself that they are an order).
 * Z3 contexts here do not count references: every term lives as long as the context.
 */
#include "solve/solver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <z3.h>

struct backend {
	const struct formula *f;
	Z3_context c;
	Z3_solver s;
	Z3_model m;
	bool difference;
	Z3_sort bool_sort;
	vec(Z3_ast) variables;  /* by variable */
	Z3_ast *terms;          /* by expression node: bit-vector, or Boolean for width 1 */
	size_t nterms;
	Z3_ast *place;          /* by node of the order: integer; difference only */
	size_t conditions, clauses, equalities, exclusive; /* how much of the formula is asserted */
	pthread_mutex_t guard;
	bool checking;    /* under guard: an interrupt at any other time would make another call fail */
	bool interrupted; /* under guard: one came while it was checking; what Z3 holds since then is not known */
};

/* Whose check runs in this thread: Z3 hands no data to its handler. */
static _Thread_local struct backend *checked;

static void on_error(Z3_context c, Z3_error_code e)
{
	if (checked && checked->c == c && checked->interrupted)
		return;
	if (e == Z3_MEMOUT_FAIL)
		die(EXIT_ERROR, "Z3 is out of memory");
	die(EXIT_ERROR, "Z3: %s", Z3_get_error_msg(c, e));
}

/* -------------------------------------------------- values ------------------------------- */

static Z3_ast as_bits(struct backend *b, Z3_ast t)
{
	if (Z3_get_sort(b->c, t) != b->bool_sort)
		return t;
	Z3_sort one = Z3_mk_bv_sort(b->c, 1);
	return Z3_mk_ite(b->c, t, Z3_mk_unsigned_int64(b->c, 1, one),
			 Z3_mk_unsigned_int64(b->c, 0, one));
}

static Z3_ast as_bool(struct backend *b, Z3_ast t)
{
	if (Z3_get_sort(b->c, t) == b->bool_sort)
		return t;
	return Z3_mk_eq(b->c, t, Z3_mk_unsigned_int64(b->c, 1, Z3_mk_bv_sort(b->c, 1)));
}

static Z3_ast constant(struct backend *b, unsigned width, uint64_t value)
{
	if (width == 1)
		return value ? Z3_mk_true(b->c) : Z3_mk_false(b->c);
	return Z3_mk_unsigned_int64(b->c, value, Z3_mk_bv_sort(b->c, width));
}

static Z3_ast symbol(struct backend *b, const struct expr_node *n)
{
	char name[32];
	snprintf(name, sizeof name, "s%llu", (unsigned long long)n->value);
	Z3_sort sort = n->width == 1 ? b->bool_sort : Z3_mk_bv_sort(b->c, n->width);
	return Z3_mk_const(b->c, Z3_mk_string_symbol(b->c, name), sort);
}

typedef Z3_ast binary_maker(Z3_context, Z3_ast, Z3_ast);

static binary_maker *const makers[EXPR_OP_COUNT] = {
	[EXPR_ADD] = Z3_mk_bvadd,   [EXPR_SUB] = Z3_mk_bvsub,   [EXPR_MUL] = Z3_mk_bvmul,
	[EXPR_UDIV] = Z3_mk_bvudiv, [EXPR_SDIV] = Z3_mk_bvsdiv, [EXPR_UREM] = Z3_mk_bvurem,
	[EXPR_SREM] = Z3_mk_bvsrem, [EXPR_AND] = Z3_mk_bvand,   [EXPR_OR] = Z3_mk_bvor,
	[EXPR_XOR] = Z3_mk_bvxor,   [EXPR_SHL] = Z3_mk_bvshl,   [EXPR_LSHR] = Z3_mk_bvlshr,
	[EXPR_ASHR] = Z3_mk_bvashr, [EXPR_EQ] = Z3_mk_eq,       [EXPR_ULT] = Z3_mk_bvult,
	[EXPR_ULE] = Z3_mk_bvule,   [EXPR_SLT] = Z3_mk_bvslt,   [EXPR_SLE] = Z3_mk_bvsle,
	[EXPR_CONCAT] = Z3_mk_concat,
};

/* Width 1 stays Boolean where it can. */
static Z3_ast binary(struct backend *b, const struct expr_node *n)
{
	Z3_ast a = b->terms[n->a], d = b->terms[n->b], both[2] = {a, d};
	unsigned width = expr_node(b->f->p->m->x->exprs, n->a)->width;
	if (width == 1 && n->op == EXPR_AND)
		return Z3_mk_and(b->c, 2, both);
	if (width == 1 && n->op == EXPR_OR)
		return Z3_mk_or(b->c, 2, both);
	if (width == 1 && n->op == EXPR_XOR)
		return Z3_mk_xor(b->c, a, d);
	if (width == 1 && n->op == EXPR_EQ)
		return Z3_mk_iff(b->c, a, d);
	Z3_ast t = makers[n->op](b->c, as_bits(b, a), as_bits(b, d));
	return n->width == 1 ? as_bool(b, t) : t;
}

/* ---- floating point: bit patterns outside, Z3's theory inside ---- */

static Z3_sort float_sort(struct backend *b, unsigned width)
{
	return width == 32 ? Z3_mk_fpa_sort_32(b->c) : Z3_mk_fpa_sort_64(b->c);
}

static Z3_ast compare_floats(struct backend *b, unsigned predicate, Z3_ast x, Z3_ast y)
{
	Z3_ast any[4];
	unsigned n = 0;
	if (predicate & 1)
		any[n++] = Z3_mk_fpa_eq(b->c, x, y);
	if (predicate & 2)
		any[n++] = Z3_mk_fpa_gt(b->c, x, y);
	if (predicate & 4)
		any[n++] = Z3_mk_fpa_lt(b->c, x, y);
	Z3_ast nan[2] = {Z3_mk_fpa_is_nan(b->c, x), Z3_mk_fpa_is_nan(b->c, y)};
	if (predicate & 8)
		any[n++] = Z3_mk_or(b->c, 2, nan);
	return n ? Z3_mk_or(b->c, n, any) : Z3_mk_false(b->c);
}

static Z3_ast floating(struct backend *b, const struct expr_node *n, unsigned inner)
{
	bool from_integer = n->op == EXPR_SI_TO_F || n->op == EXPR_UI_TO_F;
	Z3_ast nearest = Z3_mk_fpa_rne(b->c), zero = Z3_mk_fpa_rtz(b->c), x = as_bits(b, b->terms[n->a]), y = NULL, t;
	if (!from_integer)
		x = Z3_mk_fpa_to_fp_bv(b->c, x, float_sort(b, inner));
	if (n->b)
		y = Z3_mk_fpa_to_fp_bv(b->c, as_bits(b, b->terms[n->b]), float_sort(b, inner));
	switch (n->op) {
	case EXPR_FADD: t = Z3_mk_fpa_add(b->c, nearest, x, y); break;
	case EXPR_FSUB: t = Z3_mk_fpa_sub(b->c, nearest, x, y); break;
	case EXPR_FMUL: t = Z3_mk_fpa_mul(b->c, nearest, x, y); break;
	case EXPR_FDIV: t = Z3_mk_fpa_div(b->c, nearest, x, y); break;
	case EXPR_FSQRT: t = Z3_mk_fpa_sqrt(b->c, nearest, x); break;
	case EXPR_SI_TO_F: t = Z3_mk_fpa_to_fp_signed(b->c, nearest, x, float_sort(b, n->width)); break;
	case EXPR_UI_TO_F: t = Z3_mk_fpa_to_fp_unsigned(b->c, nearest, x, float_sort(b, n->width)); break;
	case EXPR_F_TO_F: t = Z3_mk_fpa_to_fp_float(b->c, nearest, x, float_sort(b, n->width)); break;
	case EXPR_FCMP: return compare_floats(b, (unsigned)n->value, x, y);
	case EXPR_F_TO_SI: return n->width == 1 ? as_bool(b, Z3_mk_fpa_to_sbv(b->c, zero, x, 1)) :
							  Z3_mk_fpa_to_sbv(b->c, zero, x, n->width);
	default: return n->width == 1 ? as_bool(b, Z3_mk_fpa_to_ubv(b->c, zero, x, 1)) :
					  Z3_mk_fpa_to_ubv(b->c, zero, x, n->width);
	}
	return Z3_mk_fpa_to_ieee_bv(b->c, t);
}

/* Does any expression need Z3's floating point? */
static bool has_floats(const struct expr_arena *x)
{
	for (size_t i = 1; i <= expr_count(x); i++)
		if (expr_is_float_op(expr_node(x, (expr)i)->op))
			return true;
	return false;
}

static Z3_ast term(struct backend *b, const struct expr_node *n)
{
	unsigned inner = expr_node(b->f->p->m->x->exprs, n->a)->width;
	Z3_ast t;
	switch (n->op) {
	case EXPR_CONST:
		return constant(b, n->width, n->value);
	case EXPR_SYM:
		return symbol(b, n);
	case EXPR_ITE:
		return Z3_mk_ite(b->c, b->terms[n->a], b->terms[n->b], b->terms[n->c]);
	case EXPR_EXTRACT:
		t = Z3_mk_extract(b->c, (unsigned)n->value + n->width - 1, (unsigned)n->value,
				  as_bits(b, b->terms[n->a]));
		return n->width == 1 ? as_bool(b, t) : t;
	case EXPR_ZEXT:
		return Z3_mk_zero_ext(b->c, n->width - inner, as_bits(b, b->terms[n->a]));
	case EXPR_SEXT:
		return Z3_mk_sign_ext(b->c, n->width - inner, as_bits(b, b->terms[n->a]));
	default:
		return expr_is_float_op(n->op) ? floating(b, n, inner) : binary(b, n);
	}
}

static bool is_set(const volatile bool *stop)
{
	return stop && *stop;
}

/* Makes the terms of e and everything below it that is not made yet; false when it is stopped before that is done. */
static bool make_terms(struct backend *b, expr e, const volatile bool *stop)
{
	const struct expr_node *nodes = expr_nodes(b->f->p->m->x->exprs);
	vec(expr) stack = {0};
	*vec_push(&stack) = e;
	while (stack.n && !is_set(stop)) {
		expr at = stack.at[stack.n - 1];
		const expr below[3] = {nodes[at].a, nodes[at].b, nodes[at].c};
		bool ready = true;
		for (int i = 0; i < 3; i++)
			if (below[i] && !b->terms[below[i]]) {
				*vec_push(&stack) = below[i];
				ready = false;
			}
		if (!ready)
			continue;
		if (!b->terms[at])
			b->terms[at] = term(b, &nodes[at]);
		stack.n--;
	}
	vec_free(&stack);
	return b->terms[e] != NULL;
}

static Z3_ast value_term(struct backend *b, expr e)
{
	make_terms(b, e, NULL);
	return b->terms[e];
}

static Z3_ast bits_of(struct backend *b, expr e, unsigned low, unsigned width)
{
	Z3_ast t = as_bits(b, value_term(b, e));
	if (low == 0 && width == expr_node(b->f->p->m->x->exprs, e)->width)
		return t;
	return Z3_mk_extract(b->c, low + width - 1, low, t);
}

/* -------------------------------------------------- clauses ------------------------------ */

static Z3_ast place(struct backend *b, uint32_t node)
{
	if (!b->place[node]) {
		char name[32];
		snprintf(name, sizeof name, "o%u", node);
		b->place[node] = Z3_mk_const(b->c, Z3_mk_string_symbol(b->c, name),
					     Z3_mk_int_sort(b->c));
	}
	return b->place[node];
}

static Z3_ast earlier(struct backend *b, uint32_t p, uint32_t q)
{
	Z3_ast both[2] = {place(b, p), place(b, q)};
	return Z3_mk_le(b->c, Z3_mk_sub(b->c, 2, both),
			Z3_mk_int(b->c, -1, Z3_mk_int_sort(b->c)));
}

static Z3_ast new_boolean(struct backend *b, size_t v)
{
	char name[48];
	const struct variable *var = &b->f->variables.at[v];
	static const char *const prefix[] = {"true", "sees", "order", "wakes", "help", "run", "owner"};
	snprintf(name, sizeof name, "%s_%u_%u", prefix[var->kind], var->a, var->b);
	Z3_ast t = Z3_mk_const(b->c, Z3_mk_string_symbol(b->c, name), b->bool_sort);
	/* Z3 tries false first: let that be the order that was guessed. */
	const uint32_t *guess = b->f->guess;
	bool flip = var->kind == VARIABLE_ORDER && guess && guess[var->a] < guess[var->b];
	return flip ? Z3_mk_not(b->c, t) : t;
}

static void add_variables(struct backend *b)
{
	for (size_t v = b->variables.n; v < b->f->variables.n; v++) {
		const struct variable *var = &b->f->variables.at[v];
		Z3_ast t;
		if (var->kind == VARIABLE_CONSTANT) {
			t = Z3_mk_true(b->c);
		} else if (var->kind == VARIABLE_ORDER && b->difference) {
			t = earlier(b, var->a, var->b);
			Z3_ast either[2] = {t, earlier(b, var->b, var->a)};
			Z3_solver_assert(b->c, b->s, Z3_mk_or(b->c, 2, either));
		} else {
			t = new_boolean(b, v);
		}
		*vec_push(&b->variables) = t;
	}
}

static Z3_ast literal_term(struct backend *b, literal l)
{
	return l > 0 ? b->variables.at[l] : Z3_mk_not(b->c, b->variables.at[-l]);
}

static void clause_range(const struct formula *f, size_t clause, uint32_t *from, uint32_t *to)
{
	*from = clause ? f->ends.at[clause - 1] : 0;
	*to = f->ends.at[clause];
}

static void add_clauses(struct backend *b, const volatile bool *stop)
{
	vec(Z3_ast) terms = {0};
	for (; b->clauses < b->f->ends.n && !is_set(stop); b->clauses++) {
		uint32_t from, to;
		clause_range(b->f, b->clauses, &from, &to);
		terms.n = 0;
		for (uint32_t i = from; i < to; i++)
			*vec_push(&terms) = literal_term(b, b->f->literals.at[i]);
		Z3_solver_assert(b->c, b->s, Z3_mk_or(b->c, (unsigned)terms.n, terms.at));
	}
	for (; b->exclusive < b->f->exclusive.n && !is_set(stop); b->exclusive++) {
		uint32_t from, to;
		clause_range(b->f, b->f->exclusive.at[b->exclusive], &from, &to);
		terms.n = 0;
		for (uint32_t i = from; i < to; i++)
			*vec_push(&terms) = literal_term(b, b->f->literals.at[i]);
		if (terms.n > 1)
			Z3_solver_assert(b->c, b->s,
					 Z3_mk_atmost(b->c, (unsigned)terms.n, terms.at, 1));
	}
	vec_free(&terms);
}

static void add_equalities(struct backend *b, const volatile bool *stop)
{
	for (; b->equalities < b->f->equalities.n && !is_set(stop); b->equalities++) {
		const struct equality *e = &b->f->equalities.at[b->equalities];
		Z3_ast right = e->b ? bits_of(b, e->b, e->b_low, e->width)
				    : as_bits(b, constant(b, e->width, e->value));
		Z3_ast equal = Z3_mk_eq(b->c, bits_of(b, e->a, e->a_low, e->width), right);
		if (e->guard != LITERAL_TRUE)
			equal = Z3_mk_implies(b->c, literal_term(b, e->guard), equal);
		Z3_solver_assert(b->c, b->s, equal);
	}
}

static void add_conditions(struct backend *b, const volatile bool *stop)
{
	const struct execution *x = b->f->p->m->x;
	for (; b->conditions < x->conditions.n && make_terms(b, x->conditions.at[b->conditions].condition, stop); b->conditions++)
		Z3_solver_assert(b->c, b->s, as_bool(b, b->terms[x->conditions.at[b->conditions].condition]));
}

static void add_known(struct backend *b)
{
	for (size_t i = 0; b->difference && i < b->f->known.n; i++)
		Z3_solver_assert(b->c, b->s, earlier(b, b->f->known.at[i].a, b->f->known.at[i].b));
}

/* A part of it when it is stopped; the rest comes with the next call. */
static void update(struct backend *b, const volatile bool *stop)
{
	add_conditions(b, stop);
	add_variables(b);
	add_clauses(b, stop);
	add_equalities(b, stop);
}

/* -------------------------------------------------- the table ---------------------------- */

/* A context with the formula's known orders; its conditions and clauses come with the next check. */
static void open_context(struct backend *b)
{
	/* Finite domains: Z3's incremental SAT solver, the fastest of its solvers on these formulas. */
	const struct expr_arena *exprs = b->f->p->m->x->exprs;
	const char *logic = has_floats(exprs) ? "QF_BVFP" : "QF_FD";
	Z3_config config = Z3_mk_config();
	b->c = Z3_mk_context(config);
	Z3_del_config(config);
	Z3_set_error_handler(b->c, on_error);
	b->s = b->difference ? Z3_mk_simple_solver(b->c)
			     : Z3_mk_solver_for_logic(b->c, Z3_mk_string_symbol(b->c, logic));
	Z3_solver_inc_ref(b->c, b->s);
	b->bool_sort = Z3_mk_bool_sort(b->c);
	b->nterms = expr_count(exprs) + 1;
	b->terms = xcalloc(b->nterms, sizeof *b->terms);
	b->place = b->difference ? xcalloc(b->f->p->m->nnodes, sizeof *b->place) : NULL;
	*vec_push(&b->variables) = NULL;
	add_known(b);
}

static void close_context(struct backend *b)
{
	if (b->m)
		Z3_model_dec_ref(b->c, b->m);
	Z3_solver_dec_ref(b->c, b->s);
	Z3_del_context(b->c);
	b->m = NULL;
	b->conditions = b->clauses = b->equalities = b->exclusive = b->variables.n = 0;
	free(b->terms);
	free(b->place);
}

static struct backend *open_z3(const struct formula *f, bool difference)
{
	struct backend *b = xcalloc(1, sizeof *b);
	pthread_mutex_init(&b->guard, NULL);
	b->f = f;
	b->difference = difference;
	open_context(b);
	return b;
}

static struct backend *open_lazy(const struct formula *f, struct error *err)
{
	(void)err;
	return open_z3(f, false);
}

static struct backend *open_difference(const struct formula *f, struct error *err)
{
	(void)err;
	return open_z3(f, true);
}

static void set_checking(struct backend *b, bool checking)
{
	pthread_mutex_lock(&b->guard);
	b->checking = checking;
	pthread_mutex_unlock(&b->guard);
}

static Z3_lbool check(struct backend *b, const Z3_ast *assumed, unsigned nassumed)
{
	checked = b;
	set_checking(b, true);
	Z3_lbool r = nassumed ? Z3_solver_check_assumptions(b->c, b->s, nassumed, assumed) : Z3_solver_check(b->c, b->s);
	set_checking(b, false);
	checked = NULL;
	return r;
}

static void set_timeout(struct backend *b, double seconds)
{
	Z3_params p = Z3_mk_params(b->c);
	Z3_params_inc_ref(b->c, p);
	double ms = seconds * 1000;
	Z3_params_set_uint(b->c, p, Z3_mk_string_symbol(b->c, "timeout"),
			   ms < 1 ? 1 : ms > 4e9 ? 4000000000u : (unsigned)ms);
	Z3_solver_set_params(b->c, b->s, p);
	Z3_params_dec_ref(b->c, p);
}

static enum solve_result check_z3(struct backend *b, const literal *assumed, size_t nassumed, double seconds,
				  const volatile bool *stop)
{
	vec(Z3_ast) terms = {0};
	if (b->interrupted) { /* whenever the interrupt came: calls may fail from then on, and clauses be lost */
		close_context(b);
		open_context(b);
		b->interrupted = false;
	}
	update(b, stop);
	if (is_set(stop))
		return SOLVE_UNKNOWN;
	for (size_t i = 0; i < nassumed; i++)
		*vec_push(&terms) = literal_term(b, assumed[i]);
	set_timeout(b, seconds);
	if (b->m)
		Z3_model_dec_ref(b->c, b->m);
	b->m = NULL;
	Z3_lbool r = check(b, terms.at, (unsigned)terms.n);
	vec_free(&terms);
	if (r == Z3_L_UNDEF || b->interrupted)
		return SOLVE_UNKNOWN;
	if (r == Z3_L_FALSE)
		return SOLVE_UNSAT;
	b->m = Z3_solver_get_model(b->c, b->s);
	Z3_model_inc_ref(b->c, b->m);
	return SOLVE_SAT;
}

static void interrupt_z3(struct backend *b)
{
	pthread_mutex_lock(&b->guard);
	if (b->checking) {
		b->interrupted = true;
		Z3_interrupt(b->c);
	}
	pthread_mutex_unlock(&b->guard);
}

static void model_z3(struct backend *b, bool *out, size_t n)
{
	out[0] = false;
	for (size_t v = 1; v < n; v++) {
		Z3_ast value;
		out[v] = v < b->variables.n &&
			 Z3_model_eval(b->c, b->m, b->variables.at[v], true, &value) &&
			 Z3_get_bool_value(b->c, value) == Z3_L_TRUE;
	}
}

static char *smt2_z3(struct backend *b)
{
	update(b, NULL);
	return xasprintf("%s(check-sat)\n(get-model)\n", Z3_solver_to_string(b->c, b->s));
}

static void close_z3(struct backend *b)
{
	close_context(b);
	vec_free(&b->variables);
	pthread_mutex_destroy(&b->guard);
	free(b);
}

const struct solver_ops solver_z3_lazy = {
	.name = "z3-lazy", .about = "Z3, order constraints added when violated", .lazy = true,
	.open = open_lazy, .check = check_z3, .interrupt = interrupt_z3, .model = model_z3, .smt2 = smt2_z3, .close = close_z3,
};

const struct solver_ops solver_z3_difference = {
	.name = "z3-difference", .about = "Z3, order as integer difference logic", .lazy = false,
	.open = open_difference, .check = check_z3, .interrupt = interrupt_z3, .model = model_z3, .smt2 = smt2_z3,
	.close = close_z3,
};
