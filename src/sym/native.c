/*
 * What native code does to memory that the interpreter has to know of: functions of externals.def, and inputs that are
 * given back (inputs.def). Reads come before the call: a symbol that native code reads is taken to be its guess, and
 * memory holds that guess while the call lasts. Writes come after it.
 */
#include "sym/engine.h"
#include "sym/recall.h"
#include "sym/externals.h"
#include "sym/ties.h"

#include "rt/inputs.h"

#include <stddef.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>

#define OBJECTS_IN_AT_MOST 4096u /* of a freed block: bytes that are searched for synchronization objects */
#define FREED_AT_MOST 65536u /* of a freed block: bytes that can be told to race */

/* Bytes that hold a guess instead of what memory holds, during a native call. */
struct patch {
	uint64_t address, was, is;
	unsigned size;
};

/* What a parameter's memory held before the call. */
struct snapshot {
	uint64_t address;
	uint64_t size;
	char *bytes;
};

/* The native call of a thread. They nest: native code calls back. */
struct native_memory {
	vec(struct patch) patches;
	vec(struct snapshot) snapshots;
	const struct native_call *call;
	const struct external *function;
	size_t ties; /* ties_mark before it read anything */
	struct native_memory *outer;
};

static uint64_t peek(uint64_t address, unsigned size)
{
	uint64_t v = 0;
	memcpy(&v, (const void *)(uintptr_t)address, size);
	return v;
}

static unsigned piece_size(uint64_t at, uint64_t left)
{
	unsigned n = 8 - (unsigned)(at % 8);
	return left < n ? (unsigned)left : n;
}

void native_uses(struct ethread *self, uint32_t site, uint64_t from, uint64_t size, bool decides)
{
	for (uint64_t at = from, end = from + size; at < end;) {
		struct access a = { .address = at, .size = piece_size(at, end - at) };
		engine_load(self, site, &a);
		if (a.value.e && decides) {
			uint64_t was = peek(at, a.size);
			guess_assume(self, a.value.e, a.value.v, false);
			if (was != a.value.v && self->native_memory) {
				*vec_push(&self->native_memory->patches) =
					(struct patch){ at, was, a.value.v, a.size };
				memcpy((void *)(uintptr_t)at, &a.value.v, a.size);
			}
		}
		at += a.size;
	}
}

static void writes(struct ethread *self, uint32_t site, uint64_t to, const void *bytes, uint64_t size)
{
	const char *from = bytes;
	for (uint64_t at = 0; at < size;) {
		struct access a = { .address = to + at, .size = piece_size(to + at, size - at) };
		memcpy(&a.value.v, from + at, a.size);
		if (self->native_memory)
			a.value.e = ties_made(self, self->native_memory->ties, self->native_memory->call, a.value.v, a.size);
		engine_store(self, site, &a);
		at += a.size;
	}
}

bool native_left_by_free(uint64_t start, bool marked, uint64_t at, unsigned size, uint64_t *left)
{
	uint64_t offset = at - start, low = offset % 8;
	uint64_t word = engine.freed_mark;
	if (offset < 8)
		left_known(start, &word);
	if (offset + size > (marked ? RT_FREED_SIZE : 8) || low + size > 8)
		return false;
	*left = word >> low * 8 & (UINT64_MAX >> (64 - size * 8));
	return true;
}

/* What it leaves there is known: a replay leaves it, too. */
static void leaves_known(const struct ethread *self, uint64_t start)
{
	uint64_t word;
	if (left_known(start, &word))
		*vec_push(&engine.results) =
			(struct forced_result){ .thread = self->number, .sap = self->saps, .kind = FORCED_LEFT, .when = word };
}

/* A block that is given up, or moves (realloc), counts as written: whoever uses it and is not ordered with that races. */
static void give_up(struct ethread *self, uint32_t site, uint64_t address, bool moves)
{
	uint64_t start, size;
	bool freed;
	if (!engine.config->heap_block(address, &start, &size, &freed) || start != address)
		return;
	site_describe(self, site, moves ? "realloc" : "free"); /* what the stores below are called */
	uint64_t end = start + (size < FREED_AT_MOST ? size : FREED_AT_MOST);
	bool raced = false, shares = mirror_has(start), marked = engine.config->heap_marks(size);
	if (shares && !moves && end < start + RT_FREED_SIZE)
		end = start + RT_FREED_SIZE;
	sync_freed(self, start, size < OBJECTS_IN_AT_MOST ? size : OBJECTS_IN_AT_MOST);
	for (uint64_t at = start; at < end;) {
		struct access a = { .address = at, .size = piece_size(at, end - at) };
		bool marks = !moves && native_left_by_free(start, marked, at, a.size, &a.value.v);
		if (!marks)
			a.value = (struct slot){ peek(at, a.size), interp_memory_expr(engine.interp, at, a.size) };
		if (marks || !shares)
			engine_store(self, site, &a);
		else
			engine_touch(self, at, a.size);
		raced |= races_raced(engine.races);
		at += a.size;
	}
	races_give_back(engine.races, start, end - start);
	if (shares && !moves)
		leaves_known(self, start);
	mirror_freed(self, start, moves ? "realloc" : "free");
	if (raced)
		mirror_share(start);
}

static bool is_freed(uint64_t address)
{
	uint64_t start, size;
	bool freed;
	return engine.config->heap_block(address, &start, &size, &freed) && freed;
}

/* Did the C library end the recorded run in the call at hand? */
static bool aborts_in_call(const struct ethread *self)
{
	return engine_fails_in_call(self) && engine.trace->failure.signal == SIGABRT;
}

/* The recorded run ended here: the C library saw by its mark that the block was free. */
_Noreturn static void fails_in_free(struct ethread *self, uint32_t site, uint64_t address)
{
	struct access mark = { .address = address + sizeof(uint64_t), .size = sizeof(uint64_t) };
	engine_load(self, site, &mark);
	if (mark.value.e)
		condition_add(self, mark.value.e, engine.freed_mark, CONDITION_BUG);
	engine_ends_here(self, site != 0);
	ithread_stop(self->interp);
}

static bool ends_in_free(uint32_t signal)
{
	return signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS;
}

static void note_freed(struct ethread *self, uint32_t site, uint64_t address, bool moves)
{
	uint64_t start, size;
	bool freed;
	if (engine.config->heap_block(address, &start, &size, &freed) && start == address)
		notes_block(self, site_describe(self, site, moves ? "realloc" : "free"), start, size, NOTE_FREED);
}

/* Is it a variable's address, or one in the middle of a block? The C library looks at what lies before it, and fails, or goes on with what it finds. */
static bool is_no_block(uint64_t address)
{
	uint64_t start, size;
	uint32_t recorded;
	bool freed;
	if (engine.config->heap_block(address, &start, &size, &freed))
		return start != address;
	return recall_in_program(address) || block_recorded(address, &recorded);
}

/* Did the recorded run end in the call at hand, which gives back memory? */
static bool fails_there(const struct ethread *self)
{
	return engine_fails_in_call(self) && ends_in_free(engine.trace->failure.signal);
}

/* Who knows what the pointer was, which lay outside of all blocks; where the run went on, it gave back nothing that matters. */
static void frees_anything(struct ethread *self, struct slot *pointer)
{
	if (fails_there(self))
		engine_faults(self, true);
	*pointer = (struct slot){ 0, EXPR_NONE };
}

static void frees(struct ethread *self, uint32_t site, struct slot pointer, bool moves)
{
	uint64_t address = pointer.v;
	if (is_no_block(address)) {
		bool recorded = fails_there(self);
		if (pointer.e && recorded)
			condition_add(self, pointer.e, address, CONDITION_BUG);
		else if (pointer.e)
			guess_assume(self, pointer.e, address, false);
		engine_faults(self, recorded);
	}
	/* Twice: where memory is shared, this may have been the first time, or that of the next block. */
	bool twice = is_freed(address);
	note_freed(self, site, address, moves);
	if (twice)
		mirror_share(address);
	if (twice && !moves && aborts_in_call(self))
		fails_in_free(self, site, address);
	if (!twice || mirror_has(address))
		give_up(self, site, address, moves);
}

/* ---- functions of the table ---- */

static uint64_t parameter(const struct native_call *c, int i)
{
	return i >= 0 && (unsigned)i < c->nin ? c->in[i].v : 0;
}

/* How many bytes, as far as that is known before the call (done: after it). */
static uint64_t measure(const struct native_call *c, const struct effect *e, bool done)
{
	const char *at = (const char *)(uintptr_t)parameter(c, (int)e->parameter);
	uint64_t most;
	switch (e->measure) {
	case 'p':
	case 'v':
	case 's':
		if (e->first < 0)
			return e->kind == 'w' && !done ? 0 : strlen(at) + 1;
		most = strnlen(at, parameter(c, e->first));
		return most < parameter(c, e->first) ? most + 1 : most;
	case '=':
		return parameter(c, e->first) * (e->second < 0 ? 1 : parameter(c, e->second));
	case 'k':
		return (uint64_t)e->first;
	case '$':
		if (!done || (int64_t)c->out[0].v < 0)
			return 0;
		most = parameter(c, 1);
		return c->out[0].v + 1 < most ? c->out[0].v + 1 : most;
	default:
		return 0;
	}
}

/* At most so many bytes will be written: for snapshots. */
static uint64_t measure_most(const struct native_call *c, const struct effect *e, uint64_t at)
{
	uint64_t start, size;
	bool freed;
	if (e->measure == '=' || e->measure == 'k')
		return measure(c, e, false);
	if (engine.config->heap_block(at, &start, &size, &freed))
		return start + size - at;
	/* strcpy and its kin: as long as what they read. */
	const char *source = (const char *)(uintptr_t)parameter(c, 1);
	return e->measure == '$' ? parameter(c, 1) : source && e->parameter == 0 ? strlen(source) + 1 : 0;
}

static void take_snapshot(struct native_memory *m, uint64_t at, uint64_t size)
{
	if (!size || size > 1u << 20)
		return;
	struct snapshot s = { at, size, xmalloc(size) };
	memcpy(s.bytes, (const void *)(uintptr_t)at, size);
	*vec_push(&m->snapshots) = s;
}

/* Conversions of a scanf format stored their results. */
static void wrote_format(struct ethread *self, const struct native_call *c, unsigned format)
{
	struct rt_conversions conversions = { .at = (const char *)(uintptr_t)parameter(c, (int)format) };
	unsigned i = format + 1;
	for (int64_t n = (int32_t)c->out[0].v; n > 0 && rt_conversions_next(&conversions) && i < c->nin; i++) {
		const void *at = (const void *)(uintptr_t)c->in[i].v;
		uint64_t size = rt_conversion_size(&conversions, at);
		char *bytes = xmalloc(size + 1);
		memcpy(bytes, at, size);
		writes(self, c->site, c->in[i].v, bytes, size);
		free(bytes);
		n -= conversions.kind != 'n';
	}
}

/* Memory holds what the call wrote; goes back to before it and writes it as the thread's own. */
static void wrote(struct ethread *self, struct native_memory *m, uint32_t site, uint64_t to, uint64_t size)
{
	char *bytes = xmalloc(size + 1);
	memcpy(bytes, (const void *)(uintptr_t)to, size);
	for (size_t i = 0; i < m->snapshots.n; i++) {
		const struct snapshot *s = &m->snapshots.at[i];
		uint64_t skip = to - s->address, left = s->size - skip;
		if (to >= s->address && skip < s->size)
			memcpy((void *)(uintptr_t)to, s->bytes + skip, left < size ? left : size);
	}
	writes(self, site, to, bytes, size);
	free(bytes);
}

/* ---- std::string ---- */

/* libstdc++'s: its text is in the object itself when it is short. */
struct text {
	uint64_t data, length, local[2];
};
_Static_assert(sizeof(struct text) == 32, "as externals.def has it");

static struct text text_at(uint64_t object)
{
	struct text t;
	memcpy(&t, (const void *)(uintptr_t)object, sizeof t);
	return t;
}

static bool is_local(const struct text *t, uint64_t object)
{
	return t->data == object + offsetof(struct text, local);
}

/* What lies behind a short text, or behind the capacity of a long one, nobody has written, and nobody reads. */
static void reads_text(struct ethread *self, uint32_t site, uint64_t object, bool decides)
{
	native_uses(self, site, object, offsetof(struct text, local), decides);
	struct text t = text_at(object);
	if (is_local(&t, object) && t.length > sizeof t.local)
		t.length = sizeof t.local;
	native_uses(self, site, t.data, t.length, decides);
}

static void destroys_text(struct ethread *self, uint32_t site, uint64_t object)
{
	native_uses(self, site, object, offsetof(struct text, local), true);
	struct text t = text_at(object);
	if (!is_local(&t, object))
		frees(self, site, (struct slot){ t.data, EXPR_NONE }, false);
}

/* Of the object and of its text: what may change. */
static void take_text_snapshots(struct native_memory *m, uint64_t object)
{
	struct text t = text_at(object);
	take_snapshot(m, object, sizeof t);
	if (!is_local(&t, object))
		take_snapshot(m, t.data, t.local[0] + 1); /* its capacity */
}

static const struct snapshot *snapshot_of(const struct native_memory *m, uint64_t at)
{
	for (size_t i = 0; i < m->snapshots.n; i++)
		if (m->snapshots.at[i].address == at)
			return &m->snapshots.at[i];
	return NULL;
}

/* The bytes that the call left as they were, at the front of a text that stayed in its place. */
static uint64_t unchanged(const struct native_memory *m, const struct text *before, const struct text *now)
{
	const struct snapshot *s = snapshot_of(m, before->data);
	const char *at = (const char *)(uintptr_t)now->data;
	uint64_t n = 0, most = before->length < now->length ? before->length : now->length;
	while (s && n < most && at[n] == s->bytes[n])
		n++;
	return s ? n : most;
}

/* A string was changed, or made where there was none. */
static void wrote_text(struct ethread *self, struct native_memory *m, uint32_t site, uint64_t object, bool made)
{
	struct text now = text_at(object), before = now;
	const struct snapshot *s = snapshot_of(m, object);
	if (!made && s)
		memcpy(&before, s->bytes, sizeof before);
	wrote(self, m, site, object, sizeof now);
	bool moved = before.data != now.data && !is_local(&before, object);
	if (moved) {
		native_uses(self, site, before.data, before.length, false);
		if (is_freed(before.data))
			give_up(self, site, before.data, false);
	}
	if (is_local(&now, object))
		return;
	uint64_t from = made || before.data != now.data ? 0 : unchanged(m, &before, &now);
	wrote(self, m, site, now.data + from, now.length + 1 - from);
}

/* ---- the halves of a call ---- */

void native_begins(struct ethread *self, const struct native_call *c, const struct external *x, uint32_t read)
{
	struct native_memory *m = xcalloc(1, sizeof *m);
	m->call = c;
	m->function = x;
	m->outer = self->native_memory;
	m->ties = ties_mark();
	self->native_memory = m;
	const char *effects = x->effects;
	for (struct effect e; effect_next(&effects, &e);) {
		uint64_t at = parameter(c, (int)e.parameter);
		bool any = (e.kind == 'f' || e.kind == 'm') && outside_decides(c->in[e.parameter].e);
		if (any)
			frees_anything(self, &c->in[e.parameter]);
		if (!at || any || (e.kind == 'r' && e.parameter < 32 && (read >> e.parameter & 1)))
			continue;
		if (e.kind == 'r' && e.measure == 'b')
			reads_text(self, c->site, at, x->class != EXTERNAL_OUTPUT);
		else if (e.kind == 'd')
			destroys_text(self, c->site, at);
		else if (e.kind == 'w' && e.measure == 'b')
			take_text_snapshots(m, at);
		else if (e.kind == 'r') {
			native_uses(self, c->site, at, measure(c, &e, false), x->class != EXTERNAL_OUTPUT);
			if (e.measure == 'p')
				format_reads(self, c, e.parameter, read, x->class != EXTERNAL_OUTPUT);
			else if (e.measure == 'v')
				format_reads_list(self, c, e.parameter, x->class != EXTERNAL_OUTPUT);
		} else if (e.kind == 'w' && e.measure != '%')
			take_snapshot(m, at, measure_most(c, &e, at));
		else if (e.kind == 'f' || e.kind == 'm')
			frees(self, c->site, c->in[e.parameter], e.kind == 'm');
	}
}

/* An allocation whose place matters: what the call wrote there is the thread's own doing. */
static void filled_block(struct ethread *self, const struct native_call *c, uint64_t most)
{
	struct range filled;
	char *bytes;
	mirror_called(self, c->name, &filled, &bytes);
	writes(self, c->site, filled.address, bytes, filled.size < most ? filled.size : most);
	free(bytes);
}

/* How much of a block that realloc moves it copies; UINT64_MAX: it is no realloc. */
static uint64_t copied(const struct native_call *c, const struct external *x)
{
	uint64_t from = parameter(c, 0), start, size;
	bool freed;
	if (!x || *x->effects != 'm')
		return UINT64_MAX;
	if (!from || from == c->out[0].v || !engine.config->heap_block(from, &start, &size, &freed))
		return 0;
	return size;
}

/* The old one of a block that moved in the recorded run, too: the C library got it back once its content was copied. */
static void left_behind(struct ethread *self, const struct native_call *c, uint64_t start, uint64_t size)
{
	uint32_t was, is = recall_next(self);
	if (!mirror_has(start) || !block_recorded(start, &was) || !is || was == is)
		return;
	bool marked = engine.config->heap_marks(size);
	for (uint64_t at = start; at < start + RT_FREED_SIZE; at += 8) {
		struct access a = { .address = at, .size = 8 };
		if (native_left_by_free(start, marked, at, a.size, &a.value.v))
			engine_store(self, c->site, &a);
	}
	leaves_known(self, start);
}

/* The block went on under another address, with its expressions. */
static void moved(struct ethread *self, const struct native_call *c)
{
	uint64_t from = parameter(c, 0), to = c->out[0].v, start, size, end;
	bool freed;
	if (!from || !to || to == from || !engine.config->heap_block(from, &start, &size, &freed))
		return;
	end = parameter(c, 1) < size ? parameter(c, 1) : size;
	for (uint64_t at = 0; at < end; at += 8) {
		unsigned n = piece_size(to + at, end - at);
		expr e = interp_memory_expr(engine.interp, from + at, n);
		struct access a = { .address = to + at, .size = n, .value = { peek(to + at, n), e } };
		if (e && mirror_has(to))
			engine_store(self, c->site, &a);
		else if (e)
			interp_set_memory_expr(engine.interp, to + at, n, e);
	}
	left_behind(self, c, start, size);
}

void native_ends(struct ethread *self, const struct native_call *c)
{
	struct native_memory *m = self->native_memory;
	bool ours = m && m->call == c;
	if (self->placed)
		filled_block(self, c, copied(c, ours ? m->function : NULL));
	else if (self->allocates && c->nout && c->name && !mirror_leaves_memory(c->name))
		mirror_filled(c->out[0].v);
	self->place = self->allocates = 0;
	if (!ours)
		return;
	const char *effects = m->function->effects;
	for (size_t i = 0; i < m->patches.n; i++) {
		const struct patch *p = &m->patches.at[i];
		if (peek(p->address, p->size) == p->is)
			memcpy((void *)(uintptr_t)p->address, &p->was, p->size);
	}
	for (struct effect e; effect_next(&effects, &e);) {
		uint64_t at = parameter(c, (int)e.parameter);
		if (!at)
			continue;
		if (e.kind == 'w' && e.measure == '%')
			wrote_format(self, c, e.parameter);
		else if (e.measure == 'b' && (e.kind == 'w' || e.kind == 'c'))
			wrote_text(self, m, c->site, at, e.kind == 'c');
		else if (e.kind == 'w')
			wrote(self, m, c->site, at, measure(c, &e, true));
		else if (e.kind == 'm')
			moved(self, c);
	}
	self->native_memory = m->outer;
	for (size_t i = 0; i < m->snapshots.n; i++)
		free(m->snapshots.at[i].bytes);
	vec_free(&m->snapshots);
	vec_free(&m->patches);
	free(m);
}

/* ---- inputs ---- */

_Noreturn void native_off_path(struct ethread *self, const char *what, const char *recorded)
{
	if (!engine.mismatches++) {
		struct position p;
		ithread_position(self->interp, &p);
		snprintf(engine.first_mismatch, sizeof engine.first_mismatch,
			 "%.90s:%u (%.50s), thread %s calls %.40s where the recorded run called %.40s", p.file,
			 p.line, p.function, self->name, what, recorded);
	}
	guess_refute(self);
	engine_thread_over(self);
}

/*
 * Has the log more of the thread, but not this input? What a library asks for in its first call may be another thread's. (A pure virtual function that was
 * called by mistake writes to standard error.)
 */
static bool goes_on_without(const struct ethread *self)
{
	return self->log && !self->outside && !engine.free && !engine_path_used_up(self);
}

const struct rt_input *native_input(uint32_t function, const char *what)
{
	struct ethread *self = engine_self();
	if (!self)
		return NULL;
	if (self->signals)
		signals_at(self, RT_SIGNAL_CALL);
	self->saps++;
	if (!self->log || self->next_input >= self->log->ninputs) {
		if (goes_on_without(self))
			native_off_path(self, what, "nothing");
		inside_asks_in_vain(self, what);
		sync_blocked(self);
	}
	const struct rt_input *r = self->log->inputs[self->next_input];
	if (r->function != function)
		native_off_path(self, what, trace_input_name(r));
	hear_input(self, r, what);
	if (!strncmp(what, "mmap", 4))
		unmapped_mapped(self, r->result);
	inside_asked(self, what);
	self->next_input++;
	if (r->error == RT_INPUT_CANCELLED)
		sync_cancelled(self);
	return r;
}

void native_reads(const void *from, uint64_t size)
{
	struct ethread *self = engine_self();
	if (self)
		native_uses(self, 0, (uint64_t)(uintptr_t)from, size, false);
}

void native_writes(void *to, const void *bytes, uint64_t size)
{
	struct ethread *self = engine_self();
	if (self)
		writes(self, 0, (uint64_t)(uintptr_t)to, bytes, size);
	else
		memcpy(to, bytes, size);
}
