/*
 * walk BITCODE RUN: an independent decoder. Follows the control flow of the annotated bitcode with
 * the bits that the recorder left in RUN ("path K BITS"), from the routine that RUN.marks names for
 * thread K, and prints the calls of mark() it comes across in the format of RUN.marks. Reads
 * nothing of the instrumented program; knows the pass only by include/rethread/instrument.h.
 */
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <rethread/instrument.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *bits;
static bool ended; /* the bits are used up, or the program exits */

static uint64_t take(unsigned n)
{
	uint64_t v = 0;
	while (n--) {
		if (*bits != '0' && *bits != '1') {
			ended = true;
			return 0;
		}
		v = v << 1 | (uint64_t)(*bits++ - '0');
	}
	return v;
}

static LLVMBasicBlockRef follow(LLVMValueRef end)
{
	unsigned n = LLVMGetNumSuccessors(end);
	uint64_t choice = 0;
	switch (LLVMGetInstructionOpcode(end)) {
	case LLVMBr:
		/* Successor 0 is taken when the condition is true. */
		choice = LLVMIsConditional(end) ? 1 - take(1) : 0;
		break;
	case LLVMSwitch:
		choice = take(rt_switch_bits(n));
		break;
	case LLVMInvoke:
		break;
	case LLVMRet:
		return NULL;
	default:
		ended = true;
		return NULL;
	}
	if (ended)
		return NULL;
	if (choice >= n) {
		printf(" [no successor %lu]", (unsigned long)choice);
		ended = true;
		return NULL;
	}
	return LLVMGetSuccessor(end, (unsigned)choice);
}

static void walk(LLVMValueRef f);

static void walk_call(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t length;
	if (!LLVMIsAFunction(callee))
		return;
	if (!LLVMIsDeclaration(callee))
		walk(callee);
	else if (!strcmp(LLVMGetValueName2(callee, &length), "mark"))
		printf(" %ld", (long)LLVMConstIntGetSExtValue(LLVMGetOperand(call, 0)));
}

static void walk(LLVMValueRef f)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
	while (b && !ended) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !ended;
		     i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
				walk_call(i);
		if (!ended)
			b = follow(LLVMGetBasicBlockTerminator(b));
	}
}

static LLVMModuleRef read_module(const char *path)
{
	LLVMMemoryBufferRef buffer;
	LLVMModuleRef m;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
	    LLVMParseBitcode2(buffer, &m)) {
		fprintf(stderr, "walk: cannot read %s\n", path);
		exit(1);
	}
	return m;
}

static FILE *open_file(const char *path, const char *suffix)
{
	char name[4096];
	snprintf(name, sizeof name, "%s%s", path, suffix);
	FILE *f = fopen(name, "r");
	if (!f) {
		fprintf(stderr, "walk: cannot read %s\n", name);
		exit(1);
	}
	return f;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: walk BITCODE RUN\n");
		return 2;
	}
	LLVMModuleRef m = read_module(argv[1]);
	FILE *paths = open_file(argv[2], ""), *marks = open_file(argv[2], ".marks");
	char *line = NULL, *routine = NULL;
	size_t cap = 0, routine_cap = 0;
	int failed = 0;
	while (getline(&line, &cap, paths) > 0) {
		int thread, skip = 0;
		if (sscanf(line, "path %d %n", &thread, &skip) != 1)
			continue;
		if (getline(&routine, &routine_cap, marks) <= 0)
			return 1;
		char name[256] = "";
		sscanf(routine, "thread %*d %255[^:]", name);
		printf("thread %d %s:", thread, name);
		LLVMValueRef f = LLVMGetNamedFunction(m, name);
		bits = line + skip;
		ended = false;
		if (f)
			walk(f);
		if (!f || *bits == '0' || *bits == '1') {
			printf(" [%zu bits left]", strlen(bits) - 1);
			failed = 1;
		}
		putchar('\n');
	}
	return failed;
}
