/* What the interpreter asks the engine for: accesses of shared memory, the recorded path, native calls. */
#include "sym/engine.h"
#include "sym/externals.h"
#include "sym/ties.h"

#include <stdio.h>
#include <string.h>

static struct ethread *of(struct ithread *t)
{
	return ithread_data(t);
}

/* ---- path ---- */

/* The handler of a fault has come back, and the thread has gone on: now they are in the log. */
void path_settle(struct ethread *self)
{
	if (!self->unwritten)
		return;
	path_reader_skip(&self->path, self->unwritten);
	self->path_bits += self->unwritten;
	self->recent_bits = self->recent_bits << self->unwritten | ((1u << self->unwritten) - 1);
	self->unwritten = 0;
}

int64_t host_path_bits(struct ithread *t, unsigned n)
{
	struct ethread *self = of(t);
	if (self->rounds.given) {
		self->rounds.given = false;
		return self->rounds.bit;
	}
	path_settle(self);
	if (self->signals)
		signals_at_instruction(self, RT_SIGNAL_PATH);
	if (engine.free)
		return engine_may_be_over(self) ? -1 : -2;
	int64_t bits = path_reader_bits(&self->path, n);
	if (bits == -1 && engine_goes_too_far(self))
		host_mismatch(t);
	self->path_bits += n;
	self->recent_bits = self->recent_bits << n | (uint64_t)bits;
	time_path(self);
	if (self->path.words != self->words_seen) {
		self->words_seen = self->path.words;
		if (engine_goes_round(self))
			return -1;
	}
	return bits;
}

void host_silent(struct ithread *t)
{
	struct ethread *self = of(t);
	bool faults = self->signals && signals_fault_comes(self);
	if (!faults && (!path_reader_at_end(&self->path) || engine.free))
		return;
	/* Who has yet to arrive at its fault went that way; others may have been there or not. */
	bool arrives = faults || (engine.trace->failure.kind == RT_FAIL_SIGNAL && engine_goes_too_far(self));
	self->unwritten += faults;
	self->rounds.given = true;
	self->rounds.bit = arrives ? 1 : -3;
}

bool host_silent_goes(struct ithread *t, bool concrete)
{
	if (concrete)
		return true;
	of(t)->left_going = true;
	ithread_stop(t);
}

void host_unrecorded(struct ithread *t)
{
	if (!engine_may_be_over(of(t)))
		return;
	of(t)->left_going = true;
	ithread_stop(t);
}

bool host_known(struct ithread *t, expr e, uint64_t v)
{
	return ties_branch(of(t), e) || counting_known(of(t), e, v) || outside_decides(e);
}

void host_assume(struct ithread *t, expr e, uint64_t v)
{
	if (!ties_branch(of(t), e))
		condition_add(of(t), e, v, CONDITION_PATH);
}

void host_contradicted(struct ithread *t, expr condition)
{
	if (outside_decides(condition) || ties_strays(of(t)))
		return;
	early_contradicted(of(t), condition);
}

void host_mismatch(struct ithread *t)
{
	if (ties_strays(of(t)))
		return;
	if (!engine.mismatches++) {
		/* Anchors have no line of their own. */
		struct position stack[4], *p = stack;
		unsigned n = ithread_stack(t, stack, 4);
		while (p + 1 < stack + n && !p->line)
			p++;
		snprintf(engine.first_mismatch, sizeof engine.first_mismatch, "%s:%u (%.80s), thread %s", n ? p->file : "?",
			 n ? p->line : 0, n ? p->function : "?", of(t)->name);
	}
	guess_refute(of(t));
	suspect_mismatch(of(t));
	of(t)->strayed = true;
	/* What follows would be computed from wrong values: better to look again from here. */
	if (engine.refuted) {
		engine_thread_ends(of(t), false);
		ithread_stop(t);
	}
}

/* With guesses that were wrong a thread comes to where no run can be: as good as a branch that went another way in the log. */
_Noreturn void host_astray(struct ithread *t)
{
	host_mismatch(t);
	engine_thread_ends(of(t), false);
	ithread_stop(t);
}

void host_concretize(struct ithread *t, struct slot *s, const char *why)
{
	bool address = !strcmp(why, "address");
	if (ties_address(of(t), s))
		return;
	s->e = counting_clean(of(t), s->e);
	if (!s->e)
		return;
	/* Parameters of native code are asked for just before it is called: what the engine allocates here is not the program's for that. */
	int was = engine_inside(1);
	if (outside_fails_by(of(t), s->e, address))
		engine_faults(of(t), true);
	guess_is_fault(of(t), s->e, address, &s->v);
	if (!guess_is_wild(of(t), s->e, address, &s->v))
		guess_assume(of(t), s->e, s->v, address);
	s->e = EXPR_NONE;
	engine_inside(was);
}

static expr operand(struct ethread *self, struct slot s, unsigned width)
{
	expr e = counting_clean(self, s.e);
	return e ? e : expr_const(engine.exprs, width, s.v);
}

void host_divides(struct ithread *t, enum expr_op op, unsigned width, struct slot dividend, struct slot divisor)
{
	struct ethread *self = of(t);
	if (!guess_division_fails(self))
		return;
	expr a = operand(self, dividend, width), b = operand(self, divisor, width);
	expr fails = expr_equals(engine.exprs, b, 0);
	if (op == EXPR_SDIV || op == EXPR_SREM) { /* the least number by -1 is too large */
		expr least = expr_equals(engine.exprs, a, UINT64_C(1) << (width - 1));
		expr overflows = expr_binary(engine.exprs, EXPR_AND, least, expr_equals(engine.exprs, b, UINT64_MAX));
		fails = expr_binary(engine.exprs, EXPR_OR, fails, overflows);
	}
	uint64_t known;
	if (!expr_is_const(engine.exprs, fails, &known))
		condition_add(self, fails, 1, CONDITION_BUG);
	else if (!known)
		return;
	engine_thread_ends(self, true);
	ithread_stop(t);
}

_Noreturn void host_unsupported(struct ithread *t, const char *what)
{
	struct position p;
	ithread_position(t, &p);
	engine_fatal("%s:%u: in %s: %s", p.file, p.line, p.function, what);
}

/* ---- memory ---- */

static uint64_t read_memory(uint64_t address, unsigned size)
{
	uint64_t v = 0;
	memcpy(&v, (const void *)(uintptr_t)address, size);
	return v;
}

static void write_memory(uint64_t address, unsigned size, uint64_t v)
{
	memcpy((void *)(uintptr_t)address, &v, size);
}

/*
 * Does the access race? Notes what memory holds where a racy location is touched for the first time; must be
 * called before the access changes it.
 */
static bool is_racy(struct ethread *self, uint64_t address, uint64_t size, bool write)
{
	size_t fresh;
	gone_access(self, address, write);
	struct racer who = { self->number, self->strayed, self->clock.n, self->clock.at };
	bool racy = races_access(engine.races, who, address, size, write, &fresh);
	if (races_hit_freed(engine.races))
		mirror_share(address);
	else if (races_unwritten(engine.races))
		mirror_unwritten(address);
	if (write && (races_hit_freed(engine.races) || (races_untouched(engine.races) && outside_is(address))))
		outside_harmed(self, address);
	for (size_t i = 0; i < fresh; i++) {
		struct range r = races_fresh(engine.races)[i];
		/* Reading may be what fails: then nothing is noted. */
		uint64_t value = read_memory(r.address, (unsigned)r.size);
		*vec_push(&engine.initials) = (struct initial){
			.address = r.address,
			.size = (uint32_t)r.size,
			.value = value,
		};
	}
	if (racy)
		quiet_access(self, address, size, write);
	if (racy && write)
		lulls_written(self, address, size);
	return racy;
}

void engine_touch(struct ethread *self, uint64_t address, unsigned size)
{
	is_racy(self, address, size, true);
}

/* An access that reads. */
static struct event *read_event(struct ethread *self, enum event_kind kind, uint64_t address, uint32_t site, const char *what)
{
	struct event *e = event_add(self, kind, address, site_describe(self, site, what));
	if (interp_site_is_system(engine.interp, site))
		e->flags |= interp_site_is_account(engine.interp, site) ? EVENT_SYSTEM | EVENT_ACCOUNT : EVENT_SYSTEM;
	if (self->in_text)
		e->flags |= EVENT_TEXT;
	return e;
}

/* `what`: by whom, as events and notes of it are named. */
static void load(struct ethread *self, uint32_t site, struct access *a, const char *what)
{
	expr address = guess_take_address(self, a->address);
	bool laps = !address && !ties_on(); /* it may be of one that is left out */
	if (laps)
		laps_read(self, site, a);
	time_wander(self);
	recall_await(self, a->address, a->size);
	early_await(self, a->address, a->size);
	bool handed = interp_site_is_handed(engine.interp, site);
	bool racy = !handed && is_racy(self, a->address, a->size, false);
	bool unwritten = !handed && races_unwritten(engine.races);
	racy = !handed && suspect_read(self, site, a->address, a->size, racy);
	a->value.v = read_memory(a->address, a->size);
	a->value.e = EXPR_NONE;
	if (racy)
		unseen_read(a->address, a->size, a->value.v);
	if (unwritten && !address && !self->beyond_text && outside_is(a->address)) {
		self->found_outside = true;
		a->value = outside_read(self, a->address, a->value.v, a->size);
		recall_value(self, &a->value, a->size);
		return;
	}
	if (!racy || quiet_read(self, site, a)) {
		a->value.e = interp_memory_expr(engine.interp, a->address, a->size);
		a->value.e = guess_guarded(self, address, a->address, &a->value, a->size);
		recall_value(self, &a->value, a->size);
		if (laps)
			laps_note(self, site, a, false);
		if (!racy)
			notes_access(self, site, a, false, what);
		return;
	}
	if (lulls_read(self, site, a)) {
		recall_value(self, &a->value, a->size);
		if (laps)
			laps_note(self, site, a, false);
		return;
	}
	if (laps && spin_read(self, site, a)) {
		laps_note(self, site, a, true);
		return;
	}
	uint32_t piece;
	a->value = guess_read(self, a->address, a->size, a->value.v, &piece);
	struct event *e = read_event(self, EVENT_READ, a->address, site, what);
	e->piece = piece;
	e->size = (uint8_t)a->size;
	e->read = a->value.e;
	spin_note(self, laps ? site : 0, a);
	if (laps)
		laps_note(self, site, a, true);
	a->value.e = guess_guarded(self, address, a->address, &a->value, a->size);
	recall_value(self, &a->value, a->size);
	lulls_note(self, a);
}

void engine_load(struct ethread *self, uint32_t site, struct access *a)
{
	engine_load_as(self, site, a, "load");
}

void engine_load_as(struct ethread *self, uint32_t site, struct access *a, const char *what)
{
	self->found_outside = false;
	unmapped_access(self, site, a->address, a->size);
	load(self, site, a, what);
	if (ties_on())
		a->value.e = ties_read(self, a);
	if (ties_on() && self->found_outside)
		outside_mark(a->value.e);
}

static void write_event(struct ethread *self, uint32_t site, const struct access *a, const char *what)
{
	self->effects++;
	struct slot written = { a->value.v, counting_clean(self, a->value.e) };
	if (outside_decides(written.e))
		written.e = EXPR_NONE;
	struct event *e = event_add(self, EVENT_WRITE, a->address, site_describe(self, site, what));
	e->size = (uint8_t)a->size;
	e->written = value_expr(&written, a->size);
	unseen_note(a->address, a->size, a->value.v);
	await_wrote(self, a->address, a->size, a->value.v);
}

void engine_store(struct ethread *self, uint32_t site, const struct access *a)
{
	guess_take_address(self, a->address);
	unmapped_access(self, site, a->address, a->size);
	if (ties_on())
		ties_wrote(self, a);
	time_wander(self);
	bool racy = is_racy(self, a->address, a->size, true);
	write_memory(a->address, a->size, a->value.v);
	interp_set_memory_expr(engine.interp, a->address, a->size, a->value.e);
	if (!racy) {
		laps_store(self, site, a);
		notes_access(self, site, a, true, "store");
		return;
	}
	write_event(self, site, a, "store");
}

/* Bytes from `at` to the next multiple of 8, at most `left`: pieces that never straddle a granule. */
static unsigned piece_size(uint64_t at, uint64_t left)
{
	unsigned n = 8 - (unsigned)(at % 8);
	return left < n ? (unsigned)left : n;
}

void host_own_store(struct ithread *t, uint64_t address, unsigned size, struct slot value)
{
	struct ethread *self = of(t);
	if (!mirror_has(address) && !races_is_known(engine.races, address, size))
		return;
	for (unsigned at = 0, n; at < size; at += n) {
		n = piece_size(address + at, size - at);
		struct access a = { .address = address + at, .size = n, .value = value };
		if (n < size) {
			a.value.v = value.v >> at * 8 & (UINT64_MAX >> (64 - n * 8));
			a.value.e = value.e ? expr_extract(engine.exprs, value.e, at * 8, n * 8) : EXPR_NONE;
		}
		if (is_racy(self, a.address, n, true))
			write_event(self, 0, &a, ""); /* no SAP that a schedule could name */
	}
}

void host_load(struct ithread *t, uint32_t site, struct access *pieces, unsigned count)
{
	struct ethread *self = of(t);
	self->saps++;
	for (unsigned i = 0; i < count; i++)
		engine_load(self, site, &pieces[i]);
}

void host_store(struct ithread *t, uint32_t site, const struct access *pieces, unsigned count)
{
	struct ethread *self = of(t);
	self->saps++;
	for (unsigned i = 0; i < count; i++)
		engine_store(self, site, &pieces[i]);
}

/*
 * An atomic update that does not race is still a fence. It is an event only where it has something to drain: reference counts
 * are many.
 */
static void drain(struct ethread *self, uint32_t site)
{
	if (self->buffered)
		event_add(self, EVENT_FENCE, 0, site_describe(self, site, "atomic"));
}

/* One more round of a busy wait, for a lock that is tried in vain: as spin_read, for an update that leaves all as it is. */
static bool spins(struct ethread *self, uint32_t site, struct access *a, host_update *update, void *data)
{
	struct slot old, new_value = { 0 };
	const struct event *e = spin_last(self, site, a, &old);
	if (!e || e->kind != EVENT_UPDATE || !update(data, self->interp, old, &new_value) || new_value.v != old.v ||
	    value_expr(&new_value, a->size) != e->written || !spin_read(self, site, a))
		return false;
	if (!new_value.e)
		write_memory(a->address, a->size, new_value.v);
	laps_doubt(new_value.e);
	laps_updated(self, site, &(struct access){ .address = a->address, .size = a->size, .value = new_value }, old.v);
	unseen_note(a->address, a->size, read_memory(a->address, a->size));
	return true;
}

void host_atomic(struct ithread *t, uint32_t site, struct access *piece, host_update *update, void *data)
{
	struct ethread *self = of(t);
	self->saps++;
	unmapped_access(self, site, piece->address, piece->size);
	if (!ties_on())
		laps_read(self, site, piece);
	time_wander(self);
	recall_await(self, piece->address, piece->size);
	early_await(self, piece->address, piece->size);
	bool racy = is_racy(self, piece->address, piece->size, false);
	racy |= is_racy(self, piece->address, piece->size, true);
	racy = suspect_read(self, site, piece->address, piece->size, racy);
	if (racy && !ties_on() && spins(self, site, piece, update, data))
		return;
	struct slot old = { read_memory(piece->address, piece->size), EXPR_NONE }, new_value = { 0 };
	uint32_t number = 0;
	if (racy)
		old = guess_read(self, piece->address, piece->size, old.v, &number);
	else
		old.e = interp_memory_expr(engine.interp, piece->address, piece->size);
	expr read = old.e;
	const struct access found = { .address = piece->address, .size = piece->size, .value = old };
	recall_value(self, &old, piece->size);
	piece->value = old;
	if (ties_on())
		old.e = piece->value.e = ties_read(self, piece);
	bool writes = update(data, t, old, &new_value), stores = interp_site_is_store(engine.interp, site);
	if (writes) {
		if (ties_on())
			ties_wrote(self, &(struct access){ .address = piece->address, .size = piece->size, .value = new_value });
		write_memory(piece->address, piece->size, new_value.v);
		interp_set_memory_expr(engine.interp, piece->address, piece->size, new_value.e);
	}
	if (!racy) {
		if (!ties_on())
			laps_note(self, site, piece, false);
		drain(self, site);
		if (!stores)
			notes_access(self, site, piece, false, "atomic");
		if (writes)
			laps_store(self, site, &(struct access){ .address = piece->address, .size = piece->size, .value = new_value });
		if (writes)
			notes_access(self, site, &(struct access){ .address = piece->address, .size = piece->size, .value = new_value }, true, "atomic");
		return;
	}
	/* A compare that does not exchange drains too: it writes what it read, in one event, so that nothing comes in between. */
	bool writes_back = !writes && self->buffered;
	if (writes && outside_decides(new_value.e))
		new_value.e = EXPR_NONE;
	struct slot written = { new_value.v, counting_clean(self, new_value.e) };
	expr value = writes ? value_expr(&written, piece->size) : writes_back ? read : EXPR_NONE;
	struct event *e = read_event(self, writes || writes_back ? EVENT_UPDATE : EVENT_READ, piece->address, site, "atomic");
	e->size = (uint8_t)piece->size;
	e->piece = number;
	e->read = read;
	e->written = value;
	e->flags |= stores ? EVENT_STORES : 0;
	if (!ties_on())
		spin_note(self, site, &found);
	if (ties_on())
		self->effects++;
	else if (writes)
		laps_updated(self, site, &(struct access){ .address = piece->address, .size = piece->size, .value = new_value }, old.v);
	else
		laps_note(self, site, piece, true);
	unseen_note(piece->address, piece->size, writes ? new_value.v : read_memory(piece->address, piece->size));
	if (writes)
		await_wrote(self, piece->address, piece->size, new_value.v);
}

void host_fence(struct ithread *t, uint32_t site)
{
	struct ethread *self = of(t);
	self->saps++;
	if (event_is_drained(self, site))
		return;
	self->effects++;
	event_add(self, EVENT_FENCE, 0, site_describe(self, site, "fence"));
}

void host_site(struct ithread *t, uint32_t site)
{
	(void)site;
	of(t)->saps++;
}

/*
 * Fails, as the machine does, where so much cannot be there: a length that was guessed wrongly, below zero for instance. Here
 * it would go on for very long, since the heap is one large reservation.
 */
static void check_length(uint64_t at, uint64_t size)
{
	const uint64_t large = 1ull << 32, nowhere = 1ull << 62;
	uint64_t start, all;
	bool freed;
	if (size < large || (engine.config->heap_block(at, &start, &all, &freed) && size <= all - (at - start)))
		return;
	(void)*(const volatile char *)(uintptr_t)nowhere;
}

void host_copy(struct ithread *t, uint32_t site, uint64_t to, uint64_t from, uint64_t size)
{
	struct ethread *self = of(t);
	self->saps++;
	check_length(from, size);
	vec(struct access) pieces = { 0 };
	for (uint64_t at = 0; at < size;) {
		struct access a = { .address = from + at, .size = piece_size(to + at, size - at) };
		unsigned n = piece_size(from + at, size - at);
		if (n < a.size)
			a.size = n;
		engine_load(self, site, &a);
		a.address = to + at;
		*vec_push(&pieces) = a;
		at += a.size;
	}
	for (size_t i = 0; i < pieces.n; i++)
		engine_store(self, site, &pieces.at[i]);
	vec_free(&pieces);
}

void host_fill(struct ithread *t, uint32_t site, uint64_t to, struct slot byte, uint64_t size)
{
	struct ethread *self = of(t);
	self->saps++;
	if (byte.e)
		host_concretize(t, &byte, "byte of a memset");
	check_length(to, size);
	for (uint64_t at = 0; at < size;) {
		struct access a = { .address = to + at, .size = piece_size(to + at, size - at) };
		a.value.v = (byte.v & 0xff) * 0x0101010101010101ull;
		if (a.size < 8)
			a.value.v &= (1ull << a.size * 8) - 1;
		engine_store(self, site, &a);
		at += a.size;
	}
}

/* ---- native calls ---- */

/* memcpy, memmove and memset that are still calls: as the intrinsics. */
static bool host_moves(struct ithread *t, struct native_call *c, bool fills)
{
	for (unsigned i = 0; i < c->nin; i++)
		if (c->in[i].e && !(fills && i == 1))
			host_concretize(t, &c->in[i], "parameter of a copy");
	if (fills)
		host_fill(t, c->site, c->in[0].v, c->in[1], c->in[2].v);
	else
		host_copy(t, c->site, c->in[0].v, c->in[1].v, c->in[2].v);
	c->out[0] = c->in[0];
	return false;
}

/* Of locks that are not really held here. */
static bool is_about_held(const char *name)
{
	return !strcmp(name, "pthread_mutex_consistent");
}

/* A synchronization object that is initialised is a new one, whatever was at its address. */
static void host_initialises(struct ethread *self, const struct native_call *c)
{
	static const char *const names[] = { "pthread_mutex_init", "pthread_rwlock_init", "pthread_cond_init", "sem_init",
					     "pthread_barrier_init", "pthread_spin_init" };
	const void *place = c->nin ? (const void *)(uintptr_t)c->in[0].v : NULL;
	bool any = false;
	for (size_t i = 0; place && c->name && i < sizeof names / sizeof *names; i++)
		any |= !strcmp(c->name, names[i]);
	if (any && engine.lock_order)
		sync_renewed(self, place, c->name);
	else if (any)
		object_forget(place);
}

/* A function that makes no system call, so that no handler can have run in it. */
static bool is_pure(const char *name)
{
	const struct external *x = external_find(name);
	return x && (x->class == EXTERNAL_PURE || x->class == EXTERNAL_COPIES || x->class == EXTERNAL_FILLS);
}

/* Functions that end the process without exit handlers: where they are called, the thread's path ends. */
static bool runs_nothing_more(const char *name)
{
	return !strcmp(name, "abort") || !strcmp(name, "__assert_fail") || !strcmp(name, "_exit") || !strcmp(name, "_Exit");
}

/* What such a function answers may be what other threads left in its library: that is in no log. */
static void note_answering(const struct native_call *c, const struct external *x)
{
	if (x || !c->site || !c->nout || engine.threads.n < 2 || engine.answering[0])
		return;
	snprintf(engine.answering, sizeof engine.answering, "%s", c->name ? c->name : "a function that is called by its address");
}

bool host_call(struct ithread *t, struct native_call *c)
{
	struct ethread *self = of(t);
	self->calls_nothing = (uint64_t)(uintptr_t)c->address < RT_PAGE;
	if (self->signals && !is_pure(c->name))
		signals_at_instruction(self, RT_SIGNAL_CALL);
	const struct external *x = external_find(c->name);
	note_answering(c, x);
	for (unsigned i = 0; i < c->nin && (!x || x->class != EXTERNAL_SLEEPS); i++)
		c->in[i].e = counting_clean(self, c->in[i].e);
	self->effects += !x || (x->class != EXTERNAL_PURE && x->class != EXTERNAL_SLEEPS && !text_only_reads(c->name));
	if (x && (x->class == EXTERNAL_COPIES || x->class == EXTERNAL_FILLS) && c->site && c->nin >= 3)
		return host_moves(t, c, x->class == EXTERNAL_FILLS);
	if (c->site)
		self->saps++;
	mirror_lacks_room(self, c);
	if (x && x->class == EXTERNAL_ENDS && c->nin == 1 && strstr(x->name, "xit"))
		shown_status(self, &c->in[0]);
	/* Text that is made in memory may decide something later. */
	uint32_t dealt_with = shown_call(self, c, x && x->class == EXTERNAL_OUTPUT ? CONDITION_OUTPUT : CONDITION_PATH);
	switch (x ? x->class : EXTERNAL_OTHER) {
	case EXTERNAL_ENDS:
		if (!strcmp(x->name, "exit") && engine_exits(self))
			break; /* it is called, and runs the exit handlers */
		if (runs_nothing_more(x->name) && !self->signals && !engine_path_used_up(self)) {
			host_mismatch(t);
			engine_thread_ends(self, false);
		}
		engine_ends_here(self, c->site != 0);
		ithread_stop(t);
	case EXTERNAL_SLEEPS:
		memset(c->out, 0, c->nout * sizeof *c->out);
		return false;
	case EXTERNAL_OUTPUT:
		for (unsigned i = 0; i < c->nin; i++)
			c->in[i].e = EXPR_NONE; /* what is printed decides nothing */
		break;
	default:
		break;
	}
	if (x && x->class == EXTERNAL_MEMORY && text_call(self, c))
		return false;
	if (x && ((x->class == EXTERNAL_PURE && is_about_held(x->name)) || (*x->effects == 'u' && unmapped_call(self, c)))) {
		memset(c->out, 0, c->nout * sizeof *c->out);
		return false;
	}
	if (x && *x->effects)
		native_begins(self, c, x, dealt_with);
	if (outside_fails_in(self)) {
		engine_ends_here(self, c->site != 0);
		ithread_stop(t);
	}
	if (!x && c->site)
		inside_waits(self);
	host_initialises(self, c);
	if (!x || x->class != EXTERNAL_PURE)
		unseen_call();
	self->makes_block = x && (x->class == EXTERNAL_ALLOCATES || *x->effects == 'm');
	self->native = c->name;
	if (!x && c->site)
		inside_begins(self);
	engine_inside(0);
	return true;
}

void host_called(struct ithread *t, struct native_call *c)
{
	engine_inside(1);
	of(t)->native = NULL;
	inside_ends(of(t));
	native_ends(of(t), c);
	if (of(t)->makes_block)
		names_allocated(of(t), c);
	of(t)->makes_block = false;
}
