/*
 * Calling native code: System V x86-64. The front end has already lowered aggregates to scalars, so a call is
 * a list of general, vector and stack words; which is more than libffi knows of (vectors, i128).
 *
 * An exception that native code throws must not pass through the interpreter's own frames: the trampoline has a
 * personality that stops it there, and native_call returns it to be unwound through interpreted frames.
 */
#include "sym/interp_internal.h"

#include <alloca.h>
#include <stddef.h>
#include <unwind.h>

struct machine {
	uint64_t general[6];   /* 0 */
	uint8_t vector[8][16]; /* 48 */
	uint64_t nvector;      /* 176 */
	const uint64_t *stack; /* 184 */
	uint64_t nstack;       /* 192, even */
	uint64_t x87;          /* 200: the result is in st(0) */
	uint64_t rax, rdx;     /* 208 */
	uint8_t xmm0[16];      /* 224 */
	uint8_t xmm1[16];      /* 240 */
	uint8_t st0[16];       /* 256 */
	void *exception;       /* 272 */
};
_Static_assert(offsetof(struct machine, nvector) == 176 && offsetof(struct machine, exception) == 272,
	       "the trampoline knows these offsets");

void rethread_native_trampoline(struct machine *m, void *function);
extern const char rethread_native_landing[];

__asm__(".text\n"
	".type rethread_native_trampoline,@function\n"
	"rethread_native_trampoline:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, rethread_native_personality\n"
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	".cfi_offset %rbx, -24\n"
	".cfi_offset %r12, -32\n"
	"	movq %rdi, %rbx\n"
	"	movq %rsi, %r12\n"
	"	movq 192(%rbx), %rcx\n"
	"	movq 184(%rbx), %rsi\n"
	"	leaq (,%rcx,8), %rax\n"
	"	subq %rax, %rsp\n"
	"	movq %rsp, %rdi\n"
	"	cld\n"
	"	rep movsq\n"
	"	movups 48(%rbx), %xmm0\n"
	"	movups 64(%rbx), %xmm1\n"
	"	movups 80(%rbx), %xmm2\n"
	"	movups 96(%rbx), %xmm3\n"
	"	movups 112(%rbx), %xmm4\n"
	"	movups 128(%rbx), %xmm5\n"
	"	movups 144(%rbx), %xmm6\n"
	"	movups 160(%rbx), %xmm7\n"
	"	movq 0(%rbx), %rdi\n"
	"	movq 8(%rbx), %rsi\n"
	"	movq 16(%rbx), %rdx\n"
	"	movq 24(%rbx), %rcx\n"
	"	movq 32(%rbx), %r8\n"
	"	movq 40(%rbx), %r9\n"
	"	movq 176(%rbx), %rax\n"
	"	call *%r12\n"
	"	movq %rax, 208(%rbx)\n"
	"	movq %rdx, 216(%rbx)\n"
	"	movups %xmm0, 224(%rbx)\n"
	"	movups %xmm1, 240(%rbx)\n"
	"	cmpq $0, 200(%rbx)\n"
	"	je 1f\n"
	"	fstpt 256(%rbx)\n"
	"	jmp 1f\n"
	"rethread_native_landing:\n"
	"	movq %rax, 272(%rbx)\n"
	"1:	leaq -16(%rbp), %rsp\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size rethread_native_trampoline, .-rethread_native_trampoline\n");

/* libgcc's unwinder is there when somebody throws, and need not be otherwise. */
#pragma weak _Unwind_SetGR
#pragma weak _Unwind_SetIP

__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code
rethread_native_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
			    struct _Unwind_Exception *exception, struct _Unwind_Context *context);

_Unwind_Reason_Code rethread_native_personality(int version, _Unwind_Action actions,
						_Unwind_Exception_Class class,
						struct _Unwind_Exception *exception,
						struct _Unwind_Context *context)
{
	(void)version, (void)class;
	if (actions & _UA_FORCE_UNWIND) /* thread cancellation goes all the way */
		return _URC_CONTINUE_UNWIND;
	if (actions & _UA_SEARCH_PHASE)
		return _URC_HANDLER_FOUND;
	_Unwind_SetGR(context, 0, (uintptr_t)exception);
	_Unwind_SetIP(context, (uintptr_t)rethread_native_landing);
	return _URC_INSTALL_CONTEXT;
}

/* ------------------------------------------------------------------ parameters and results */

struct marshal {
	struct machine m;
	unsigned ngeneral, nvector;
	uint64_t *stack;
	size_t nstack;
};

static void push_general(struct marshal *s, uint64_t v)
{
	if (s->ngeneral < 6)
		s->m.general[s->ngeneral++] = v;
	else
		s->stack[s->nstack++] = v;
}

static void align_stack(struct marshal *s, unsigned bytes)
{
	while (s->nstack * 8 % bytes)
		s->stack[s->nstack++] = 0;
}

static void push_arg(struct marshal *s, const struct code_arg *a, const struct slot *in)
{
	uint8_t packed[16] = {0};
	switch (a->class) {
	case CLASS_INT:
		push_general(s, in[0].v);
		break;
	case CLASS_SINT:
		push_general(s, (uint64_t)sext_from(in[0].v, 8 * a->bytes));
		break;
	case CLASS_INT2:
		/* Both halves in registers or both in memory. */
		if (s->ngeneral > 4) {
			align_stack(s, 16);
			s->stack[s->nstack++] = in[0].v;
			s->stack[s->nstack++] = in[1].v;
		} else {
			push_general(s, in[0].v);
			push_general(s, in[1].v);
		}
		break;
	case CLASS_SSE:
		for (unsigned i = 0; i < a->slots; i++)
			memcpy(packed + i * a->bytes, &in[i].v, a->bytes);
		if (s->nvector < 8) {
			memcpy(s->m.vector[s->nvector++], packed, 16);
			break;
		}
		if (a->slots * a->bytes > 8)
			align_stack(s, 16);
		memcpy(&s->stack[s->nstack], packed, 16);
		s->nstack += a->slots * a->bytes > 8 ? 2 : 1;
		break;
	case CLASS_X87:
		align_stack(s, 16);
		s->stack[s->nstack++] = in[0].v;
		s->stack[s->nstack++] = in[1].v;
		break;
	case CLASS_BYVAL:
		if (a->align > 8)
			align_stack(s, 16);
		memcpy(&s->stack[s->nstack], (const void *)in[0].v, a->size);
		s->nstack += (a->size + 7) / 8;
		break;
	}
}

static void take_results(const struct machine *m, const struct code_arg *a, unsigned n, struct slot *out)
{
	const uint64_t general[2] = {m->rax, m->rdx};
	const uint8_t *vector[2] = {m->xmm0, m->xmm1};
	unsigned g = 0, v = 0;
	for (unsigned i = 0; i < n; i++, a++) {
		switch (a->class) {
		case CLASS_INT2:
			*out++ = (struct slot){.v = m->rax};
			*out++ = (struct slot){.v = m->rdx};
			break;
		case CLASS_SSE:
			for (unsigned k = 0; k < a->slots; k++, out++) {
				*out = (struct slot){0};
				memcpy(&out->v, vector[v & 1] + k * a->bytes, a->bytes);
			}
			v++;
			break;
		case CLASS_X87:
			out[0] = out[1] = (struct slot){0};
			memcpy(&out[0].v, m->st0, 8);
			memcpy(&out[1].v, m->st0 + 8, 2);
			out += 2;
			break;
		default:
			*out++ = (struct slot){.v = general[g++ & 1] & mask_of(8 * a->bytes)};
		}
	}
}

bool native_call(const struct code *c, const struct code_call *call, void *function, const struct slot *in,
		 struct slot *out, void **exception)
{
	const struct code_arg *args = c->args + call->args, *results = c->args + call->results;
	struct marshal s = {.m = {.exception = NULL}};
	size_t words = 4;
	for (uint32_t i = 0; i < call->nargs; i++)
		words += args[i].class == CLASS_BYVAL ? (args[i].size + 31) / 8 : 4;
	s.stack = alloca(words * sizeof *s.stack);
	for (uint32_t i = 0; i < call->nargs; in += args[i].slots, i++)
		push_arg(&s, &args[i], in);
	align_stack(&s, 16);
	s.m.stack = s.stack;
	s.m.nstack = s.nstack;
	s.m.nvector = s.nvector;
	s.m.x87 = call->nresults && results[0].class == CLASS_X87;
	rethread_native_trampoline(&s.m, function);
	*exception = s.m.exception;
	if (s.m.exception)
		return false;
	take_results(&s.m, results, call->nresults, out);
	return true;
}

void *interp_guarded(bool (*f)(int, const void *), int a, const void *b, bool *result)
{
	struct machine m = {.general = {(unsigned)a, (uintptr_t)b}};
	rethread_native_trampoline(&m, *(void **)&f);
	*result = (bool)m.rax;
	return m.exception;
}
