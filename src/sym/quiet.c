/*
 * Racy memory before the first race. A thread that polls what another one has not begun to change reads the same for as long as
 * that takes: a table that is asked a thousand times before the thread that fills it has started. By the order of synchronization
 * alone these reads race, and each would be a symbol, but the time stamps say that they came first.
 *
 * A run of the executor with very many symbols leaves, for each 8 bytes that race, when they were first written in a race, at the
 * earliest. In the next run, reads that were certainly over by then find what is there. Of these the last one before that write is an
 * event, so that the solver and the schedule keep the order; it says which value it found, not how. Whether the write did come
 * later is looked at when it comes; if not, its memory counts as never quiet in one more run.
 */
#include "sym/engine.h"

#include <stdlib.h>

enum { MANY = 10000 /* symbols: fewer are no trouble */ };

/* The last read of a thread that found the memory quiet. */
struct settled {
	struct ethread *thread;
	struct event event; /* without what it read */
	struct slot value;
	uint32_t site; /* instrument.h; event.site is its description */
	uint32_t next; /* in `settled`, + 1 */
};

struct quiet {
	uint64_t granule;
	uint64_t until;  /* as an earlier run found; 0: not known, or never quiet */
	uint64_t noise;  /* in this run: when it was first written in a race, at the earliest; 0: not yet */
	uint64_t wrote;  /* the last write, at the earliest */
	uint64_t asked;  /* reads while it was quiet that are symbols */
	uint32_t settled; /* list in `settled`, + 1 */
	bool doubtful;   /* a write came earlier than `until` */
};

/* What one run leaves for the next. */
struct quiet_record {
	uint64_t granule, until;
};

static struct quiet *table; /* open addressing; granule 0 is no memory */
static size_t slots, used;
static vec(struct settled) settled;
static vec(struct settled) kept; /* those that a racing write came after */
static bool loaded;

static struct quiet *slot_of(uint64_t granule)
{
	size_t i = (size_t)(granule * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (slots - 1);
	while (table[i].granule && table[i].granule != granule)
		i = (i + 1) & (slots - 1);
	return &table[i];
}

static void grow(void)
{
	struct quiet *old = table;
	size_t n = slots;
	slots = slots ? slots * 2 : 1024;
	table = xcalloc(slots, sizeof *table);
	for (size_t i = 0; i < n; i++)
		if (old[i].granule)
			*slot_of(old[i].granule) = old[i];
	free(old);
}

static struct quiet *quiet_at(uint64_t address)
{
	if (used * 2 >= slots)
		grow();
	struct quiet *q = slot_of(address / 8);
	if (!q->granule) {
		q->granule = address / 8;
		used++;
	}
	return q;
}

static bool has_time(void)
{
	return engine.trace->header.time_margin != 0;
}

static bool comes_before(uint64_t over, uint64_t begun)
{
	uint64_t margin = engine.trace->header.time_margin;
	return over < UINT64_MAX - margin && over + margin < begun;
}

static struct settled *settled_by(struct quiet *q, const struct ethread *t)
{
	for (uint32_t i = q->settled; i; i = settled.at[i - 1].next)
		if (settled.at[i - 1].thread == t)
			return &settled.at[i - 1];
	return NULL;
}

static struct settled *settle(struct quiet *q, struct ethread *t)
{
	struct settled *s = settled_by(q, t);
	if (s)
		return s;
	s = vec_push(&settled);
	*s = (struct settled){ .thread = t, .next = q->settled, .site = UINT32_MAX };
	q->settled = (uint32_t)settled.n;
	return s;
}

static void note(struct settled *s, struct ethread *t, uint32_t site, const struct access *a, uint64_t over)
{
	if (s->site != site || !site)
		s->event.site = site_describe(t, site, "load");
	s->site = site;
	s->value = a->value;
	s->event.thread = t->number;
	s->event.kind = EVENT_READ;
	s->event.size = (uint8_t)a->size;
	s->event.flags = interp_site_is_system(engine.interp, site) ? EVENT_SYSTEM : 0;
	s->event.sap = t->saps;
	s->event.object = a->address;
	s->event.piece = guess_piece(t);
	s->event.after = t->time;
	s->event.before = over;
}

bool quiet_read(struct ethread *t, uint32_t site, const struct access *a)
{
	if (!has_time() || !t->log || a->address % 8 + a->size > 8 || races_raced(engine.races) || engine_log_used_up(t))
		return false;
	struct quiet *q = quiet_at(a->address);
	/* What is there may itself be unknown; the event could not say what it found. */
	if (q->noise || interp_memory_expr(engine.interp, a->address, a->size))
		return false;
	uint64_t over = time_over_by(t);
	if (!comes_before(over, q->until)) {
		q->asked += !q->until;
		return false;
	}
	note(settle(q, t), t, site, a, over);
	return true;
}

static void keep(struct quiet *q, const struct ethread *writer)
{
	for (uint32_t i = q->settled; i; i = settled.at[i - 1].next) {
		const struct settled *s = &settled.at[i - 1];
		/* The writer's own come first anyway; but others may write next. */
		if (s->thread != writer)
			q->doubtful |= !comes_before(s->event.before, writer->time);
		*vec_push(&kept) = *s;
	}
	q->settled = 0;
}

void quiet_access(struct ethread *t, uint64_t address, uint64_t size, bool write)
{
	bool raced = races_raced(engine.races);
	for (uint64_t at = address & ~UINT64_C(7); at < address + size && has_time(); at += 8) {
		struct quiet *q = quiet_at(at);
		if (write)
			q->wrote = t->time;
		if (!raced)
			continue;
		if (write && q->settled)
			keep(q, t);
		/* A read races with what somebody wrote before. */
		if (!q->noise || (q->wrote && q->wrote < q->noise))
			q->noise = q->wrote ? q->wrote : 1;
	}
}

void quiet_moved(struct ethread *t, uint64_t address, uint64_t saps)
{
	struct settled *s = used ? settled_by(quiet_at(address), t) : NULL;
	if (!s)
		return;
	s->event.sap += saps;
	s->event.before = time_over_by(t);
}

static char *state_file(void)
{
	return xasprintf("%s/quiet", engine.config->state);
}

void quiet_load(void)
{
	char *data, *path = state_file();
	size_t size;
	loaded = read_file(path, &data, &size, NULL);
	free(path);
	if (!loaded)
		return;
	const struct quiet_record *records = (const struct quiet_record *)data;
	for (size_t i = 0; i < size / sizeof *records; i++)
		quiet_at(records[i].granule * 8)->until = records[i].until;
	free(data);
}

static void add_events(void)
{
	for (size_t i = 0; i < kept.n; i++) {
		struct settled *s = &kept.at[i];
		s->event.read = value_expr(&s->value, s->event.size);
		*vec_push(&s->thread->events) = s->event;
	}
}

static void write_records(void)
{
	vec(struct quiet_record) records = { 0 };
	for (size_t i = 0; i < slots; i++) {
		const struct quiet *q = &table[i];
		uint64_t until = q->doubtful ? 1 : q->until ? q->until : q->noise;
		if (q->granule && until)
			*vec_push(&records) = (struct quiet_record){ q->granule, until };
	}
	struct error err;
	char *path = state_file();
	if (!write_file(path, records.at, records.n * sizeof *records.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	vec_free(&records);
}

size_t quiet_finish(void)
{
	uint64_t asked = 0, doubtful = 0;
	for (size_t i = 0; i < slots; i++) {
		asked += table[i].noise ? table[i].asked : 0;
		doubtful += table[i].doubtful;
	}
	add_events();
	bool worthwhile = engine.symbols.n > MANY && asked > MANY;
	if (worthwhile || doubtful)
		write_records();
	return worthwhile + doubtful;
}
