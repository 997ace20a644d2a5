/*
 * What threads do to memory that they share without racing for it, and which blocks they allocate and free: no events, since
 * locks order them, but what a reader of the explanation wants to see (`notes` in model/execution.h). Of each thread the last ones are kept.
 */
#include "sym/engine.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/* How many of a thread: so that they stay in the cache, for most are never looked at. */
enum { MOST = 1 << 14, MOST_OF_MANY = 1 << 12, MANY = 32, MOST_EARLY = 1 << 15 };

static bool lost;

/* The place for one more, in the stead of the oldest when there are too many. */
static struct note *add(struct ethread *t, enum event_kind kind, uint64_t address, uint32_t site)
{
	struct notes *n = &t->notes;
	size_t most = engine.threads.n < MANY ? MOST : MOST_OF_MANY;
	struct note *next;
	if (n->all.n < most) {
		next = vec_push(&n->all);
	} else {
		n->oldest = n->oldest < n->all.n ? n->oldest : 0;
		next = &n->all.at[n->oldest++];
		/* Who had which block when is to be known of all that is told, however much was read since. */
		if (next->kind == EVENT_CALL && n->early.n < MOST_EARLY)
			*vec_push(&n->early) = *next;
		lost = true;
	}
	next->kind = (uint8_t)kind;
	next->sap = t->saps;
	next->address = address;
	next->site = site;
	return next;
}

void notes_access(struct ethread *t, uint32_t site, const struct access *a, bool write, const char *what)
{
	/* Symbols of counters are forgotten in the end. */
	if (a->value.e && t->laps.counting.on) {
		lost = true;
		return;
	}
	struct note *n = add(t, write ? EVENT_WRITE : EVENT_READ, a->address, site_describe(t, site, what));
	n->size = (uint8_t)a->size;
	n->e = a->value.e;
	n->value = a->value.v;
}

void notes_block(struct ethread *t, uint32_t site, uint64_t start, uint64_t size, enum note_kind kind)
{
	struct note *n = add(t, EVENT_CALL, start, site);
	n->size = (uint8_t)kind;
	n->value = size;
	n->e = EXPR_NONE;
}

/* ---- at the end: those of memory that several threads access ---- */

struct granule {
	uint64_t number; /* of 8 bytes, + 1; 0: none */
	uint32_t thread; /* who was there first */
	bool shared, written;
};

static struct granule *granule_at(struct granule *all, size_t mask, uint64_t address)
{
	uint64_t number = address / 8 + 1;
	size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 24) & mask;
	while (all[i].number && all[i].number != number)
		i = (i + 1) & mask;
	return &all[i];
}

static void visit(struct granule *all, size_t mask, const struct note *n, uint32_t thread)
{
	struct granule *g = granule_at(all, mask, n->address);
	if (!g->number)
		*g = (struct granule){ n->address / 8 + 1, thread, false, false };
	g->shared |= g->thread != thread;
	g->written |= n->kind == EVENT_WRITE;
}

static bool is_wanted(struct granule *all, size_t mask, const struct note *n)
{
	if (n->kind == EVENT_CALL)
		return true;
	const struct granule *g = granule_at(all, mask, n->address);
	return g->shared && g->written;
}

static void put(struct execution *x, const struct note *n, uint32_t thread)
{
	struct event e = { .thread = thread, .kind = n->kind, .sap = n->sap, .object = n->address, .site = n->site };
	if (n->kind == EVENT_CALL) {
		static const uint16_t flags[] = { [NOTE_FREED] = EVENT_FREES, [NOTE_ALLOCATED] = EVENT_ALLOCATES, [NOTE_DOUBTFUL] = EVENT_ALLOCATES,
						  [NOTE_SIGNALLED] = EVENT_SIGNALS, [NOTE_WAITS] = EVENT_WAITS, [NOTE_WAITED] = EVENT_WAITED, [NOTE_POSTED] = EVENT_POSTS, [NOTE_TOOK] = EVENT_TAKES };
		e.flags = flags[n->size];
		e.count = n->size == NOTE_DOUBTFUL;
		e.before = n->value;
	} else {
		expr value = value_expr(&(struct slot){ n->value, n->e }, n->size);
		e.size = n->size;
		e.flags = interp_site_is_system(engine.interp, engine.sites.at[n->site].number) ? EVENT_SYSTEM : 0;
		e.flags |= interp_site_is_account(engine.interp, engine.sites.at[n->site].number) ? EVENT_ACCOUNT : 0;
		*(n->kind == EVENT_WRITE ? &e.written : &e.read) = value;
		if (expr_node(engine.exprs, value)->width != 8u * n->size) {
			lost = true;
			return;
		}
	}
	*vec_push(&x->notes) = e;
}

/* The i-th of the thread, the oldest first. */
static const struct note *note_of(const struct ethread *t, size_t i)
{
	const struct notes *n = &t->notes;
	return i < n->early.n ? &n->early.at[i] : &n->all.at[(n->oldest + i - n->early.n) % n->all.n];
}

static size_t notes_of(const struct ethread *t)
{
	return t->notes.early.n + t->notes.all.n;
}

/* Is a read of the thread told of, by an event or by a note that is wanted? */
static bool tells_of_read(const struct execution *x, struct granule *all, size_t mask, uint32_t thread)
{
	const struct ethread *t = engine.threads.at[thread];
	bool any = false;
	for (size_t i = 0; i < x->events.n && !any; i++)
		any = x->events.at[i].thread == thread && (x->events.at[i].kind == EVENT_READ || x->events.at[i].kind == EVENT_UPDATE);
	for (size_t k = 0; k < notes_of(t) && !any; k++)
		any = note_of(t, k)->kind == EVENT_READ && is_wanted(all, mask, note_of(t, k));
	return any;
}

/* What the dynamic linker knows of an address. */
struct loaded {
	uint64_t address;
	unsigned objects; /* seen so far: the program is the first */
	bool fixed, library; /* it is in memory that nobody writes; in a library */
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *l = data;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		bool here = l->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz;
		l->fixed |= here && ((p->p_type == PT_LOAD && !(p->p_flags & PF_W)) || p->p_type == PT_GNU_RELRO);
		l->library |= here && l->objects && p->p_type == PT_LOAD;
	}
	l->objects++;
	return 0;
}

/* May somebody have to write what the note is a read of? Not texts and tables of virtual functions, nor what the dynamic linker filled in: `stderr`. */
static bool is_to_be_written(const struct note *n)
{
	struct loaded at = { .address = n->address }, value = { .address = n->value };
	dl_iterate_phdr(find_loaded, &at);
	dl_iterate_phdr(find_loaded, &value);
	return !at.fixed && !at.library && !value.library;
}

/* Of a thread of which no read is told, the last ones that nobody had written are, for which it may have come too early. Which is the first of them? */
static size_t first_unwritten(const struct execution *x, struct granule *all, size_t mask, uint32_t thread)
{
	enum { LAST = 4 };
	const struct ethread *t = engine.threads.at[thread];
	size_t from = notes_of(t), n = 0;
	if (lost || tells_of_read(x, all, mask, thread))
		return from;
	while (from > 0 && n < LAST)
		n += note_of(t, --from)->kind == EVENT_READ && is_to_be_written(note_of(t, from));
	return from;
}

/* Since which SAP has the thread the lock that it gives up at that one? UINT64_MAX: none. */
static uint64_t taken_before(uint32_t thread, uint64_t given_up)
{
	for (size_t i = engine.held.n; i-- > 0;)
		if (engine.held.at[i].thread == thread && engine.held.at[i].to == given_up)
			return engine.held.at[i].from;
	return UINT64_MAX;
}

/* Does an event tell what the thread read behind that SAP? */
static bool reads_behind(const struct execution *x, uint32_t thread, uint64_t sap)
{
	const struct execution_thread *t = &x->threads.at[thread];
	for (size_t i = t->first + t->count; i-- > t->first && x->events.at[i].sap > sap;)
		if (x->events.at[i].kind == EVENT_READ || x->events.at[i].kind == EVENT_UPDATE)
			return true;
	return false;
}

/*
 * What a thread that waits for ever looked at with the lock that it then gave up, though nobody else wrote it: the last of what it read there, where no other
 * read is told of. An address is not waited for. The number of the note, or of one that there is not.
 */
static size_t look_before_wait(const struct execution *x, struct granule *all, size_t mask, uint32_t thread)
{
	enum { ADDRESSES = 65536 }; /* lie above that */
	const struct ethread *t = engine.threads.at[thread];
	size_t none = notes_of(t), i = none, look = none;
	while (i > 0 && !(note_of(t, i - 1)->kind == EVENT_CALL && note_of(t, i - 1)->size == NOTE_WAITS))
		if (note_of(t, --i)->kind != EVENT_CALL || note_of(t, i)->size == NOTE_WAITED)
			return none;
	uint64_t since = i ? taken_before(thread, note_of(t, i - 1)->sap) : UINT64_MAX;
	if (since == UINT64_MAX || reads_behind(x, thread, since))
		return none;
	for (i--; i-- > 0 && note_of(t, i)->sap > since;) {
		const struct note *n = note_of(t, i);
		if (n->kind != EVENT_READ)
			continue;
		if (is_wanted(all, mask, n))
			return none;
		if (look == none && (n->size < 8 || n->value < ADDRESSES) && is_to_be_written(n))
			look = i;
	}
	return look;
}

/* Blocks that a thread has freed, the last ones. */
struct gone {
	struct {
		uint64_t start, size;
	} at[64];
	size_t n;
};

static bool is_gone(const struct gone *g, uint64_t address)
{
	for (size_t i = 0; i < g->n && i < sizeof g->at / sizeof *g->at; i++)
		if (address - g->at[i].start < g->at[i].size)
			return true;
	return false;
}

/* Memory that is given out again is no longer gone. */
static void take_block(struct gone *g, const struct note *n)
{
	for (size_t i = 0; i < g->n && i < sizeof g->at / sizeof *g->at; i++)
		if (g->at[i].start < n->address + n->value && n->address < g->at[i].start + g->at[i].size)
			g->at[i].size = 0;
	if (n->size != NOTE_FREED)
		return;
	size_t i = g->n++ % (sizeof g->at / sizeof *g->at);
	g->at[i].start = n->address;
	g->at[i].size = n->value;
}

static void put_thread(struct execution *x, struct granule *all, size_t mask, uint32_t thread)
{
	const struct ethread *t = engine.threads.at[thread];
	size_t unwritten = first_unwritten(x, all, mask, thread), look = look_before_wait(x, all, mask, thread);
	struct gone gone = { .n = 0 }; /* by itself: what it does there is told, whoever else knows that memory */
	for (size_t k = 0; k < notes_of(t); k++) {
		const struct note *n = note_of(t, k);
		if (n->kind == EVENT_CALL && (n->size == NOTE_FREED || n->size == NOTE_ALLOCATED || n->size == NOTE_DOUBTFUL))
			take_block(&gone, n);
		if (k == look || is_wanted(all, mask, n) || is_gone(&gone, n->address) || (k >= unwritten && n->kind == EVENT_READ && !granule_at(all, mask, n->address)->written && is_to_be_written(n)))
			put(x, n, thread);
	}
}

void notes_put(struct execution *x)
{
	size_t n = 0, mask = 1;
	for (size_t i = 0; i < engine.threads.n; i++)
		n += notes_of(engine.threads.at[i]);
	while (mask < 2 * n + 2)
		mask *= 2;
	struct granule *all = xcalloc(mask--, sizeof *all);
	for (size_t i = 0; i < engine.threads.n; i++)
		for (size_t k = 0; k < notes_of(engine.threads.at[i]); k++)
			if (note_of(engine.threads.at[i], k)->kind != EVENT_CALL)
				visit(all, mask, note_of(engine.threads.at[i], k), (uint32_t)i);
	for (size_t i = 0; i < engine.threads.n; i++)
		put_thread(x, all, mask, (uint32_t)i);
	x->notes_lost = lost;
	free(all);
}
