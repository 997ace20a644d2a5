/*
 * How many hold an exception: libstdc++ counts std::exception_ptr, and those that are thrown again, in functions of its own. Who drops
 * the last one destroys the exception, by calling the program's code: in the executor of inference, where threads run in another
 * order, that would be somebody else than it was. Programs get these here instead, as bitcode like their own code (src/cc/link.c),
 * so that the counts are SAPs and the path has who was last. Weak: a program that brings its own keeps them. In
 * C, under the names that C++ gives them.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

#define WEAK __attribute__((weak))

/* As the Itanium C++ ABI and libstdc++ lay them out; part of its ABI. */
struct exception {
	void *type;
	void (*destroy)(void *object);
	void (*unexpected)(void);
	void (*terminate)(void);
	struct exception *next;
	int handlers, switch_value;
	const void *action, *language_data;
	uintptr_t catch_temp;
	void *adjusted;
	struct _Unwind_Exception unwind;
};
struct counted {
	_Atomic int references;
	struct exception exception; /* the object is behind it */
};
_Static_assert(sizeof(struct exception) == 112 && sizeof(struct counted) == 128, "libstdc++'s");
/* Thrown again: the same with the object in the place of its type. */
struct future_result {
	const void *functions;
	void *error;
};

void *__cxa_allocate_dependent_exception(void);
void __cxa_free_dependent_exception(void *dependent);
void __cxa_free_exception(void *object);
void *__cxa_begin_catch(void *unwind);
_Noreturn void _ZSt9terminatev(void);
void (*_ZSt14get_unexpectedv(void))(void);
void (*_ZSt13get_terminatev(void))(void);
/* std::exception_ptr::_M_addref, _M_release; std::rethrow_exception; std::__future_base::_Result_base::~_Result_base. */
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self);
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self);
_Noreturn void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer);
void _ZNSt13__future_base12_Result_baseD2Ev(struct future_result *self);

static struct counted *counted_of(void *object)
{
	return (struct counted *)object - 1;
}


/* Was it the last? Then the object is gone. */
static int drop(void *object)
{
	struct counted *c = counted_of(object);
	if (atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) != 1)
		return 0;
	if (c->exception.destroy)
		c->exception.destroy(object);
	__cxa_free_exception(object);
	return 1;
}

static struct exception *exception_of(struct _Unwind_Exception *unwind)
{
	return (struct exception *)((char *)unwind - offsetof(struct exception, unwind));
}

static void check_reason(_Unwind_Reason_Code reason)
{
	if (reason != _URC_FOREIGN_EXCEPTION_CAUGHT && reason != _URC_NO_REASON)
		_ZSt9terminatev();
}

/* The unwinder's last call for an exception that was caught: the one that threw it holds it no longer. */
static void handled(_Unwind_Reason_Code reason, struct _Unwind_Exception *unwind)
{
	check_reason(reason);
	drop(exception_of(unwind) + 1);
}

/* From now on that call counts here too. */
static void take(void *object)
{
	struct counted *c = counted_of(object);
	c->exception.unwind.exception_cleanup = handled;
	atomic_fetch_add_explicit(&c->references, 1, memory_order_acq_rel);
}

WEAK void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **self)
{
	if (*self)
		take(*self);
}

WEAK void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self)
{
	if (*self && drop(*self))
		*self = NULL;
}

WEAK void _ZNSt13__future_base12_Result_baseD2Ev(struct future_result *self)
{
	if (self->error)
		drop(self->error);
}

/* The unwinder's last call for an exception that was thrown again. */
static void caught(_Unwind_Reason_Code reason, struct _Unwind_Exception *unwind)
{
	struct exception *again = exception_of(unwind);
	void *object = again->type;
	check_reason(reason);
	__cxa_free_dependent_exception(again);
	drop(object);
}

WEAK void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer)
{
	static const char class[8] = "\001++CCUNG"; /* lowest byte first */
	struct exception *again = __cxa_allocate_dependent_exception();
	again->type = *pointer;
	take(*pointer);
	again->unexpected = _ZSt14get_unexpectedv();
	again->terminate = _ZSt13get_terminatev();
	__builtin_memcpy(&again->unwind.exception_class, class, sizeof class);
	again->unwind.exception_cleanup = caught;
	_Unwind_RaiseException(&again->unwind);
	__cxa_begin_catch(&again->unwind); /* nobody catches it */
	_ZSt9terminatev();
}
