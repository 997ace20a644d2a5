/*
 * C++ exceptions through interpreted frames.
 *
 * An exception enters by native_call: __cxa_throw and everything else in libstdc++ runs natively, and the
 * trampoline stops the unwinder. From there the frames of the interpreter are searched as the Itanium ABI has
 * it: first for a handler, then frame by frame through the cleanups. What no interpreted frame of this
 * activation handles is raised again in the native code that called the interpreter.
 */
#include "sym/interp_internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unwind.h>

#pragma weak _Unwind_RaiseException

/* struct __cxa_exception of libstdc++, whose last member is the unwind header. */
struct cxa_exception {
	void *type;
	void (*destructor)(void *);
	void *unexpected, *terminate;
	void *next;
	int handler_count, handler_switch_value;
	const void *action_record, *lsda;
	void *landing_pad;
	void *adjusted;
	struct _Unwind_Exception header;
};
#define CXX_CLASS 0x474e5543432b2b00ull           /* "GNUCC++\0" */
#define CXX_DEPENDENT_CLASS 0x474e5543432b2b01ull /* std::rethrow_exception */

static struct cxa_exception *cxa_of(void *exception)
{
	return (struct cxa_exception *)((char *)exception - offsetof(struct cxa_exception, header));
}

static bool is_cxx(void *exception)
{
	uint64_t class = ((struct _Unwind_Exception *)exception)->exception_class;
	return class == CXX_CLASS || class == CXX_DEPENDENT_CLASS;
}

/* Type of the thrown object and the object. */
static void *thrown(void *exception, void **object)
{
	struct _Unwind_Exception *u = exception;
	if (u->exception_class == CXX_DEPENDENT_CLASS) {
		*object = *(void **)cxa_of(exception); /* the primary exception's object */
		return (cxa_of((char *)*object - sizeof *u))->type;
	}
	*object = u + 1;
	return cxa_of(exception)->type;
}

/* Does a handler for `type` take it? By std::type_info's own virtual functions, base classes included. */
static bool catches(void *type, void *exception, void **adjusted)
{
	void *object, *what = thrown(exception, &object);
	typedef bool is_pointer(const void *self);
	typedef bool do_catch(const void *self, const void *thrown_type, void **thrown_object, unsigned outer);
	void *const *thrown_table = *(void *const **)what, *const *table = *(void *const **)type;
	if (((is_pointer *)thrown_table[2])(what))
		object = *(void **)object;
	if (!((do_catch *)table[4])(type, what, &object, 1))
		return false;
	*adjusted = object;
	return true;
}

/* Which clause of a landing pad takes the exception? 0: none; else what eh.typeid.for gives. */
static int32_t select_clause(const struct interp *in, const uint32_t *list, void *exception, void **adjusted)
{
	const uint32_t *x = list + 2;
	for (uint32_t k = 0; k < list[1]; k++, x += 2 + x[1]) {
		bool filter = x[0] == CLAUSE_FILTER, any = false;
		for (uint32_t m = 0; m < x[1] && !any; m++) {
			uint32_t symbol = x[2 + m];
			void *type = symbol ? (void *)(uintptr_t)in->symbols[symbol - 1] : NULL;
			any = !type || (is_cxx(exception) && catches(type, exception, adjusted));
			if (any && !filter)
				return symbol ? (int32_t)symbol : INT32_MAX;
		}
		if (filter && !any)
			return -(int32_t)(k + 1);
	}
	return 0;
}

/* Landing pad of the call that a frame is in, or NULL. */
static const struct code_pad *pad_of(const struct interp *in, const struct frame *fr, const struct insn *call)
{
	const struct code_function *f = fr->f->info;
	uint32_t at = (uint32_t)(call - fr->f->code);
	const struct code_pad *pads = in->code.pads + f->first_pad;
	uint32_t low = 0, high = f->npads;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (pads[mid].insn == at)
			return &pads[mid];
		if (pads[mid].insn < at)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Phase one: is there a handler in an interpreted frame, or native code that might have one? */
static bool handled(struct ithread *t, void *exception)
{
	if (t->depth > 1)
		return true;
	const struct insn *pc = t->pc;
	for (struct frame *fr = t->frame; fr > t->frames; pc = fr->ret, fr--) {
		const struct code_pad *p = pad_of(t->in, fr, pc);
		void *adjusted;
		if (p && select_clause(t->in, t->in->code.pool + p->clauses, exception, &adjusted))
			return true;
	}
	return false;
}

_Noreturn static void terminate(struct ithread *t, void *exception)
{
	/* As __cxa_throw does: the exception counts as caught when terminate handlers look at it. */
	void (*end)(void) = NULL;
	void *(*begin)(void *) = NULL;
	*(void **)&begin = dlsym(RTLD_DEFAULT, "__cxa_begin_catch");
	*(void **)&end = dlsym(RTLD_DEFAULT, "_ZSt9terminatev");
	if (begin && is_cxx(exception))
		begin(exception);
	if (end)
		end();
	host_unsupported(t, "an exception nobody handles");
}

void *ithread_exit_exception(struct ithread *t)
{
	return &t->leaving;
}

/* Out of this activation, into the native code that called it. */
_Noreturn static void leave(struct ithread *t, void *exception)
{
	t->pc = t->frame->ret;
	frame_pop(t);
	t->depth--;
	t->activation = t->activation->outer;
	if (exception == &t->leaving && !t->depth)
		host_exited(t);
	_Unwind_RaiseException(exception);
	terminate(t, exception);
}

/* The buffer that C's pthread_cleanup_push registered last in the running frame, or 0. Ones of frames that are gone are dropped. */
static uint64_t take_cleanup(struct ithread *t)
{
	while (t->cleanups.n && jump_frame(t->cleanups.at[t->cleanups.n - 1]) > t->frame)
		t->cleanups.n--;
	if (!t->cleanups.n || jump_frame(t->cleanups.at[t->cleanups.n - 1]) != t->frame)
		return 0;
	return t->cleanups.at[--t->cleanups.n];
}

/* Phase two, from the call at t->pc in the running frame outwards. */
static const struct insn *find_pad(struct ithread *t, void *exception)
{
	for (;;) {
		uint64_t cleanup = exception == &t->leaving ? take_cleanup(t) : 0;
		if (cleanup)
			return jump_to(t, cleanup, (struct slot){.v = 1});
		const struct code_pad *p = pad_of(t->in, t->frame, t->pc);
		const uint32_t *list = p ? t->in->code.pool + p->clauses : NULL;
		void *adjusted = NULL;
		int32_t selector = p ? select_clause(t->in, list, exception, &adjusted) : 0;
		if (p && (selector || list[0])) {
			if (is_cxx(exception) && selector) {
				void *object;
				struct cxa_exception *x = cxa_of(exception);
				thrown(exception, &object);
				x->adjusted = adjusted ? adjusted : object;
				x->handler_switch_value = selector;
			}
			t->landing[0] = (struct slot){.v = (uint64_t)(uintptr_t)exception};
			t->landing[1] = (struct slot){.v = (uint32_t)selector};
			return t->frame->f->code + p->target;
		}
		if (t->frame->out)
			leave(t, exception);
		t->pc = t->frame->ret;
		frame_pop(t);
	}
}

const struct insn *unwind(struct ithread *t, void *exception)
{
	if (exception != &t->leaving && !handled(t, exception))
		terminate(t, exception);
	return find_pad(t, exception);
}

_Noreturn void ithread_raise(struct ithread *t, void *exception)
{
	t->pc = unwind(t, exception);
	_longjmp(t->activation->jump, 1);
}

const struct insn *unwind_next(struct ithread *t)
{
	return find_pad(t, &t->leaving);
}

const struct insn *slow_landingpad(struct ithread *t, const struct insn *pc)
{
	reg_set(t->frame, pc->d, t->landing[0]);
	reg_set(t->frame, pc->d + 1, t->landing[1]);
	return pc + 1;
}

const struct insn *slow_resume(struct ithread *t, const struct insn *pc)
{
	void *exception = (void *)(uintptr_t)reg_concrete(t, pc->a, "exception");
	if (t->frame->out)
		leave(t, exception);
	t->pc = t->frame->ret;
	frame_pop(t);
	return find_pad(t, exception);
}
