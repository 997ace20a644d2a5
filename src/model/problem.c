#include "model/problem.h"

#include "model/sole.h"

#include <stdlib.h>
#include <string.h>

unsigned atom_low_bit(const struct memory *m, uint32_t event, uint32_t atom)
{
	return (unsigned)(m->atoms.at.at[atom].address - m->x->events.at[event].object) * 8;
}

/* -------------------------------------------------- candidates --------------------------- */

/* Above this many candidates they are not written out. */

/*
 * The writes to an atom, grouped by thread and in program order: runs are the threads' parts of problem.writers. Built
 * once per atom that has a read that matters. marked: the part of a run whose expressions are known to matter.
 */
struct writers {
	vec(struct writer_range) runs;
	vec(struct writer_range) marked;
	bool built;
};

static void build_writers(struct problem *p, struct writers *w, uint32_t atom)
{
	const struct memory *m = p->m;
	const struct atom *a = &m->atoms.at.at[atom];
	uint32_t thread = UINT32_MAX;
	w->built = true;
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t e = m->atoms.accesses[a->first + i];
		if (!event_writes(&m->x->events.at[e]))
			continue;
		if (m->x->events.at[e].thread != thread) {
			thread = m->x->events.at[e].thread;
			*vec_push(&w->runs) = (struct writer_range){(uint32_t)p->writers.n, 0};
			*vec_push(&w->marked) = (struct writer_range){0, 0};
		}
		*vec_push(&p->writers) = e;
		w->runs.at[w->runs.n - 1].to = (uint32_t)p->writers.n;
	}
}

/* First of the run that is not known to be visible before the read. */
static uint32_t first_not_before(const struct memory *m, const uint32_t *writers, uint32_t from, uint32_t to,
				 uint32_t read)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (order_before(m->order, m->visible[writers[mid]], read))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* First of the run that is known to be visible only after the read. */
static uint32_t first_after(const struct memory *m, const uint32_t *writers, uint32_t from, uint32_t to,
			    uint32_t read)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (order_before(m->order, read, m->visible[writers[mid]]))
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* First of the run that does not come before the read in program order: both are of one thread. */
static uint32_t first_behind(const uint32_t *writers, uint32_t from, uint32_t to, uint32_t read)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (writers[mid] < read)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Is `w` hidden from the read by one of these other writes? */
static bool hidden(const struct memory *m, uint32_t w, uint32_t read, uint32_t own, const uint32_t *others,
		   size_t n)
{
	uint32_t v = m->visible[w];
	if (own != WRITER_INITIAL && own != w && order_before(m->order, v, m->visible[own]))
		return true;
	for (size_t i = 0; i < n; i++)
		if (others[i] != w && order_before(m->order, v, m->visible[others[i]]) &&
		    order_before(m->order, m->visible[others[i]], read))
			return true;
	return false;
}

/* First of the range that the reading thread's own last write does not hide: what it hides comes first. */
static uint32_t first_not_hidden(const struct problem *p, const struct piece *piece, uint32_t from, uint32_t to)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (hidden(p->m, p->writers.at[mid], piece->event, piece->own, NULL, 0))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/*
 * Appends the candidates of this piece to p->ranges. What is known to come before the read can be seen
 * only if it is the last such of its thread, and none of the other threads' last ones follows it.
 */
static void find_candidates(struct problem *p, const struct writers *w, struct piece *piece)
{
	const struct memory *m = p->m;
	const uint32_t *writers = p->writers.at;
	uint32_t read = piece->event, thread = m->x->events.at[read].thread;
	vec(uint32_t) before = {0};
	piece->own = WRITER_INITIAL;
	piece->ranges = (uint32_t)p->ranges.n;
	for (size_t r = 0; r < w->runs.n; r++) {
		uint32_t from = w->runs.at[r].from, to = w->runs.at[r].to;
		struct writer_range range;
		if (m->x->events.at[writers[from]].thread == thread) {
			uint32_t behind = first_behind(writers, from, to, read);
			if (behind == from)
				continue;
			piece->own = writers[behind - 1];
			range = (struct writer_range){behind - 1, behind};
			if (order_before(m->order, m->visible[piece->own], read))
				*vec_push(&before) = piece->own;
		} else {
			uint32_t open = first_not_before(m, writers, from, to, read);
			range = (struct writer_range){open, first_after(m, writers, open, to, read)};
			if (open > from)
				*vec_push(&before) = writers[--range.from];
		}
		if (range.from < range.to)
			*vec_push(&p->ranges) = range;
	}
	piece->initial = !before.n && piece->own == WRITER_INITIAL;
	piece->count = piece->initial;
	size_t kept = piece->ranges;
	for (size_t i = piece->ranges, b = 0; i < p->ranges.n; i++) {
		struct writer_range range = p->ranges.at[i];
		uint32_t first = writers[range.from];
		bool is_before = b < before.n && before.at[b] == first;
		b += is_before;
		if (is_before && hidden(m, first, read, piece->own, before.at, before.n))
			range.from++;
		range.from = first_not_hidden(p, piece, range.from, range.to);
		piece->count += range.to - range.from;
		if (range.from < range.to)
			p->ranges.at[kept++] = range;
	}
	p->ranges.n = kept;
	piece->nranges = (uint32_t)kept - piece->ranges;
	vec_free(&before);
}

/* Writes the candidates out, unless they are too many. */
static void write_out(struct problem *p, const struct problem_options *options)
{
	uint64_t total = 0, most = options->most ? options->most : PROBLEM_LARGE;
	for (size_t i = 0; i < p->pieces.n; i++)
		total += p->pieces.at[i].count;
	p->large = options->large || (total > most && !options->written_out);
	for (size_t i = 0; !p->large && i < p->pieces.n; i++) {
		struct piece *piece = &p->pieces.at[i];
		piece->first = (uint32_t)p->candidates.n;
		if (piece->initial)
			*vec_push(&p->candidates) = WRITER_INITIAL;
		for (uint32_t r = piece->ranges; r < piece->ranges + piece->nranges; r++)
			for (uint32_t k = p->ranges.at[r].from; k < p->ranges.at[r].to; k++)
				*vec_push(&p->candidates) = p->writers.at[k];
	}
}

/* -------------------------------------------------- initial values ----------------------- */

/* Initial bytes, sorted by address and without overlaps that matter: the first given wins. */
struct byte {
	uint64_t address;
	uint32_t rank;
	uint8_t value;
};

static int by_address(const void *p, const void *q)
{
	const struct byte *a = p, *b = q;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static struct byte *initial_bytes(const struct execution *x, size_t *count)
{
	vec(struct byte) bytes = {0};
	for (uint32_t i = 0; i < x->initials.n; i++)
		for (uint32_t k = 0; k < x->initials.at[i].size; k++)
			*vec_push(&bytes) =
				(struct byte){x->initials.at[i].address + k, i,
					      (uint8_t)(x->initials.at[i].value >> (8 * k))};
	if (bytes.n)
		qsort(bytes.at, bytes.n, sizeof *bytes.at, by_address);
	*count = bytes.n;
	return bytes.at;
}

static const struct byte *find_byte(const struct byte *bytes, size_t n, uint64_t address)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (bytes[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && bytes[low].address == address ? &bytes[low] : NULL;
}

/* Sets p->initial of every atom whose initial value is a candidate. */
static void find_initials(struct problem *p)
{
	const struct memory *m = p->m;
	size_t n;
	struct byte *bytes = initial_bytes(m->x, &n);
	for (uint32_t i = 0; i < p->pieces.n; i++) {
		const struct piece *piece = &p->pieces.at[i];
		if (!piece->initial)
			continue;
		const struct atom *a = &m->atoms.at.at[piece->atom];
		uint64_t value = 0;
		for (uint32_t k = 0; k < a->size; k++) {
			const struct byte *b = find_byte(bytes, n, a->address + k);
			if (b)
				value |= (uint64_t)b->value << (8 * k);
			else
				p->unknown = i;
		}
		p->initial[piece->atom] = value;
	}
	free(bytes);
}

/* -------------------------------------------------- what matters ------------------------- */

/*
 * The closure: symbols in conditions matter; the read that made such a symbol matters; so do the symbols in
 * whatever that read may see.
 */
struct closure {
	struct problem *p;
	struct writers *writers;  /* by atom */
	uint32_t *reader;         /* by symbol: event + 1 */
	bool *seen;               /* by expression node */
	bool *done;               /* by event */
	vec(expr) stack;
	vec(uint32_t) reads;      /* events to look at */
};

static void push_read(struct closure *c, uint32_t event)
{
	if (c->done[event])
		return;
	c->done[event] = true;
	*vec_push(&c->reads) = event;
}

static void mark_expr(struct closure *c, expr e)
{
	const struct expr_node *nodes = expr_nodes(c->p->m->x->exprs);
	*vec_push(&c->stack) = e;
	while (c->stack.n) {
		expr at = c->stack.at[--c->stack.n];
		if (!at || c->seen[at])
			continue;
		c->seen[at] = true;
		if (nodes[at].op == EXPR_SYM) {
			c->p->matters[nodes[at].value] = true;
			if (c->reader[nodes[at].value])
				push_read(c, c->reader[nodes[at].value] - 1);
		}
		*vec_push(&c->stack) = nodes[at].a;
		*vec_push(&c->stack) = nodes[at].b;
		*vec_push(&c->stack) = nodes[at].c;
	}
}

/* What the piece may see matters; of a range that overlaps what was marked last, only the rest is looked at. */
static void mark_candidates(struct closure *c, struct writers *w, const struct piece *piece)
{
	const struct problem *p = c->p;
	for (uint32_t i = 0, run = 0; i < piece->nranges; i++) {
		struct writer_range range = p->ranges.at[piece->ranges + i];
		while (w->runs.at[run].to <= range.from)
			run++;
		struct writer_range *marked = &w->marked.at[run];
		bool overlaps = range.from <= marked->to && marked->from <= range.to;
		for (uint32_t k = range.from; k < range.to; k++) {
			if (overlaps && k >= marked->from && k < marked->to)
				k = marked->to;
			if (k < range.to)
				mark_expr(c, p->m->x->events.at[p->writers.at[k]].written);
		}
		if (!overlaps)
			*marked = range;
		marked->from = range.from < marked->from ? range.from : marked->from;
		marked->to = range.to > marked->to ? range.to : marked->to;
	}
}

static void add_pieces(struct closure *c, uint32_t event)
{
	struct problem *p = c->p;
	const struct memory *m = p->m;
	for (uint32_t k = 0; k < m->atoms.count[event]; k++) {
		uint32_t atom = m->atoms.first[event] + k;
		if (!c->writers[atom].built)
			build_writers(p, &c->writers[atom], atom);
		struct piece piece = {.event = event, .atom = atom,
				      .low = (uint8_t)atom_low_bit(m, event, atom),
				      .width = (uint8_t)(m->atoms.at.at[atom].size * 8)};
		find_candidates(p, &c->writers[atom], &piece);
		*vec_push(&p->pieces) = piece;
		p->racy_reads += piece.count > 1;
		mark_candidates(c, &c->writers[atom], &piece);
	}
}

/* Which event made each symbol. A read is a symbol of its own, a constant, or of no interest. */
static bool find_readers(struct closure *c, struct error *err)
{
	const struct execution *x = c->p->m->x;
	for (uint32_t e = 0; e < x->events.n; e++) {
		if (!event_reads(&x->events.at[e]) || !x->events.at[e].read)
			continue;
		const struct expr_node *n = expr_node(x->exprs, x->events.at[e].read);
		if (n->op == EXPR_CONST)
			continue;
		if (n->op != EXPR_SYM || c->reader[n->value])
			return fail(err, "event %u does not read a symbol of its own", e);
		c->reader[n->value] = e + 1;
	}
	return true;
}

static void run_closure(struct closure *c, const struct problem_options *options)
{
	const struct execution *x = c->p->m->x;
	for (size_t i = 0; i < x->conditions.n; i++)
		mark_expr(c, x->conditions.at[i].condition);
	for (uint32_t e = 0; e < x->events.n; e++) {
		const struct event *v = &x->events.at[e];
		if (!event_reads(v) || !v->read)
			continue;
		if (options->all_reads || expr_is_const(x->exprs, v->read, NULL))
			push_read(c, e);
		if (options->all_reads)
			mark_expr(c, v->read);
	}
	while (c->reads.n)
		add_pieces(c, c->reads.at[--c->reads.n]);
}

bool problem_init(struct problem *p, const struct memory *m, const struct problem_options *options,
		  struct error *err)
{
	const struct execution *x = m->x;
	*p = (struct problem){.m = m, .unknown = UINT32_MAX, .all_reads = options->all_reads};
	p->initial = xcalloc(m->atoms.at.n, sizeof *p->initial);
	p->matters = xcalloc(x->nsymbols, sizeof *p->matters);
	pinned_init(&p->pinned, x);
	struct closure c = {
		.p = p,
		.writers = xcalloc(m->atoms.at.n, sizeof *c.writers),
		.reader = xcalloc(x->nsymbols, sizeof *c.reader),
		.seen = xcalloc(expr_count(x->exprs) + 1, sizeof *c.seen),
		.done = xcalloc(x->events.n, sizeof *c.done),
	};
	bool ok = find_readers(&c, err);
	if (ok) {
		run_closure(&c, options);
		write_out(p, options);
		find_initials(p);
		sole_pin(p);
	}
	for (size_t i = 0; i < m->atoms.at.n; i++) {
		vec_free(&c.writers[i].runs);
		vec_free(&c.writers[i].marked);
	}
	free(c.writers);
	free(c.reader);
	free(c.seen);
	free(c.done);
	vec_free(&c.stack);
	vec_free(&c.reads);
	if (!ok)
		problem_release(p);
	return ok;
}

void problem_release(struct problem *p)
{
	vec_free(&p->pieces);
	vec_free(&p->candidates);
	vec_free(&p->ranges);
	vec_free(&p->writers);
	free(p->initial);
	free(p->matters);
	pinned_release(&p->pinned);
	*p = (struct problem){0};
}
