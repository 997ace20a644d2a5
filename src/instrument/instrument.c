/* The recipe of the pass: see pass.h. */
#include "instrument/pass.h"

#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum pass_mode { PASS_OFF, PASS_RECORD, PASS_TWIN, PASS_LIBRARY };

/* NULL when unset or empty. */
static const char *option(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static enum pass_mode pass_mode(void)
{
	const char *mode = option("RETHREAD_PASS");
	if (!mode)
		return PASS_OFF;
	if (!strcmp(mode, "record"))
		return PASS_RECORD;
	if (!strcmp(mode, "twin"))
		return PASS_TWIN;
	if (!strcmp(mode, "library"))
		return PASS_LIBRARY;
	pass_die("RETHREAD_PASS is \"%s\"; it can be \"record\", \"twin\" or \"library\"", mode);
}

/* See pass.h. */
bool all_branches(void)
{
	const char *all = option("RETHREAD_PASS_ALL_BRANCHES");
	return all && strcmp(all, "0");
}

static void keep_bitcode(LLVMModuleRef m, uint8_t hash[RT_HASH_SIZE])
{
	LLVMMemoryBufferRef buffer = llvm_write_bitcode(m);
	const char *data = LLVMGetBufferStart(buffer);
	size_t size = LLVMGetBufferSize(buffer);
	llvm_sha1(data, size, hash);

	const char *file = option("RETHREAD_PASS_BITCODE");
	if (file)
		pass_write_file(file, data, size);
	LLVMDisposeMemoryBuffer(buffer);
}

static void write_hash(const uint8_t hash[RT_HASH_SIZE])
{
	const char *file = option("RETHREAD_PASS_HASH");
	if (!file)
		return;
	char text[2 * RT_HASH_SIZE + 2];
	for (int i = 0; i < RT_HASH_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	text[2 * RT_HASH_SIZE] = '\n';
	pass_write_file(file, text, 2 * RT_HASH_SIZE + 1);
}

/* See pass.h. */
bool pass_verifies(void)
{
	return option("RETHREAD_PASS_VERIFY");
}

static void verify(LLVMModuleRef m)
{
	if (!pass_verifies())
		return;
	char *message = NULL;
	if (LLVMVerifyModule(m, LLVMReturnStatusAction, &message))
		pass_die("the instrumented module is broken: %s", message);
	LLVMDisposeMessage(message);
}

/* The module is brought into a form that can be recorded and recomputed. */
static void turn(LLVMModuleRef m)
{
	static const struct {
		const char *name;
		void (*run)(LLVMModuleRef);
		bool branches; /* only so that fewer branches are recorded */
	} steps[] = {
		{"available externally", llvm_drop_available_externally, false},
		{"computed gotos", gotos_turn, false},
		{"resolvers", resolvers_turn, false}, /* before others: what they run stays as it is */
		{"system calls", syscalls_turn, false},
		{"forks", forks_turn, false},
		{"outputs", outputs_turn, false},
		{"assembly", assembly_turn, false},
		{"copies", copies_turn, false},
		{"distances", distances_turn, false},
		{"thread pointer", thread_pointer_turn, false},
		{"thread variables", thread_variables_turn, false},
		{"machine", machine_turn, false},
		{"control", control_turn, false},
		{"identities", identities_turn, false},
		{"seeds", seeds_turn, false},
		{"choices", choices_turn, false},
		{"aligned", aligned_turn, false},
		{"anchors", anchors_turn, true}, /* before loops are unrolled, which makes several branches of one */
		{"loops", loops_turn, true},
	};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (steps[i].branches && all_branches())
			continue;
		steps[i].run(m);
		times_note(m, steps[i].name);
	}
}

/* Returns whether the module was changed. */
bool rethread_instrument(LLVMModuleRef m)
{
	enum pass_mode mode = pass_mode();
	if (mode == PASS_OFF)
		return false;
	if (mode == PASS_LIBRARY) {
		library_prepare(m, option("RETHREAD_PASS_PRIORITY"));
		return true;
	}

	struct numbering numbering = {0};
	uint8_t hash[RT_HASH_SIZE];

	times_begin();
	turn(m);
	number_module(m, &numbering);
	keep_bitcode(m, hash);
	write_hash(hash);
	times_note(m, "bitcode");
	if (option("RETHREAD_PASS_REPORT"))
		report_write(option("RETHREAD_PASS_REPORT"), m, &numbering);
	times_note(m, "report");

	machine_inline(m);
	if (mode == PASS_RECORD)
		record_instrument(m, &numbering, hash);
	else
		twin_instrument(m, &numbering, hash);
	if (option("RETHREAD_PASS_LIBRARIES"))
		library_list(m, option("RETHREAD_PASS_LIBRARIES"));
	mend_attributes(m);
	times_note(m, "tables and attributes");
	llvm_sort_uses(m);
	times_note(m, "order of uses");
	verify(m);
	numbering_free(&numbering);
	return true;
}
