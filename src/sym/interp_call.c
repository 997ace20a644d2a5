/*
 * Calls that are not direct calls of a function of the module with a fixed number of parameters.
 */
#include "sym/interp_internal.h"

#include <alloca.h>

const struct insn *slow_call_stub(struct ithread *t, const struct insn *pc)
{
	const struct ifunction *f = &t->in->functions[pc->a];
	char text[600];
	snprintf(text, sizeof text, "%s (in %s)", t->in->code.strings + f->info->reason,
		 t->in->code.strings + f->info->name);
	host_unsupported(t, text);
}

/* ------------------------------------------------------------------ interpreted functions */

static unsigned words_of(const struct code_arg *a)
{
	switch (a->class) {
	case CLASS_BYVAL:
		return (a->size + 7) / 8;
	case CLASS_INT2:
	case CLASS_X87:
		return 2;
	case CLASS_SSE:
		return a->slots * a->bytes > 8 ? 2 : 1;
	default:
		return 1;
	}
}

static bool wants_16(const struct code_arg *a)
{
	return a->class == CLASS_INT2 || a->class == CLASS_X87 ||
	       (a->class == CLASS_SSE && a->slots * a->bytes > 8) ||
	       (a->class == CLASS_BYVAL && a->align > 8);
}

static void put_vararg(struct ithread *t, const struct code_arg *a, const uint32_t *regs, uint8_t *at)
{
	if (a->class == CLASS_BYVAL) {
		memcpy(at, (const void *)reg_concrete(t, regs[0], "address"), a->size);
		symmem_move(t->mem, (uint64_t)at, t->frame->r[regs[0]], a->size);
		return;
	}
	unsigned size = a->class == CLASS_SSE ? a->bytes : 8;
	for (unsigned i = 0; i < a->slots; i++, at += size) {
		struct slot s = reg_get(t->frame, regs[i]);
		if (a->class == CLASS_SINT)
			s.v = (uint64_t)sext_from(s.v, 8 * a->bytes);
		memcpy(at, &s.v, size);
		if (s.e || symmem_maybe(t->mem, (uint64_t)at))
			symmem_set(t->mem, (uint64_t)at, size, s.e);
	}
}

/* Where the next parameters go, as in interp_native.c. */
struct layout {
	unsigned general, vector;
	size_t words; /* of the stack */
};

static uint8_t *place(struct layout *l, const struct code_arg *a, struct varargs *v)
{
	unsigned want = a->class == CLASS_INT || a->class == CLASS_SINT ? 1 : a->class == CLASS_INT2 ? 2 : 0;
	if (want && l->general + want <= 6) {
		l->general += want;
		return v->saved + 8 * (l->general - want);
	}
	if (a->class == CLASS_SSE && l->vector < 8)
		return v->saved + 48 + 16 * l->vector++;
	if (wants_16(a))
		l->words = (l->words + 1) & ~(size_t)1;
	l->words += words_of(a);
	return (uint8_t *)&v->overflow[l->words - words_of(a)];
}

static struct varargs *lay_out_varargs(struct ithread *t, const struct code_call *call)
{
	const struct code_arg *args = t->in->code.args + call->args;
	const uint32_t *regs = t->in->code.pool + call->registers;
	size_t words = 2;
	for (uint32_t i = 0; i < call->nargs; i++)
		words += words_of(&args[i]) + 1;
	size_t size = sizeof(struct varargs) + 8 * words;
	if (size > (size_t)(t->sp - t->stack))
		stack_overflow(t);
	t->sp = (char *)(((uintptr_t)t->sp - size) & -(uintptr_t)16);
	/* The overflow area, behind 24 + 176 bytes, is to be aligned to 16 bytes: so is the struct, plus 8. */
	t->sp -= 8;
	struct varargs *v = (struct varargs *)t->sp;
	note_unknown_store(t);
	memset(v, 0, size);
	symmem_clear(t->mem, (uint64_t)v, size);
	struct layout l = {0};
	uint32_t slot = 0;
	bool started = false;
	for (uint32_t i = 0; i <= call->nargs; i++) {
		if (!started && (i == call->nargs || slot >= call->fixed)) {
			started = true;
			v->list.general = 8 * l.general;
			v->list.vector = 48 + 16 * l.vector;
			v->list.overflow = &v->overflow[l.words];
			v->list.saved = v->saved;
		}
		if (i == call->nargs)
			break;
		uint8_t *at = place(&l, &args[i], v);
		if (started)
			put_vararg(t, &args[i], regs + slot, at);
		slot += args[i].slots;
	}
	return v;
}

/* Enter a function of the module, however it is called: missing parameters are zero. */
static const struct insn *enter(struct ithread *t, const struct ifunction *f, const struct code_call *call,
				uint32_t d)
{
	struct frame *from = t->frame;
	const uint32_t *regs = t->in->code.pool + call->registers;
	char *sp = t->sp;
	struct varargs *varargs = NULL;
	if (f->info->flags & FUNCTION_VARIADIC) {
		if (call->reason)
			host_unsupported(t, t->in->code.strings + call->reason);
		varargs = lay_out_varargs(t, call);
	}
	frame_push(t, f, sp, d);
	struct frame *to = t->frame;
	to->varargs = varargs;
	memcpy(to->r + f->nparams, f->consts, f->nconsts * sizeof *f->consts);
	for (uint32_t i = 0; i < f->nparams; i++)
		reg_set(to, i, i < call->nregisters ? reg_get(from, regs[i]) : (struct slot){0});
	return f->code;
}

const struct insn *slow_call_variadic(struct ithread *t, const struct insn *pc)
{
	const struct ifunction *f = &t->in->functions[pc->a];
	if (!f->code)
		slow_call_stub(t, pc);
	return enter(t, f, &t->in->code.calls[pc->b], pc->d);
}

/* ------------------------------------------------------------------ native code */

/*
 * setjmp and longjmp of interpreted code. The buffer holds who, which frame and where. When that frame is one of
 * an outer activation, the native frames in between are left by a native longjmp.
 */
struct jump_buffer {
	uint64_t magic;
	struct ithread *thread;
	struct frame *frame;
	const struct insn *pc;
	char *sp;
	uint64_t depth;
};
#define JUMP_MAGIC 0x6a6d702072746872ull

static const struct insn *do_setjmp(struct ithread *t, const struct insn *pc, uint64_t buffer)
{
	struct jump_buffer b = {JUMP_MAGIC, t, t->frame, pc, t->sp, t->depth};
	memcpy((void *)buffer, &b, sizeof b);
	note_unknown_store(t);
	symmem_clear(t->mem, buffer, sizeof b);
	reg_set(t->frame, pc->d, (struct slot){0});
	return pc + 1;
}

struct frame *jump_frame(uint64_t buffer)
{
	struct jump_buffer b;
	memcpy(&b, (const void *)buffer, sizeof b);
	return b.frame;
}

/* Frames and activations above these are gone. */
static void cut_back(struct ithread *t, struct frame *frame, unsigned depth)
{
	while (t->frame > frame)
		frame_pop(t);
	for (; t->depth > depth; t->depth--)
		t->activation = t->activation->outer;
}

const struct insn *jump_to(struct ithread *t, uint64_t buffer, struct slot value)
{
	struct jump_buffer b;
	unsigned depth = t->depth;
	memcpy(&b, (const void *)buffer, sizeof b);
	if (b.magic != JUMP_MAGIC || b.thread != t || b.frame > t->frame)
		host_unsupported(t, "a longjmp to where no interpreted setjmp was");
	cut_back(t, b.frame, (unsigned)b.depth);
	t->sp = b.sp;
	if (!value.v && !value.e)
		value.v = 1;
	reg_set(t->frame, b.pc->d, value);
	t->pc = b.pc + 1;
	if (b.depth != depth)
		_longjmp(t->activation->jump, 1);
	return t->pc;
}

bool interp_jumps_to(const void *buffer)
{
	uint64_t magic;
	memcpy(&magic, buffer, sizeof magic);
	return magic == JUMP_MAGIC;
}

_Noreturn void interp_jump(struct ithread *t, const void *buffer, int value)
{
	jump_to(t, (uint64_t)(uintptr_t)buffer, (struct slot){(uint32_t)value, EXPR_NONE});
	_longjmp(t->activation->jump, 1);
}

static const struct insn *call_special(struct ithread *t, const struct insn *pc, enum special special, uint64_t buffer,
				       const struct slot *in)
{
	switch (special) {
	case SPECIAL_SETJMP:
		return do_setjmp(t, pc, buffer);
	case SPECIAL_LONGJMP:
		return jump_to(t, buffer, in[1]);
	case SPECIAL_REGISTER:
		*vec_push(&t->cleanups) = buffer;
		return pc + 1;
	case SPECIAL_UNREGISTER:
		if (t->cleanups.n)
			t->cleanups.n--;
		return pc + 1;
	default:
		t->pc = pc;
		return unwind_next(t);
	}
}

static const struct insn *call_native(struct ithread *t, const struct insn *pc, uint64_t address,
				      int64_t symbol)
{
	const struct code *c = &t->in->code;
	const struct code_call *call = &c->calls[pc->b];
	const uint32_t *regs = c->pool + call->registers;
	struct slot *in = alloca((call->nregisters + 1) * sizeof *in);
	struct slot *out = alloca((call->nout + 2) * sizeof *out);
	for (uint32_t i = 0; i < call->nregisters; i++)
		in[i] = reg_get(t->frame, regs[i]);
	memset(out, 0, (call->nout + 2) * sizeof *out);
	enum special special = symbol < 0 ? SPECIAL_NONE : (enum special)t->in->special[symbol];
	if (special != SPECIAL_NONE && call->nregisters) {
		if (call->site)
			host_site(t, call->site);
		return call_special(t, pc, special, reg_concrete(t, regs[0], "address"), in);
	}
	struct native_call n = {
		.site = call->site,
		.name = symbol < 0 ? NULL : c->strings + c->symbols[symbol].name,
		.address = (void *)address,
		.in = in,
		.nin = call->nregisters,
		.out = out,
		.nout = call->nout,
	};
	void *exception = NULL;
	struct frame *caller = t->frame;
	unsigned depth = t->depth;
	if (host_call(t, &n)) {
		if (call->reason)
			host_unsupported(t, c->strings + call->reason);
		for (uint32_t i = 0; i < call->nregisters; i++)
			if (in[i].e)
				host_concretize(t, &in[i], "parameter of native code"), in[i].e = EXPR_NONE;
		native_call(c, call, n.address, in, out, &exception);
		if (t->depth > depth) { /* it called back, and left that by a longjmp of its own */
			cut_back(t, caller, depth);
			t->pc = pc;
		}
	}
	host_called(t, &n);
	if (exception)
		return unwind(t, exception);
	for (uint32_t i = 0; i < call->nout; i++)
		reg_set(t->frame, pc->d + i, out[i]);
	return pc + 1;
}

const struct insn *slow_call_native(struct ithread *t, const struct insn *pc)
{
	return call_native(t, pc, (uint64_t)(uintptr_t)t->in->symbols[pc->a], pc->a);
}

const struct insn *slow_call_indirect(struct ithread *t, const struct insn *pc)
{
	const struct code_call *call = &t->in->code.calls[pc->b];
	uint64_t target = reg_concrete(t, pc->a, "function pointer");
	int64_t symbol = symbol_at(t->in, target);
	uint32_t function = symbol < 0 ? 0 : t->in->code.symbols[symbol].function;
	if (!function)
		return call_native(t, pc, target, symbol);
	const struct ifunction *f = &t->in->functions[function - 1];
	if (call->site)
		host_site(t, call->site);
	if (!f->code) {
		struct insn stub = {.a = function - 1};
		slow_call_stub(t, &stub);
	}
	if (f->nresults < call->nout) /* called through a wrong type: what is missing is zero */
		for (uint32_t i = 0; i < call->nout; i++)
			reg_set(t->frame, pc->d + i, (struct slot){0});
	else if (f->nresults > call->nout)
		host_unsupported(t, "a call through a pointer of a type with fewer results");
	return enter(t, f, call, pc->d);
}
