/*
 * vfork: until its child is another program, or gone, it runs in its parent's memory, on the parent's stack, as the parent's thread. Nothing
 * of what it does is recorded; the parent goes on where it was, and has an input: the child's number.
 *
 * A function that returns twice cannot be a function of C. Elsewhere than here, and in the twin, fork takes its place (inputs.def).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/inputs.h"

#include "rt/caught.h"
#include "rt/handlers.h"
#include "rt/interpose.h"
#include "rt/path.h"

#include <errno.h>

#if defined(__x86_64__)

/* Of the calling thread, while its child runs: a child may vfork, too. */
static __thread struct {
	unsigned depth;
	bool recorded;
	uint8_t *path;
	struct rt_values values;
} away;

__attribute__((visibility("hidden"), used)) void rt_vfork_begins(void)
{
	struct rt_self *self = &rt_self;

	if (away.depth++ || !self->active)
		return;
	if (rt_unlikely(rt_caught_waiting))
		rt_caught_run(RT_SIGNAL_CALL);
	away.recorded = true;
	away.path = rt_path_divert(self, false);
	away.values = rt_values_divert();
	rt_self_pause(self);
}

/* In the parent; what the system call returned. */
__attribute__((visibility("hidden"), used)) long rt_vfork_ended(long result)
{
	struct rt_self *self = &rt_self;

	if (result < 0) {
		errno = (int)-result;
		result = -1;
	}
	if (--away.depth || !away.recorded)
		return result;
	away.recorded = false;
	__rethread_path = away.path;
	rt_path_go_on(self);
	__rethread_values = away.values;
	rt_self_resume(self);
	rt_input_forked(self, RT_INPUT_vfork, (pid_t)result);
	return result;
}

/* As in glibc: the child's return and what it calls then write over the stack, so the address to return to stays in a register meanwhile. */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call rt_vfork_begins\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rip, 0\n"
	"	testq %rax, %rax\n"
	"	je 1f\n"
	"	movq %rax, %rdi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call rt_vfork_ended\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n"
	".popsection\n");

#endif
