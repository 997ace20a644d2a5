#include "model/execution.h"

#include <stdlib.h>
#include <string.h>

/*
 * The file: this header, then the arrays in the order of `sections`, each as it stands in memory. It never
 * leaves the machine that made it, so byte order and padding are the compiler's.
 */
#define EXECUTION_MAGIC UINT64_C(0x0642584554485452) /* "RTHTEXB" 6 */

enum section {
	SECTION_THREADS,
	SECTION_EVENTS,
	SECTION_CONDITIONS,
	SECTION_ORDERS,
	SECTION_INITIALS,
	SECTION_RESULTS,
	SECTION_LEFT_OUT,
	SECTION_NAMES,
	SECTION_SITES,
	SECTION_HELD,
	SECTION_NOTES,
	SECTION_EXPRS,
	SECTION_COUNT
};

struct file_header {
	uint64_t magic;
	uint64_t count[SECTION_COUNT];
	uint32_t nsymbols;
	uint32_t lock_order_known;
	uint32_t notes_lost, reserved;
};

static const size_t element_size[SECTION_COUNT] = {
	[SECTION_THREADS] = sizeof(struct execution_thread),
	[SECTION_EVENTS] = sizeof(struct event),
	[SECTION_CONDITIONS] = sizeof(struct condition),
	[SECTION_ORDERS] = sizeof(struct known_order),
	[SECTION_INITIALS] = sizeof(struct initial),
	[SECTION_RESULTS] = sizeof(struct forced_result),
	[SECTION_LEFT_OUT] = sizeof(struct left_out),
	[SECTION_NAMES] = sizeof(struct place_name),
	[SECTION_SITES] = sizeof(struct site_info),
	[SECTION_HELD] = sizeof(struct held_lock),
	[SECTION_NOTES] = sizeof(struct event),
	[SECTION_EXPRS] = sizeof(struct expr_node),
};

void execution_init(struct execution *x)
{
	*x = (struct execution){.exprs = expr_arena_new()};
	*vec_push(&x->sites) = (struct site_info){.where = "?", .what = "?", .function = "?"};
}

void execution_release(struct execution *x)
{
	vec_free(&x->threads);
	vec_free(&x->events);
	vec_free(&x->conditions);
	vec_free(&x->orders);
	vec_free(&x->initials);
	vec_free(&x->results);
	vec_free(&x->left_out);
	vec_free(&x->names);
	vec_free(&x->sites);
	vec_free(&x->held);
	vec_free(&x->notes);
	expr_arena_free(x->exprs);
	x->exprs = NULL;
}

bool execution_write(const struct execution *x, const char *path, struct error *err)
{
	const void *at[SECTION_COUNT] = {x->threads.at,  x->events.at, x->conditions.at, x->orders.at,
					 x->initials.at, x->results.at, x->left_out.at, x->names.at, x->sites.at, x->held.at, x->notes.at, expr_nodes(x->exprs) + 1};
	struct file_header h = {
		.magic = EXECUTION_MAGIC,
		.count = {x->threads.n, x->events.n, x->conditions.n, x->orders.n, x->initials.n,
			  x->results.n, x->left_out.n, x->names.n, x->sites.n, x->held.n, x->notes.n, expr_count(x->exprs)},
		.nsymbols = x->nsymbols,
		.lock_order_known = x->lock_order_known,
		.notes_lost = x->notes_lost,
	};
	FILE *f = fopen(path, "we");
	if (!f)
		return fail(err, "cannot write %s: %m", path);
	bool ok = fwrite(&h, sizeof h, 1, f) == 1;
	for (int i = 0; ok && i < SECTION_COUNT; i++)
		ok = !h.count[i] || fwrite(at[i], element_size[i], h.count[i], f) == h.count[i];
	if (fclose(f) || !ok)
		return fail(err, "cannot write %s: %m", path);
	return true;
}

/* -------------------------------------------------- reading ------------------------------ */

static bool threads_ok(const struct execution *x, struct error *err)
{
	uint64_t next = 0;
	for (size_t i = 0; i < x->threads.n; i++) {
		const struct execution_thread *t = &x->threads.at[i];
		if (t->first != next || t->count > x->events.n - next)
			return fail(err, "events of thread %zu are out of place", i);
		if (!memchr(t->name, 0, sizeof t->name))
			return fail(err, "name of thread %zu does not end", i);
		next += t->count;
	}
	if (next != x->events.n)
		return fail(err, "events that belong to no thread");
	return true;
}

static bool is_access(uint8_t kind)
{
	return kind == EVENT_READ || kind == EVENT_WRITE || kind == EVENT_UPDATE;
}

/* A value of an access is absent (only of a read) or an expression as wide as the access. */
static bool value_ok(const struct execution *x, expr e, unsigned size, bool may_be_absent)
{
	if (e == EXPR_NONE)
		return may_be_absent;
	return e <= expr_count(x->exprs) && expr_node(x->exprs, e)->width == size * 8;
}

static bool access_ok(const struct execution *x, const struct event *e, size_t i, struct error *err)
{
	if (e->size < 1 || e->size > 8 || e->object > UINT64_MAX - e->size)
		return fail(err, "event %zu accesses %u bytes at %#llx", i, e->size,
			    (unsigned long long)e->object);
	if (e->kind != EVENT_WRITE && !value_ok(x, e->read, e->size, true))
		return fail(err, "event %zu reads a value of another width", i);
	if (e->kind != EVENT_READ && !value_ok(x, e->written, e->size, false))
		return fail(err, "event %zu writes a value of another width, or none", i);
	return true;
}

static bool event_ok(const struct execution *x, size_t i, struct error *err)
{
	const struct event *e = &x->events.at[i];
	if (e->kind < EVENT_START || e->kind >= EVENT_KIND_COUNT)
		return fail(err, "event %zu has the unknown kind %u", i, e->kind);
	if (e->site && e->site >= x->sites.n)
		return fail(err, "event %zu has no such site", i);
	if ((e->kind == EVENT_WAIT || e->kind == EVENT_HANG) && execution_wait_start(x, (uint32_t)i) == UINT32_MAX)
		return fail(err, "event %zu waits without having given up a mutex", i);
	if (event_sync_class(e) == SYNC_BARRIER && !e->count)
		return fail(err, "event %zu is on a barrier for nobody", i);
	return !is_access(e->kind) || access_ok(x, e, i, err);
}

static bool notes_ok(const struct execution *x, struct error *err)
{
	for (size_t i = 0; i < x->notes.n; i++) {
		const struct event *e = &x->notes.at[i], *before = i ? e - 1 : NULL;
		bool ordered = !before || before->thread < e->thread || (before->thread == e->thread && before->sap <= e->sap);
		if (e->thread >= x->threads.n || e->site >= x->sites.n || !ordered || (e->kind != EVENT_CALL && !is_access(e->kind)))
			return fail(err, "note %zu is malformed", i);
		if (is_access(e->kind) && !access_ok(x, e, i, err))
			return false;
	}
	return true;
}

static bool events_ok(const struct execution *x, struct error *err)
{
	for (size_t t = 0; t < x->threads.n; t++) {
		uint64_t sap = 0;
		for (uint32_t k = 0; k < x->threads.at[t].count; k++) {
			size_t i = x->threads.at[t].first + k;
			if (x->events.at[i].thread != t)
				return fail(err, "event %zu is not of thread %zu", i, t);
			if (x->events.at[i].sap < sap)
				return fail(err, "the SAP number of event %zu goes back", i);
			sap = x->events.at[i].sap;
			if (!event_ok(x, i, err))
				return false;
		}
	}
	return true;
}

/* One symbol, one width: the solver makes one variable of it. */
static bool symbols_ok(const struct execution *x, struct error *err)
{
	const struct expr_node *nodes = expr_nodes(x->exprs);
	uint8_t *width = xcalloc(x->nsymbols, 1);
	bool ok = true;
	for (size_t i = 1; ok && i <= expr_count(x->exprs); i++) {
		if (nodes[i].op != EXPR_SYM)
			continue;
		if (nodes[i].value >= x->nsymbols)
			ok = fail(err, "expression %zu names symbol %llu of %u", i,
				  (unsigned long long)nodes[i].value, x->nsymbols);
		else if (width[nodes[i].value] && width[nodes[i].value] != nodes[i].width)
			ok = fail(err, "symbol %llu has two widths",
				  (unsigned long long)nodes[i].value);
		else
			width[nodes[i].value] = nodes[i].width;
	}
	free(width);
	return ok;
}

static bool left_out_ok(const struct execution *x, struct error *err)
{
	for (size_t i = 0; i < x->left_out.n; i++) {
		const struct left_out *l = &x->left_out.at[i], *before = i ? l - 1 : NULL;
		bool same = before && before->thread == l->thread;
		if (l->thread >= x->threads.n || l->fewer >= l->sap || (before && before->thread > l->thread) ||
		    (same && (before->sap >= l->sap || before->fewer >= l->fewer)))
			return fail(err, "laps %zu that were left out are malformed", i);
	}
	return true;
}

static bool rest_ok(const struct execution *x, struct error *err)
{
	if (!x->sites.n)
		return fail(err, "site 0 is missing");
	for (size_t i = 0; i < x->conditions.n; i++) {
		const struct condition *c = &x->conditions.at[i];
		if (c->event >= x->events.n || (c->site && c->site >= x->sites.n) ||
		    !c->condition || c->condition > expr_count(x->exprs) ||
		    expr_node(x->exprs, c->condition)->width != 1 ||
		    c->kind > CONDITION_RECORDED)
			return fail(err, "condition %zu is malformed", i);
	}
	for (size_t i = 0; i < x->orders.n; i++)
		if (x->orders.at[i].a >= x->events.n || x->orders.at[i].b >= x->events.n)
			return fail(err, "order %zu names a missing event", i);
	for (size_t i = 0; i < x->held.n; i++)
		if (x->held.at[i].thread >= x->threads.n)
			return fail(err, "no such thread has lock %zu", i);
	for (size_t i = 0; i < x->initials.n; i++)
		if (x->initials.at[i].size < 1 || x->initials.at[i].size > 8)
			return fail(err, "initial value %zu has %u bytes", i, x->initials.at[i].size);
	for (size_t i = 0; i < x->results.n; i++)
		if (x->results.at[i].thread >= x->threads.n || x->results.at[i].kind > FORCED_LEFT)
			return fail(err, "result %zu is of no thread", i);
	for (size_t i = 0; i < x->names.n; i++)
		if (!memchr(x->names.at[i].name, 0, sizeof x->names.at[i].name) || x->names.at[i].allocated_at >= x->sites.n ||
		    (x->names.at[i].allocated_at && x->names.at[i].allocated_by >= x->threads.n) ||
		    (i && x->names.at[i - 1].address >= x->names.at[i].address))
			return fail(err, "name %zu is malformed", i);
	for (size_t i = 0; i < x->sites.n; i++) {
		const struct site_info *s = &x->sites.at[i];
		if (!memchr(s->where, 0, sizeof s->where) || !memchr(s->what, 0, sizeof s->what) ||
		    !memchr(s->function, 0, sizeof s->function))
			return fail(err, "site %zu does not end", i);
	}
	return true;
}

static bool execution_is_valid(const struct execution *x, struct error *err)
{
	return threads_ok(x, err) && symbols_ok(x, err) && events_ok(x, err) && notes_ok(x, err) && left_out_ok(x, err) && rest_ok(x, err);
}

/* A malloc'ed copy of `count` elements at `data`. */
static void *copied(const char *data, size_t count, size_t size)
{
	void *p = xmalloc(count * size);
	if (count)
		memcpy(p, data, count * size);
	return p;
}

#define TAKE(v, section)                                                                       \
	((v)->at = copied(at[section], h->count[section], element_size[section]),              \
	 (v)->n = (v)->cap = h->count[section])

/* The arrays at these places become x. False: the expressions break their invariants. */
static bool take_sections(struct execution *x, const struct file_header *h,
			  const char *const at[SECTION_COUNT])
{
	TAKE(&x->threads, SECTION_THREADS);
	TAKE(&x->events, SECTION_EVENTS);
	TAKE(&x->conditions, SECTION_CONDITIONS);
	TAKE(&x->orders, SECTION_ORDERS);
	TAKE(&x->initials, SECTION_INITIALS);
	TAKE(&x->results, SECTION_RESULTS);
	TAKE(&x->left_out, SECTION_LEFT_OUT);
	TAKE(&x->names, SECTION_NAMES);
	TAKE(&x->sites, SECTION_SITES);
	TAKE(&x->held, SECTION_HELD);
	TAKE(&x->notes, SECTION_NOTES);
	x->nsymbols = h->nsymbols;
	x->lock_order_known = h->lock_order_known;
	x->notes_lost = h->notes_lost;
	/* The arena counts from 1: one unused node in front. */
	size_t n = h->count[SECTION_EXPRS];
	struct expr_node *nodes = xcalloc(n + 1, sizeof *nodes);
	if (n)
		memcpy(nodes + 1, at[SECTION_EXPRS], n * sizeof *nodes);
	x->exprs = expr_arena_load(nodes, n);
	free(nodes);
	return x->exprs != NULL;
}

static bool parse(struct execution *x, const char *data, size_t size, struct error *err)
{
	struct file_header h;
	if (size < sizeof h)
		return fail(err, "it is too short");
	memcpy(&h, data, sizeof h);
	if (h.magic != EXECUTION_MAGIC)
		return fail(err, "it is not an execution file of this version");
	const char *at[SECTION_COUNT];
	size_t offset = sizeof h;
	for (int i = 0; i < SECTION_COUNT; i++) {
		at[i] = data + offset;
		if (h.count[i] > (size - offset) / element_size[i] || h.count[i] > UINT32_MAX / 4)
			return fail(err, "it ends early");
		offset += h.count[i] * element_size[i];
	}
	if (offset != size)
		return fail(err, "it has bytes beyond its end");
	if (!take_sections(x, &h, at))
		return fail(err, "its expressions are damaged");
	return execution_is_valid(x, err);
}

bool execution_read(struct execution *x, const char *path, struct error *err)
{
	char *data;
	size_t size;
	struct error why;
	*x = (struct execution){0};
	if (!read_file(path, &data, &size, err))
		return false;
	bool ok = parse(x, data, size, &why);
	free(data);
	if (ok)
		return true;
	execution_release(x);
	return fail(err, "cannot use %s: %s", path, why.text);
}

bool execution_has_pieces(const struct execution *x)
{
	for (size_t i = 1; i < x->events.n; i++)
		if (events_are_pieces(&x->events.at[i - 1], &x->events.at[i]))
			return true;
	return false;
}

uint64_t execution_replayed_sap(const struct execution *x, uint32_t thread, uint64_t sap)
{
	size_t low = 0, high = x->left_out.n; /* those before `low` are at or before the SAP */
	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct left_out *l = &x->left_out.at[mid];
		if (l->thread < thread || (l->thread == thread && l->sap <= sap))
			low = mid + 1;
		else
			high = mid;
	}
	return sap - (low && x->left_out.at[low - 1].thread == thread ? x->left_out.at[low - 1].fewer : 0);
}

const struct place_name *execution_place(const struct execution *x, uint64_t address)
{
	size_t low = 0, high = x->names.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (x->names.at[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < x->names.n && x->names.at[low].address == address ? &x->names.at[low] : NULL;
}
