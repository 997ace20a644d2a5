#include "infer/forced.h"

#include <stdlib.h>
#include <string.h>

void forced_release(struct forced *f)
{
	vec_free(&f->values);
	vec_free(&f->hashes);
}

bool forced_any(const struct forced *f)
{
	return f->values.n != 0;
}

static int compare_forced(const void *p, const void *q)
{
	const struct forced_value *a = p, *b = q;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->sap != b->sap)
		return a->sap < b->sap ? -1 : 1;
	return a->piece < b->piece ? -1 : a->piece > b->piece;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Were these values forced before, after a run that met the same? From now on they were. */
static bool was_forced(struct forced *f, const struct execution *x, const struct forced_value *values, size_t n)
{
	uint64_t hash = mix(mix(x->events.n, x->nsymbols), x->conditions.n);
	for (size_t i = 0; i < n; i++)
		hash = mix(mix(mix(hash, (uint64_t)values[i].thread << 32 | values[i].piece), values[i].sap), values[i].value);
	for (size_t i = 0; i < f->hashes.n; i++)
		if (f->hashes.at[i] == hash)
			return true;
	*vec_push(&f->hashes) = hash;
	return false;
}

typedef vec(struct forced_value) forced_values;

/* What its racy reads read; by thread, sap, piece. */
static forced_values values_of(const struct execution *x, const uint64_t *symbols)
{
	forced_values fresh = { 0 };
	uint64_t *values = xcalloc(expr_count(x->exprs) + 1, sizeof *values);
	expr_eval_all(x->exprs, symbols, values);
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *v = &x->events.at[i];
		if ((v->kind != EVENT_READ && v->kind != EVENT_UPDATE) || !v->read)
			continue;
		*vec_push(&fresh) = (struct forced_value){ x->threads.at[v->thread].log_number, v->piece, v->sap,
							   values[v->read] };
	}
	free(values);
	if (fresh.n)
		qsort(fresh.at, fresh.n, sizeof *fresh.at, compare_forced);
	return fresh;
}

static bool write_values(const char *dir, const forced_values *values, struct error *err)
{
	char *path = xasprintf("%s/values", dir);
	bool ok = write_file(path, values->at, values->n * sizeof *values->at, err);
	free(path);
	return ok;
}

bool forced_write(const char *dir, const struct execution *x, const uint64_t *symbols, struct error *err)
{
	forced_values values = values_of(x, symbols);
	bool ok = write_values(dir, &values, err);
	vec_free(&values);
	return ok;
}

bool forced_set(struct forced *f, const struct execution *x, const uint64_t *symbols, enum forced_before *what, struct error *err)
{
	forced_values fresh = values_of(x, symbols);
	bool same = fresh.n == f->values.n && !(fresh.n && memcmp(fresh.at, f->values.at, fresh.n * sizeof *fresh.at));
	*what = same ? FORCED_SAME : was_forced(f, x, fresh.at, fresh.n) ? FORCED_AGAIN : FORCED_NEW;
	vec_free(&f->values);
	f->values.at = fresh.at;
	f->values.n = fresh.n;
	f->values.cap = fresh.cap;
	return write_values(f->dir, &fresh, err);
}

/* The symbols that guesses rest on: operands have smaller numbers, so one scan backwards finds them. */
static bool *assumed_symbols(const struct execution *x)
{
	size_t n = expr_count(x->exprs);
	bool *needed = xcalloc(n + 1, sizeof *needed), *used = xcalloc(x->nsymbols + 1, sizeof *used);
	for (size_t i = 0; i < x->conditions.n; i++)
		if (x->conditions.at[i].kind == CONDITION_ASSUMED || x->conditions.at[i].kind == CONDITION_ADDRESS)
			needed[x->conditions.at[i].condition] = true;
	for (size_t e = n; e; e--) {
		const struct expr_node *node = expr_node(x->exprs, (expr)e);
		if (!needed[e])
			continue;
		if (node->op == EXPR_SYM)
			used[node->value] = true;
		needed[node->a] = needed[node->b] = needed[node->c] = true; /* [0] is unused */
	}
	free(needed);
	return used;
}

bool forced_exclude(struct forced *f, const struct execution *x, const uint64_t *symbols, struct error *err)
{
	bool *used = assumed_symbols(x);
	char *path = xasprintf("%s/nogoods", f->dir), *old = NULL;
	size_t size = 0;
	read_file(path, &old, &size, NULL); /* there may be none yet */
	vec(struct forced_value) all = { 0 };
	for (size_t i = 0; i < size / sizeof(struct forced_value); i++)
		*vec_push(&all) = ((const struct forced_value *)old)[i];
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *v = &x->events.at[i];
		if ((v->kind != EVENT_READ && v->kind != EVENT_UPDATE) || !v->read)
			continue;
		const struct expr_node *n = expr_node(x->exprs, v->read);
		if (n->op == EXPR_SYM && used[n->value])
			*vec_push(&all) = (struct forced_value){ x->threads.at[v->thread].log_number, v->piece,
								 v->sap, symbols[n->value] };
	}
	*vec_push(&all) = (struct forced_value){ 0 };
	bool ok = write_file(path, all.at, all.n * sizeof *all.at, err);
	vec_free(&all);
	free(path);
	free(old);
	free(used);
	return ok;
}
