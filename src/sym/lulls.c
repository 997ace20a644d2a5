/*
 * Racy memory while nobody changes it. A thread that polls what others change now and then reads the same a million times in
 * between, and each read would be a symbol: a table that is looked up while the thread that fills it does not run. The log does not
 * say when others wrote; but as the executor ran, long stretches of a thread's reads were taken to find one and the same
 * value, no branch contradicts that, and it is nearly always enough to know that the first and the last of them did.
 *
 * A run of the executor with very many symbols notes such stretches, by the SAPs of their thread. In the next run the reads in
 * the middle of one find that value; the first and the last of these are events that say so, not how. Reads near
 * both ends of a stretch stay symbols, since where exactly it ended is what is to be inferred.
 *
 * That the reads in the middle found one value is an assumption: when nothing explains the log with it, the driver goes on without
 * (explorer_stir).
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <sys/stat.h>

enum {
	MANY = 300000, /* symbols: fewer are no trouble */
	EDGE = 12,    /* reads at each end of a stretch that stay symbols */
	LONG = 4 * EDGE,
	MOST_PLACES = 1 << 16, /* noted, of all threads together */
};

/* A thread's reads of one place that found the same, while nobody wrote there. */
struct stretch {
	uint64_t place;               /* address; without a thread: number of 8 bytes */
	const struct ethread *thread; /* NULL: the entry only counts writes */
	uint64_t writes;              /* to these bytes, by anybody, when it began; in an entry without a thread: so far */
	uint64_t n;
	uint64_t value;
	uint64_t from;       /* SAP of the read number EDGE */
	uint64_t last[EDGE]; /* SAPs of the last reads, a ring */
	unsigned size;
	size_t record, end;  /* in `known`: the lull at hand, and behind the last one of this thread and place */
	uint32_t settled;    /* in `settled`, + 1: the last read of the lull at hand; 0: none yet */
};

struct lull {
	uint64_t address, size, thread; /* its number in the log */
	uint64_t from, to;              /* SAPs */
	uint64_t value;
};

struct settled {
	struct ethread *thread;
	struct event event;
	uint64_t value;
};

static struct stretch *table; /* open addressing; place 0 is no memory */
static size_t slots, used;
static vec(struct lull) known, found;
static vec(struct settled) settled; /* first and last reads of lulls */
static uint64_t spared;             /* reads that need be no symbols in the next run */
static bool stirred;                /* the driver does not want any */

static struct stretch *slot_of(uint64_t place, const struct ethread *t)
{
	uint64_t hash = (place ^ (uint64_t)(uintptr_t)t << 8) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 20) & (slots - 1);
	while (table[i].place && (table[i].place != place || table[i].thread != t))
		i = (i + 1) & (slots - 1);
	return &table[i];
}

static void grow(void)
{
	struct stretch *old = table;
	size_t n = slots;
	slots = slots ? slots * 2 : 1024;
	table = xcalloc(slots, sizeof *table);
	for (size_t i = 0; i < n; i++)
		if (old[i].place)
			*slot_of(old[i].place, old[i].thread) = old[i];
	free(old);
}

static int by_place(const void *a, const void *b)
{
	const struct lull *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void find_known(struct stretch *s)
{
	const struct lull key = { .address = s->place, .thread = s->thread->log->info.number };
	size_t low = 0, high = known.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (by_place(&known.at[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	s->record = s->end = low;
	while (s->end < known.n && known.at[s->end].address == key.address && known.at[s->end].thread == key.thread)
		s->end++;
}

static struct stretch *stretch_at(uint64_t place, const struct ethread *t)
{
	if (used * 2 >= slots)
		grow();
	struct stretch *s = slot_of(place, t);
	if (!s->place) {
		*s = (struct stretch){ .place = place, .thread = t };
		used++;
		if (t)
			find_known(s);
	}
	return s;
}

/* ---- noting stretches, for the next run ---- */

static void stretch_ends(struct stretch *s)
{
	if (s->n >= LONG) {
		*vec_push(&found) = (struct lull){ s->place, s->size, s->thread->log->info.number, s->from, s->last[s->n % EDGE],
						   s->value };
		spared += s->n - 2 * EDGE;
	}
	s->n = 0;
}

static bool notes(const struct ethread *t)
{
	return t->log && !stirred && used <= MOST_PLACES;
}

void lulls_note(const struct ethread *t, const struct access *a)
{
	if (!notes(t) || a->address % 8 + a->size > 8)
		return;
	uint64_t writes = stretch_at(a->address / 8, NULL)->writes;
	struct stretch *s = stretch_at(a->address, t);
	if (s->writes != writes || s->value != a->value.v || s->size != a->size)
		stretch_ends(s);
	s->writes = writes;
	s->value = a->value.v;
	s->size = a->size;
	if (s->n == EDGE)
		s->from = t->saps;
	s->last[s->n++ % EDGE] = t->saps;
}

void lulls_contradicted(const struct ethread *t, uint64_t address)
{
	if (address && notes(t))
		stretch_ends(stretch_at(address, t));
}

void lulls_written(const struct ethread *t, uint64_t address, uint64_t size)
{
	for (uint64_t at = address / 8; at <= (address + size - 1) / 8 && notes(t); at++)
		stretch_at(at, NULL)->writes++;
}

/* ---- reads in a lull ---- */

static struct lull *lull_of(struct stretch *s)
{
	const struct ethread *t = s->thread;
	while (s->record < s->end && known.at[s->record].to < t->saps) {
		s->record++;
		s->settled = 0;
	}
	return s->record < s->end && known.at[s->record].from <= t->saps ? &known.at[s->record] : NULL;
}

static struct event describe(struct ethread *t, uint32_t site, const struct access *a)
{
	return (struct event){
		.thread = t->number, .kind = EVENT_READ, .size = (uint8_t)a->size,
		.flags = interp_site_is_system(engine.interp, site) ? EVENT_SYSTEM : 0,
		.sap = t->saps, .object = a->address, .piece = guess_piece(t), .after = t->time,
		.before = time_over_by(t), .site = site_describe(t, site, "load"), .run = ++engine.nevents,
	};
}

bool lulls_read(struct ethread *t, uint32_t site, struct access *a)
{
	/* In another order of the threads they would find something else. */
	if (!known.n || !t->log || engine.seed || engine_log_used_up(t))
		return false;
	struct stretch *s = stretch_at(a->address, t);
	const struct lull *l = lull_of(s);
	if (!l || l->size != a->size)
		return false;
	a->value = (struct slot){ l->value, EXPR_NONE };
	struct settled new = { t, describe(t, site, a), l->value };
	if (s->settled) {
		settled.at[s->settled - 1] = new;
		return true;
	}
	*vec_push(&settled) = new; /* the first */
	*vec_push(&settled) = new; /* which is the last one so far */
	s->settled = (uint32_t)settled.n;
	return true;
}

uint64_t lulls_until(const struct ethread *t, uint64_t address)
{
	if (!known.n || !t->log)
		return UINT64_MAX;
	const struct lull *l = lull_of(stretch_at(address, t));
	return l ? l->to : UINT64_MAX;
}

void lulls_moved(const struct ethread *t, uint64_t address, uint64_t saps)
{
	const struct stretch *s = known.n ? stretch_at(address, t) : NULL;
	struct event *e = s && s->settled ? &settled.at[s->settled - 1].event : NULL;
	if (!e)
		return;
	e->sap += saps;
	e->before = time_over_by(t);
}

/* ---- from run to run ---- */

static char *state_file(const char *name)
{
	return xasprintf("%s/%s", engine.config->state, name);
}

void lulls_load(void)
{
	char *data, *path = state_file("lulls"), *stop = state_file("stirred");
	struct stat st;
	size_t size;
	stirred = !stat(stop, &st);
	if (!stirred && read_file(path, &data, &size, NULL)) {
		const struct lull *records = (const struct lull *)data;
		for (size_t i = 0; i < size / sizeof *records; i++)
			*vec_push(&known) = records[i];
		qsort(known.at, known.n, sizeof *known.at, by_place);
		free(data);
	}
	free(path);
	free(stop);
}

uint64_t lulls_doubtful(void)
{
	return settled.n;
}

static void add_events(void)
{
	for (size_t i = 0; i < settled.n; i++) {
		struct settled *s = &settled.at[i];
		bool again = i && settled.at[i - 1].event.sap == s->event.sap && settled.at[i - 1].event.piece == s->event.piece &&
			     settled.at[i - 1].thread == s->thread;
		if (s->event.before == UINT64_MAX)
			s->event.before = 0;
		s->event.read = expr_const(engine.exprs, s->event.size * 8u, s->value);
		if (!again) /* a lull of one read */
			*vec_push(&s->thread->events) = s->event;
	}
}

static void write_records(void)
{
	struct error err;
	char *path = state_file("lulls");
	for (size_t i = 0; i < known.n; i++)
		*vec_push(&found) = known.at[i];
	if (!write_file(path, found.at, found.n * sizeof *found.at, &err))
		engine_fatal("%s", err.text);
	free(path);
}

bool lulls_finish(void)
{
	for (size_t i = 0; i < slots; i++)
		if (table[i].place && table[i].thread)
			stretch_ends(&table[i]);
	add_events();
	bool worthwhile = engine.symbols.n > MANY && spared > engine.symbols.n / 4;
	if (worthwhile)
		write_records();
	return worthwhile;
}
