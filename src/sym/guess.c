/*
 * Guesses. A racy read has a symbol for its value, but also needs a concrete one to go on with: what the solver's
 * last model says it reads (forced), or else what memory happens to hold. Where a guess decides something
 * (an address, an argument) it is an assumption. An assumption that leads a thread off its recorded path is refuted:
 * the reads it came from become a nogood, a condition on the next model (src/infer/forced.c).
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int compare(const struct forced_value *a, uint32_t thread, uint64_t sap, uint32_t piece)
{
	if (a->thread != thread)
		return a->thread < thread ? -1 : 1;
	if (a->sap != sap)
		return a->sap < sap ? -1 : 1;
	return a->piece < piece ? -1 : a->piece > piece;
}

static const struct forced_value *find_forced(uint32_t thread, uint64_t sap, uint32_t piece)
{
	size_t low = 0, high = engine.forced.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = compare(&engine.forced.at[mid], thread, sap, piece);
		if (!c)
			return &engine.forced.at[mid];
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* How much the thread has learnt from others. */
static uint64_t heard(const struct ethread *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->clock.n; i++)
		if (i != t->number)
			sum += t->clock.at[i];
	return sum;
}

/*
 * A thread that was forced to read what was there before the last write ran ahead of that write, and so did probably
 * its next reads of the place, until it hears of something or the place changes again: or each of them
 * would need a revision of its own.
 */
static uint64_t likely_value(struct ethread *t, uint64_t address, uint64_t in_memory, const struct forced_value *f)
{
	struct lag *l = &t->lags[address / 8 % (sizeof t->lags / sizeof *t->lags)];
	if (f) {
		*l = (struct lag){ 0 };
		if (f->value != in_memory)
			*l = (struct lag){ address, in_memory, f->value, heard(t) };
		return f->value;
	}
	bool lags = l->address == address && l->in_memory == in_memory && l->heard == heard(t);
	/* Where its path ends, it met something new. */
	return lags && !engine_path_used_up(t) ? l->seen : in_memory;
}

/*
 * The values of a model are those of its events. What a thread read in rounds that were left out of it (laps.c), which a run on those values goes through, is what it had found there the
 * time before.
 */
static uint64_t known_value(struct ethread *t, uint64_t address, uint64_t in_memory, const struct forced_value *f)
{
	struct lag *l = &t->lags[address / 8 % (sizeof t->lags / sizeof *t->lags)];
	if (f)
		*l = (struct lag){ address, 0, f->value, heard(t) };
	return f ? f->value : l->address == address && l->heard == heard(t) ? l->seen : in_memory;
}

void guess_wrote(struct ethread *t, uint64_t address)
{
	struct lag *l = &t->lags[address / 8 % (sizeof t->lags / sizeof *t->lags)];
	if (l->address == address)
		*l = (struct lag){ 0 };
}

uint32_t guess_piece(struct ethread *t)
{
	if (t->piece_sap != t->saps) {
		t->piece_sap = t->saps;
		t->pieces = 0;
	}
	return t->pieces++;
}

struct slot guess_read(struct ethread *t, uint64_t address, unsigned size, uint64_t in_memory, uint32_t *piece)
{
	*piece = guess_piece(t);
	uint32_t thread = t->log ? t->log->info.number : UINT32_MAX;
	const struct forced_value *f = find_forced(thread, t->saps, *piece);
	if (ties_on()) {
		t->unsure = !f;
		return (struct slot){ known_value(t, address, in_memory, f), EXPR_NONE };
	}
	uint64_t value = likely_value(t, address, in_memory, f);
	expr symbol = expr_sym(engine.exprs, size * 8, engine.symbols.n);
	*vec_push(&engine.symbols) = (struct symbol_info){ { thread, *piece, t->saps, value }, t, symbol, address };
	return (struct slot){ value, symbol };
}

void guess_was(expr e, uint64_t v)
{
	const struct expr_node *n = expr_node(engine.exprs, e);
	if (n->op == EXPR_SYM && !ties_on())
		engine.symbols.at[n->value].read.value = v;
}

/* Was the expression assumed before? Then its condition is there already. */
static bool is_assumed(expr e)
{
	static uint8_t *seen; /* by expression */
	static size_t size;
	if (e >= size) {
		size_t old = size;
		size = e * 2u + 1024;
		seen = xrealloc(seen, size);
		memset(seen + old, 0, size - old);
	}
	bool was = seen[e];
	seen[e] = true;
	return was;
}

void guess_assume(struct ethread *t, expr e, uint64_t v, bool address)
{
	t->assumed_at = ithread_instructions(t->interp);
	e = counting_clean(t, e);
	if (!e || ties_on())
		return;
	if (address) {
		t->address = e;
		t->address_at = t->assumed_at;
		t->address_value = v;
	}
	if (is_assumed(e))
		return;
	condition_add(t, e, v, address ? CONDITION_ADDRESS : CONDITION_ASSUMED);
	*vec_push(&engine.assumptions) = (struct assumption){ e, v, t->number, t->clock.at[t->number] };
}

expr guess_take_address(struct ethread *t, uint64_t at)
{
	expr e = t->address;
	t->address = EXPR_NONE;
	return e && t->address_value == at && t->address_at == ithread_instructions(t->interp) ? e : EXPR_NONE;
}

expr guess_guarded(struct ethread *t, expr address, uint64_t at, const struct slot *value, unsigned size)
{
	if (!address)
		return value->e;
	expr found = value_expr(value, size), unknown = expr_sym(engine.exprs, size * 8, engine.symbols.n);
	*vec_push(&engine.symbols) = (struct symbol_info){ { UINT32_MAX, 0, 0, 0 }, t, unknown, 0 };
	return expr_ite(engine.exprs, expr_equals(engine.exprs, address, at), found, unknown);
}

/* ---- refuting ---- */

/* Is the expression looked at for the first time for the nogood that begins at `first`? */
static bool is_new(expr e, size_t first)
{
	static uint32_t *visited, round; /* by expression: the nogood it was last looked at for */
	static size_t size, last_first = SIZE_MAX;
	if (first != last_first) {
		last_first = first;
		round++;
	}
	if (e >= size) {
		size_t old = size;
		size = (size_t)e * 2 + 1024;
		visited = xrealloc(visited, size * sizeof *visited);
		memset(visited + old, 0, (size - old) * sizeof *visited);
	}
	bool is = visited[e] != round;
	visited[e] = round;
	return is;
}

/* Adds the reads that the expression depends on; expressions share parts and are deep, so there is a list of what is left. */
static void add_reads(expr e, size_t first)
{
	vec(expr) left = { 0 };
	*vec_push(&left) = e;
	while (left.n) {
		expr at = left.at[--left.n];
		if (!at || !is_new(at, first))
			continue;
		const struct expr_node *n = expr_node(engine.exprs, at);
		if (n->op == EXPR_SYM && engine.symbols.at[n->value].read.sap)
			*vec_push(&engine.nogoods) = engine.symbols.at[n->value].read;
		*vec_push(&left) = n->a;
		*vec_push(&left) = n->b;
		*vec_push(&left) = n->c;
	}
	vec_free(&left);
}

/* What it found since may be missing only because another thread was led off its path: no guess of its own need be wrong. */
static bool knows_of_refuted(const struct ethread *t)
{
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *u = engine.threads.at[i];
		if (u != t && u->refuted_at && u->number < t->clock.n && t->clock.at[u->number] >= u->refuted_at)
			return true;
	}
	return false;
}

void guess_refute(struct ethread *t)
{
	if (knows_of_refuted(t))
		return;
	t->refuted_at = t->clock.at[t->number];
	size_t first = engine.nogoods.n;
	/* An assumption about the very address that turned out bad is to blame alone. */
	bool exact = t->assumed_at == ithread_instructions(t->interp);
	for (size_t i = engine.assumptions.n; i--;) {
		const struct assumption *a = &engine.assumptions.at[i];
		if (a->thread >= t->clock.n || a->time > t->clock.at[a->thread] ||
		    (exact && a->thread != t->number))
			continue;
		add_reads(a->e, first);
		if (exact)
			break;
	}
	if (engine.nogoods.n == first)
		return;
	engine.refuted++;
	*vec_push(&engine.nogoods) = (struct forced_value){ 0 };
}

static int by_read(const void *p, const void *q)
{
	const struct forced_value *a = &engine.symbols.at[*(const uint32_t *)p].read;
	const struct forced_value *b = &engine.symbols.at[*(const uint32_t *)q].read;
	return compare(a, b->thread, b->sap, b->piece);
}

/* The symbol of a read in this run, or NULL. At the end of the run: there will be no more symbols. */
static const struct symbol_info *symbol_of(const struct forced_value *read)
{
	static uint32_t *sorted;
	if (!sorted) {
		sorted = xcalloc(engine.symbols.n + 1, sizeof *sorted);
		for (uint32_t i = 0; i < engine.symbols.n; i++)
			sorted[i] = i;
		qsort(sorted, engine.symbols.n, sizeof *sorted, by_read);
	}
	size_t low = 0, high = engine.symbols.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct symbol_info *s = &engine.symbols.at[sorted[mid]];
		int c = compare(&s->read, read->thread, read->sap, read->piece);
		if (!c)
			return s;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Not all of them at once. Where one does not occur in this run, there is nothing to exclude. */
static void exclude(const struct forced_value *reads, size_t n)
{
	expr all = expr_const(engine.exprs, 1, 1);
	struct ethread *t = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct symbol_info *s = symbol_of(&reads[i]);
		if (!s)
			return;
		all = expr_binary(engine.exprs, EXPR_AND, all, expr_equals(engine.exprs, s->symbol, reads[i].value));
		t = s->thread;
	}
	if (t)
		condition_add(t, all, 0, CONDITION_LEARNED);
}

void guess_finish(bool races_known)
{
	if (!races_known)
		engine.nogoods.n = engine.nogoods_loaded;
	for (size_t i = 0, first = 0; i < engine.nogoods.n; i++)
		if (!engine.nogoods.at[i].sap) {
			exclude(&engine.nogoods.at[first], i - first);
			first = i + 1;
		}
	char *path = xasprintf("%s/nogoods", engine.config->state);
	struct error err;
	if (!write_file(path, engine.nogoods.at, engine.nogoods.n * sizeof *engine.nogoods.at, &err))
		engine_fatal("%s", err.text);
	free(path);
}

/* Is it the thread that got the signal that ended the recorded run, and does its log say nothing more? */
static bool has_no_more_log(const struct ethread *t)
{
	const struct rt_failure *f = &engine.trace->failure;
	return f->kind == RT_FAIL_SIGNAL && t->log && t->log->info.number == f->thread && engine_log_used_up(t);
}

bool guess_is_where_it_failed(const struct ethread *t)
{
	if (!engine.fail_line || !has_no_more_log(t))
		return false;
	struct position p;
	ithread_position(t->interp, &p);
	const char *slash = strrchr(p.file, '/');
	return p.line == engine.fail_line && !strcmp(slash ? slash + 1 : p.file, engine.fail_file);
}

/* Divisions of several lines that the compiler has made one have no line of their own. */
static bool failed_in_no_line(void)
{
	const struct rt_failure *f = &engine.trace->failure;
	return !engine.fail_line && f->nframes && f->frames[0];
}

bool guess_division_fails(const struct ethread *t)
{
	return engine.trace->failure.signal == SIGFPE && (guess_is_where_it_failed(t) || (failed_in_no_line() && has_no_more_log(t)));
}

bool guess_is_fault(struct ethread *t, expr e, bool address, uint64_t *v)
{
	const struct rt_failure *f = &engine.trace->failure;
	/* Other signals have no address: an uncaught exception's abort. */
	bool of_memory = f->signal == SIGSEGV || f->signal == SIGBUS;
	if (!of_memory || f->address >= RT_PAGE || !guess_is_where_it_failed(t))
		return false;
	/* It failed where it jumped to, or in a library: no address of the program's own, nor a parameter of what is not there. */
	if (f->nframes && !f->frames[0] && (address || t->calls_nothing))
		return false;
	/* A field of a null pointer: the pointer itself is null. */
	*v = expr_node(engine.exprs, e)->op == EXPR_SYM ? 0 : f->address;
	return true;
}

bool guess_is_wild(struct ethread *t, expr e, bool address, uint64_t *v)
{
	const struct rt_failure *f = &engine.trace->failure;
	const uint64_t first = 1ull << 47; /* the addresses that are none: up to -first */
	if (f->address != RT_NO_ADDRESS || f->signal != SIGSEGV || !address || expr_node(engine.exprs, e)->width != 64 || !guess_is_where_it_failed(t))
		return false;
	expr above = expr_binary(engine.exprs, EXPR_SUB, e, expr_const(engine.exprs, 64, first));
	condition_add(t, expr_binary(engine.exprs, EXPR_ULT, above, expr_const(engine.exprs, 64, -2 * first)), 1, CONDITION_BUG);
	if (*v - first >= -2 * first)
		*v = first;
	return true;
}

/* A file of forced values, as it was written by the driver or by an earlier run. */
static void load_values(const char *name, struct forced_value **at, size_t *n, size_t *cap)
{
	char *data, *path = xasprintf("%s/%s", engine.config->state, name);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		*n = *cap = size / sizeof **at;
		*at = (struct forced_value *)data;
	}
	free(path);
}

void guess_load(void)
{
	load_values("values", &engine.forced.at, &engine.forced.n, &engine.forced.cap);
	load_values("nogoods", &engine.nogoods.at, &engine.nogoods.n, &engine.nogoods.cap);
	engine.nogoods_loaded = engine.nogoods.n;
	char *data, *path = xasprintf("%s/failure", engine.config->state);
	if (read_file(path, &data, NULL, NULL)) {
		sscanf(data, "%u %127s", &engine.fail_line, engine.fail_file);
		free(data);
	}
	free(path);
}
