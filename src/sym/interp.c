/*
 * The interpreter's life: code, threads, entering and leaving.
 */
#include "base/sources.h"
#include "sym/interp_internal.h"

#include <rethread/instrument.h>

#include <stdlib.h>
#include <sys/mman.h>

enum {
	STACK_BYTES = 64 << 20,  /* of interpreted local variables; address space, not memory */
	STACK_VALUES = 16 << 20, /* registers */
	STACK_FRAMES = 1 << 20,
	RED_ZONE = 4096,
};

/* ------------------------------------------------------------------ addresses of symbols */

static size_t address_slot(const struct address_map *m, uint64_t key)
{
	size_t h = (size_t)((key >> 4) * 0x9e3779b97f4a7c15ull >> 24);
	for (;; h++) {
		h &= m->cap - 1;
		if (!m->values[h] || m->keys[h] == key)
			return h;
	}
}

static void address_map_fill(struct interp *in)
{
	struct address_map *m = &in->addresses;
	const struct code *c = &in->code;
	for (m->cap = 64; m->cap < 2 * c->nsymbols; m->cap *= 2)
		;
	m->keys = xcalloc(m->cap, sizeof *m->keys);
	m->values = xcalloc(m->cap, sizeof *m->values);
	for (uint32_t i = 0; i < c->nsymbols; i++) {
		uint64_t at = (uint64_t)(uintptr_t)in->symbols[i];
		if (!at || c->symbols[i].kind != SYMBOL_FUNCTION)
			continue;
		size_t h = address_slot(m, at);
		/* Of several names for one address the one with a body counts. */
		if (m->values[h] && c->symbols[m->values[h] - 1].function)
			continue;
		m->keys[h] = at;
		m->values[h] = i + 1;
	}
}

int64_t symbol_at(const struct interp *in, uint64_t address)
{
	return (int64_t)in->addresses.values[address_slot(&in->addresses, address)] - 1;
}

/* ------------------------------------------------------------------ code */

static uint8_t special_of(const char *name)
{
	static const struct {
		const char *name;
		uint8_t special;
	} table[] = {
		{"setjmp", SPECIAL_SETJMP},	  {"_setjmp", SPECIAL_SETJMP},
		{"__sigsetjmp", SPECIAL_SETJMP},  {"sigsetjmp", SPECIAL_SETJMP},
		{"longjmp", SPECIAL_LONGJMP},	  {"_longjmp", SPECIAL_LONGJMP},
		{"siglongjmp", SPECIAL_LONGJMP},  {"__longjmp_chk", SPECIAL_LONGJMP},
		{"__pthread_register_cancel", SPECIAL_REGISTER},
		{"__pthread_unregister_cancel", SPECIAL_UNREGISTER},
		{"__pthread_unwind_next", SPECIAL_UNWIND_NEXT},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(name, table[i].name))
			return table[i].special;
	return SPECIAL_NONE;
}

static void prepare(struct interp *in)
{
	const struct code *c = &in->code;
	in->consts = xcalloc(c->nconsts, sizeof *in->consts);
	for (size_t i = 0; i < c->nconsts; i++) {
		uint64_t base = c->consts[i].symbol
					? (uint64_t)(uintptr_t)in->symbols[c->consts[i].symbol - 1]
					: 0;
		in->consts[i] = base + c->consts[i].value;
	}
	in->functions = xcalloc(c->nfunctions, sizeof *in->functions);
	for (size_t i = 0; i < c->nfunctions; i++) {
		const struct code_function *f = &c->functions[i];
		in->functions[i] = (struct ifunction){
			.code = f->reason ? NULL : c->insns + f->first_insn,
			.consts = in->consts + f->first_const,
			.nregs = f->nregs,
			.nparams = f->nparams,
			.nconsts = f->nconsts,
			.nresults = f->nresults,
			.memory = f->memory,
			.align = f->align ? f->align : 16,
			.info = f,
		};
	}
	in->special = xcalloc(c->nsymbols, 1);
	in->origins = xcalloc(c->npositions + 1, 1);
	for (size_t i = 0; i < c->nsymbols; i++)
		if (!c->symbols[i].function)
			in->special[i] = special_of(c->strings + c->symbols[i].name);
	address_map_fill(in);
}

struct interp *interp_new(const char *code_file, const void *const *symbols, uint32_t nsymbols,
			  void *(*tls)(uint32_t symbol), struct expr_arena *exprs, struct error *err)
{
	struct interp *in = xcalloc(1, sizeof *in);
	if (!code_load(&in->code, code_file, err)) {
		free(in);
		return NULL;
	}
	if (in->code.nsymbols != nsymbols) {
		fail(err, "%s has %zu symbols, the program %u: they are not of the same link", code_file,
		     in->code.nsymbols, nsymbols);
		code_release(&in->code);
		free(in);
		return NULL;
	}
	in->symbols = symbols;
	in->tls = tls;
	in->exprs = exprs;
	in->memory = symmem_new(exprs);
	prepare(in);
	return in;
}

void interp_free(struct interp *in)
{
	if (!in)
		return;
	symmem_free(in->memory);
	free(in->functions);
	free(in->consts);
	free(in->special);
	free(in->origins);
	free(in->addresses.keys);
	free(in->addresses.values);
	code_release(&in->code);
	free(in);
}

void interp_signature(const struct interp *in, uint32_t symbol, unsigned *nin, unsigned *nout)
{
	const struct code_symbol *s = &in->code.symbols[symbol];
	*nin = s->function ? in->functions[s->function - 1].nparams : 0;
	*nout = s->function ? in->functions[s->function - 1].nresults : 0;
}

const char *interp_symbol_name(const struct interp *in, uint32_t symbol)
{
	return symbol < in->code.nsymbols ? in->code.strings + in->code.symbols[symbol].name : "?";
}

/* ------------------------------------------------------------------ threads */

/* At the place, if there is room. */
static void *reserve_at(void *place, size_t size)
{
	void *p = mmap(place, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		die(EXIT_ERROR, "out of memory for an interpreted thread's stack");
	return p;
}

static void *reserve(size_t size)
{
	return reserve_at(NULL, size);
}

/*
 * Local variables lie below the stack that the native thread has: for the first thread, above all libraries, as in a run of its own.
 * Programs compare addresses, std::string whether a text lies within its own.
 */
static void *reserve_stack(void)
{
	enum { NATIVE = 32 << 20, PAGE = 4096 };
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	return reserve_at((void *)((here - NATIVE - STACK_BYTES) & -(uintptr_t)PAGE), STACK_BYTES);
}

static const struct ifunction nothing = {.align = 16};

struct ithread *ithread_new(struct interp *in, void *data)
{
	struct ithread *t = xcalloc(1, sizeof *t);
	t->in = in;
	t->mem = in->memory;
	t->patience = t->jumps = PATIENCE;
	t->data = data;
	t->frames = reserve(STACK_FRAMES * sizeof *t->frames);
	t->frames_end = t->frames + STACK_FRAMES;
	t->values = reserve(STACK_VALUES * sizeof *t->values);
	t->values_end = t->values + STACK_VALUES;
	t->exprs = reserve(STACK_VALUES * sizeof *t->exprs);
	t->stack = reserve_stack();
	t->stack_end = t->stack + STACK_BYTES;
	t->sp = t->stack_end - RED_ZONE;
	t->frame = t->frames;
	*t->frame = (struct frame){.f = &nothing, .r = t->values, .x = t->exprs, .sp = t->sp};
	return t;
}

void ithread_free(struct ithread *t)
{
	if (!t)
		return;
	munmap(t->frames, STACK_FRAMES * sizeof *t->frames);
	munmap(t->values, STACK_VALUES * sizeof *t->values);
	munmap(t->exprs, STACK_VALUES * sizeof *t->exprs);
	munmap(t->stack, STACK_BYTES);
	vec_free(&t->cleanups);
	vec_free(&t->registers);
	free(t);
}

void *ithread_data(const struct ithread *t)
{
	return t->data;
}

uint64_t ithread_instructions(const struct ithread *t)
{
	return t->count;
}

void frame_make_symbolic(struct frame *fr)
{
	memset(fr->x, 0, fr->f->nregs * sizeof *fr->x);
	fr->symbolic = true;
}

_Noreturn void stack_overflow(struct ithread *t)
{
	host_unsupported(t, "recursion deeper than the interpreter's stack");
}

uint64_t reg_concrete(struct ithread *t, uint32_t n, const char *why)
{
	struct slot s = reg_get(t->frame, n);
	if (s.e) {
		host_concretize(t, &s, why);
		reg_set(t->frame, n, s);
	}
	return s.v;
}

/* ------------------------------------------------------------------ positions */

static void fill_position(const struct code *c, uint32_t index, struct position *p)
{
	const struct code_position *x = &c->positions[index];
	*p = (struct position){.function = c->strings + x->function,
			       .file = c->strings + x->file,
			       .line = x->line,
			       .column = x->column};
}

void ithread_position(const struct ithread *t, struct position *p)
{
	const struct code *c = &t->in->code;
	if (!t->pc || t->pc < c->insns || t->pc >= c->insns + c->ninsns)
		fill_position(c, 0, p);
	else
		fill_position(c, c->where[t->pc - c->insns], p);
}

void interp_place(const struct interp *in, uint32_t position, struct position *p)
{
	fill_position(&in->code, position < in->code.npositions ? position : 0, p);
}

unsigned ithread_stack(const struct ithread *t, struct position *frames, unsigned most)
{
	const struct code *c = &t->in->code;
	const struct insn *pc = t->pc;
	unsigned n = 0;
	for (const struct frame *fr = t->frame; fr > t->frames && n < most; pc = fr->ret, fr--)
		if (pc >= c->insns && pc < c->insns + c->ninsns)
			fill_position(c, c->where[pc - c->insns], &frames[n++]);
	return n;
}

static uint32_t site_place(const struct interp *in, uint32_t site)
{
	return site < in->code.nsites ? in->code.sites[site] & ~CODE_SITE_FLAGS : 0;
}

/* Of std::atomic itself, or of the language's way to it. */
static bool in_atomic_header(const char *file)
{
	static const char *const names[] = { "/atomic", "/bits/atomic_base.h", "/stdatomic.h" };
	size_t length = strlen(file);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		if (length > n && !strcmp(file + length - n, names[i]))
			return true;
	}
	return false;
}

/* Whose source a place is in. Every racy access asks, so that comparing names each time took half of the executor's time. */
enum origin { ORIGIN_UNKNOWN, ORIGIN_OWN, ORIGIN_SYSTEM, ORIGIN_ATOMIC, ORIGIN_IMPLICIT };

static enum origin origin_of(const struct interp *in, uint32_t place)
{
	const char *file = in->code.strings + in->code.positions[place].file;
	if (in->origins[place] != ORIGIN_UNKNOWN)
		return in->origins[place];
	if (is_system_source(file))
		in->origins[place] = in_atomic_header(file) ? ORIGIN_ATOMIC : ORIGIN_SYSTEM;
	else
		in->origins[place] = in->code.positions[place].implicit ? ORIGIN_IMPLICIT : ORIGIN_OWN;
	return in->origins[place];
}

/* The place itself or what it was inlined into; 0 when that is all the system's. */
static uint32_t own_place(const struct interp *in, uint32_t place)
{
	while (place && origin_of(in, place) != ORIGIN_OWN)
		place = in->code.positions[place].outer;
	return place;
}

uint32_t ithread_own_place(const struct ithread *t, uint32_t site)
{
	const struct code *c = &t->in->code;
	const struct insn *pc = t->pc;
	uint32_t innermost = site ? site_place(t->in, site) : 0, own = own_place(t->in, innermost);
	for (const struct frame *fr = t->frame; !own && fr > t->frames; pc = fr->ret, fr--)
		if (pc >= c->insns && pc < c->insns + c->ninsns) {
			uint32_t place = c->where[pc - c->insns];
			innermost = innermost ? innermost : place;
			own = own_place(t->in, place);
		}
	return own ? own : innermost;
}

bool interp_site_is_own(const struct interp *in, uint32_t site)
{
	return own_place(in, site_place(in, site)) != 0;
}

bool interp_site_is_system(const struct interp *in, uint32_t site)
{
	uint32_t place = site_place(in, site);
	/* An atomic variable is whose who uses it. */
	while (place && origin_of(in, place) == ORIGIN_ATOMIC)
		place = in->code.positions[place].outer;
	return place && origin_of(in, place) == ORIGIN_SYSTEM;
}

bool interp_site_is_account(const struct interp *in, uint32_t site)
{
	return site < in->code.nsites && in->code.sites[site] & CODE_SITE_ATOMIC && interp_site_is_system(in, site);
}

bool interp_site_is_handed(const struct interp *in, uint32_t site)
{
	return site < in->code.nsites && in->code.sites[site] & CODE_SITE_HANDED;
}

bool interp_site_is_float(const struct interp *in, uint32_t site)
{
	return site < in->code.nsites && in->code.sites[site] & CODE_SITE_FLOAT;
}

bool interp_site_is_store(const struct interp *in, uint32_t site)
{
	return site < in->code.nsites && in->code.sites[site] & CODE_SITE_STORE;
}

/* ------------------------------------------------------------------ running */

static void run(struct ithread *t)
{
	while ((t->frame->symbolic ? run_symbolic(t) : run_concrete(t)) != RUN_DONE)
		;
}

/* The function's frame, filled in. */
static void begin(struct ithread *t, const struct ifunction *f, const struct slot *in, struct slot *out)
{
	static struct slot none;
	frame_push(t, f, t->sp, 0);
	struct frame *fr = t->frame;
	fr->out = f->nresults ? out : &none;
	memcpy(fr->r + f->nparams, f->consts, f->nconsts * sizeof *f->consts);
	for (uint32_t i = 0; i < f->nparams; i++)
		reg_set(fr, i, in[i]);
	t->pc = f->code;
}

static const struct ifunction *function_of(struct ithread *t, uint32_t symbol)
{
	const struct code *c = &t->in->code;
	uint32_t function = symbol < c->nsymbols ? c->symbols[symbol].function : 0;
	if (!function)
		host_unsupported(t, "a call of a function that is not in the module");
	const struct ifunction *f = &t->in->functions[function - 1];
	if (!f->code)
		host_unsupported(t, c->strings + f->info->reason);
	return f;
}

bool interp_call(struct ithread *t, uint32_t symbol, const struct slot *in, struct slot *out)
{
	struct activation self = {.outer = t->activation};
	if (t->stopped)
		return false;
	if (t->depth == 0 && sigsetjmp(t->stop, 1)) {
		t->stopped = true;
		return false;
	}
	t->depth++;
	begin(t, function_of(t, symbol), in, out);
	_setjmp(self.jump);
	t->activation = &self;
	run(t);
	t->pc = t->frame->ret;
	frame_pop(t);
	t->depth--;
	t->activation = self.outer;
	return true;
}

bool ithread_runs(const struct ithread *t)
{
	return t->depth && !t->stopped;
}

_Noreturn void ithread_stop(struct ithread *t)
{
	siglongjmp(t->stop, 1);
}

const struct slot *ithread_registers(struct ithread *t, size_t *n)
{
	t->registers.n = 0;
	for (const struct frame *fr = t->frames + 1; fr <= t->frame; fr++) {
		*vec_push(&t->registers) = (struct slot){.v = (uintptr_t)fr->ret ^ (uintptr_t)fr->sp};
		for (uint32_t i = 0; i < fr->f->nregs; i++)
			*vec_push(&t->registers) = reg_get(fr, i);
	}
	*n = t->registers.n;
	return t->registers.at;
}

uint64_t ithread_stored(const struct ithread *t)
{
	return t->stored;
}

uint64_t ithread_store_grows(uint64_t address, uint64_t value)
{
	return store_grows(address, value);
}

void ithread_set_register(struct ithread *t, size_t i, struct slot s)
{
	/* In the order of ithread_registers: each frame's are preceded by one for the frame itself. */
	for (struct frame *fr = t->frames + 1; fr <= t->frame; i -= fr->f->nregs + 1, fr++) {
		if (i <= fr->f->nregs) {
			reg_set(fr, (uint32_t)i - 1, s);
			return;
		}
	}
}

const void *ithread_locals(const struct ithread *t, size_t *size)
{
	*size = (size_t)(t->stack_end - RED_ZONE - t->sp);
	return t->sp;
}

bool ithread_is_on_stack(const struct ithread *t, uint64_t address, bool *below)
{
	*below = address < (uint64_t)(uintptr_t)t->sp;
	return address >= (uint64_t)(uintptr_t)t->stack && address < (uint64_t)(uintptr_t)t->stack_end;
}

expr interp_memory_expr(struct interp *in, uint64_t address, unsigned size)
{
	return symmem_maybe(in->memory, address) ? symmem_get(in->memory, address, size) : EXPR_NONE;
}

void interp_set_memory_expr(struct interp *in, uint64_t address, unsigned size, expr e)
{
	if (e || symmem_maybe(in->memory, address))
		symmem_set(in->memory, address, size, e);
}

void interp_watch(struct interp *in, uint64_t address)
{
	symmem_watch(in->memory, address);
}

void interp_clear_memory_expr(struct interp *in, uint64_t address, uint64_t size)
{
	symmem_clear(in->memory, address, size);
}

void interp_replace_memory_exprs(struct interp *in, expr (*f)(void *data, expr e), void *data)
{
	symmem_replace(in->memory, f, data);
}

uint32_t ithread_depth(const struct ithread *t)
{
	return (uint32_t)(t->frame - t->frames);
}

const void *ithread_pc(const struct ithread *t)
{
	return t->pc;
}
