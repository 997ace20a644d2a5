#include "solve/formula_text.h"

#include <inttypes.h>
#include <string.h>

/* Longer expressions are cut: they say little to a reader. */
enum { EXPRESSION = 400 };

static const struct event *event_at(const struct execution *x, uint32_t e)
{
	return &x->events.at[e];
}

static const char *where(const struct execution *x, uint32_t site)
{
	return site ? x->sites.at[site].where : "?";
}

static const char *place_name(const struct execution *x, uint64_t address)
{
	size_t low = 0, high = x->names.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (x->names.at[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->names.n && x->names.at[low].address == address ? x->names.at[low].name : "?";
}

/* "1:2#12": the event's thread and SAP, and which of its reads where there are several. */
static void print_event(FILE *out, const struct execution *x, uint32_t e)
{
	const struct event *v = event_at(x, e);
	fprintf(out, "%s#%" PRIu64, x->threads.at[v->thread].name, v->sap);
	if (v->piece)
		fprintf(out, ".%u", v->piece);
}

static const char *expression(const struct execution *x, expr e)
{
	static char text[EXPRESSION];
	expr_print(x->exprs, e, text, sizeof text);
	return text;
}

/* -------------------------------------------------- conditions on values ----------------- */

static void print_conditions(FILE *out, const struct execution *x, uint32_t kind, const char *title)
{
	size_t n = 0;
	for (size_t i = 0; i < x->conditions.n; i++)
		n += x->conditions.at[i].kind == kind;
	if (!n)
		return;
	fprintf(out, "\n%s (%zu)\n", title, n);
	for (size_t i = 0; i < x->conditions.n; i++) {
		const struct condition *c = &x->conditions.at[i];
		if (c->kind != kind)
			continue;
		fprintf(out, "  %-24s thread %-8s %s\n", where(x, c->site),
			x->threads.at[event_at(x, c->event)->thread].name, expression(x, c->condition));
	}
}

static void print_values(FILE *out, const struct execution *x)
{
	print_conditions(out, x, CONDITION_PATH, "path: branches went as recorded");
	print_conditions(out, x, CONDITION_RECORDED, "recorded: values that were read are those of the log");
	print_conditions(out, x, CONDITION_BUG, "bug: the failure is the recorded one");
	print_conditions(out, x, CONDITION_OUTPUT, "output: what is shown is what was shown");
	print_conditions(out, x, CONDITION_ASSUMED, "assumed: guesses that decided something");
	print_conditions(out, x, CONDITION_ADDRESS, "assumed: guesses of addresses");
	print_conditions(out, x, CONDITION_LEARNED, "learned: guesses that led off the recorded path");
}

/* -------------------------------------------------- orders ------------------------------- */

static const char *const kinds[EVENT_KIND_COUNT] = {
	[EVENT_START] = "start",     [EVENT_END] = "end",   [EVENT_READ] = "read",
	[EVENT_WRITE] = "write",     [EVENT_UPDATE] = "update", [EVENT_FENCE] = "fence",
	[EVENT_CREATE] = "create",   [EVENT_JOIN] = "join", [EVENT_LOCK] = "lock",
	[EVENT_UNLOCK] = "unlock",   [EVENT_WAIT] = "wait", [EVENT_SIGNAL] = "signal",
	[EVENT_BROADCAST] = "broadcast", [EVENT_CALL] = "call", [EVENT_ORDERED] = "step",
};

static void print_step(FILE *out, const struct execution *x, uint32_t e)
{
	print_event(out, x, e);
	fprintf(out, " %s", kinds[event_at(x, e)->kind]);
}

static void print_orders(FILE *out, const struct execution *x)
{
	fprintf(out, "\nsynchronization order (%zu known%s)\n", x->orders.n,
		x->lock_order_known ? "" : "; sections of a lock do not overlap, in whatever order");
	for (size_t i = 0; i < x->orders.n; i++) {
		const struct known_order *o = &x->orders.at[i];
		fprintf(out, "  %-24s ", where(x, event_at(x, o->b)->site));
		print_step(out, x, o->a);
		fprintf(out, " before ");
		print_step(out, x, o->b);
		fputc('\n', out);
	}
}

static void print_memory_order(FILE *out, const struct memory *m)
{
	static const char *const rules[] = {
		[MEMORY_SC] = "  what a thread does happens in its program order, and is seen at once\n",
		[MEMORY_TSO] = "  what a thread does happens in its program order, but a plain write may become visible to others\n"
			       "  later; a thread's writes become visible in program order, and before its next atomic update,\n"
			       "  fence or synchronization; it sees its own at once\n",
		[MEMORY_PSO] = "  what a thread does happens in its program order, but a plain write may become visible to others\n"
			       "  later, those to one place in program order, and all before the thread's next atomic update,\n"
			       "  fence or synchronization; it sees its own at once\n",
	};
	size_t timed = m->edges.n - m->nhard;
	fprintf(out, "\nmemory order: %s\n%s", memory_model_name(m->model), rules[m->model]);
	if (timed)
		fprintf(out, "  %zu orders of accesses from time stamps that lie apart\n", timed);
}

/* -------------------------------------------------- reads and writes --------------------- */

static void print_writer(FILE *out, const struct problem *p, const struct piece *piece, uint32_t writer)
{
	const struct execution *x = p->m->x;
	if (writer == WRITER_INITIAL) {
		fprintf(out, "    the initial value %" PRIu64 "\n", p->initial[piece->atom]);
		return;
	}
	fputs("    ", out);
	print_event(out, x, writer);
	fprintf(out, " %s, which writes %s\n", where(x, event_at(x, writer)->site),
		expression(x, event_at(x, writer)->written));
}

static void print_reads(FILE *out, const struct problem *p)
{
	const struct execution *x = p->m->x;
	fprintf(out, "\nread-write: %zu reads, %zu possible writes; each read sees one, and no other comes in between\n",
		p->pieces.n, p->candidates.n);
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct piece *piece = &p->pieces.at[i];
		const struct event *e = event_at(x, piece->event);
		fprintf(out, "  %s = %s at ", expression(x, e->read), place_name(x, e->object));
		print_event(out, x, piece->event);
		if (piece->width != e->size * 8)
			fprintf(out, ", bits %u to %u,", piece->low, piece->low + piece->width - 1);
		fprintf(out, " %s sees\n", where(x, e->site));
		for (uint32_t k = 0; k < piece->count; k++)
			print_writer(out, p, piece, p->candidates.at[piece->first + k]);
	}
}

void formula_text(FILE *out, const struct problem *p)
{
	const struct execution *x = p->m->x;
	fprintf(out, "formula: %zu threads, %zu events, %u symbols, %zu conditions\n", x->threads.n, x->events.n,
		x->nsymbols, x->conditions.n);
	print_values(out, x);
	print_orders(out, x);
	print_reads(out, p);
	print_memory_order(out, p->m);
}
