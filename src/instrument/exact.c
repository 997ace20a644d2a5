#include "instrument/exact.h"

#include <string.h>

/* Beginnings of names. fmuladd is two roundings or one as the target has it, which the executor knows (do_fma). */
static const char *const intrinsics[] = {
	"llvm.abs.", "llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.ctpop.", "llvm.ctlz.",
	"llvm.cttz.", "llvm.bswap.", "llvm.bitreverse.", "llvm.fshl.", "llvm.fshr.", "llvm.sadd.", "llvm.uadd.",
	"llvm.ssub.", "llvm.usub.", "llvm.smul.", "llvm.umul.", "llvm.sshl.", "llvm.ushl.", "llvm.ucmp.", "llvm.scmp.",
	"llvm.fabs.", "llvm.sqrt.", "llvm.floor.", "llvm.ceil.", "llvm.trunc.", "llvm.rint.", "llvm.nearbyint.", "llvm.round.",
	"llvm.roundeven.", "llvm.copysign.", "llvm.fma.", "llvm.fmuladd.", "llvm.is.fpclass.", "llvm.expect.",
	"llvm.vector.reduce.add.", "llvm.vector.reduce.mul.", "llvm.vector.reduce.and.", "llvm.vector.reduce.or.",
	"llvm.vector.reduce.xor.", "llvm.vector.reduce.smax.", "llvm.vector.reduce.smin.", "llvm.vector.reduce.umax.",
	"llvm.vector.reduce.umin.", "llvm.threadlocal.address.",
};

/* Those that IEEE 754 defines to the last bit, and of integers; of floating point ones also with f and l behind the name. */
static const char *const functions[] = {
	"sqrt", "floor", "ceil", "trunc", "round", "roundeven", "rint", "nearbyint", "lrint", "llrint", "lround", "llround",
	"fabs", "fmin", "fmax", "fdim", "fma", "fmod", "remainder", "copysign", "nextafter", "ldexp", "scalbn", "scalbln", "logb", "ilogb",
	"abs", "labs", "llabs", "imaxabs", "ffs", "ffsl", "ffsll",
};

static const char *const readers[] = {
	"strlen", "strnlen", "strcmp", "strncmp", "memcmp", "bcmp",
};

static const char *const comparisons[] = {
	"strcmp", "strncmp", "memcmp", "bcmp", "strcasecmp", "strncasecmp", "strcoll", "strverscmp", "wcscmp", "wcsncmp", "wmemcmp", "wcscasecmp",
	"wcsncasecmp", "wcscoll",
};

/* Readers that also say where they stopped, if they are given a place for that as their second parameter. */
static const char *const number_readers[] = {
	"strtol", "strtoul", "strtoll", "strtoull", "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull",
};

bool exact_intrinsic(LLVMValueRef intrinsic)
{
	for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
		if (name_begins(intrinsic, intrinsics[i]))
			return true;
	return false;
}

bool exact_function(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		size_t n = strlen(functions[i]);
		if (!strncmp(name, functions[i], n) && (!name[n] || ((name[n] == 'f' || name[n] == 'l') && !name[n + 1])))
			return true;
	}
	return false;
}

bool exact_reader(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return IS_NAMED(callee, readers) ||
	       (IS_NAMED(callee, number_readers) && LLVMIsNull(LLVMGetOperand(call, 1)));
}

static const struct writer {
	const char *name;
	int format; /* its parameter; -1: none */
} writers[] = {
	{"strcpy", -1}, {"strncpy", -1}, {"stpcpy", -1}, {"stpncpy", -1}, {"strcat", -1}, {"strncat", -1},
	{"sprintf", 1}, {"snprintf", 2}, {"__sprintf_chk", 3}, {"__snprintf_chk", 4},
};

/* The text that a constant is, or NULL. */
static const char *constant_text(LLVMValueRef v)
{
	LLVMValueRef text = LLVMIsAGlobalVariable(v) && LLVMIsGlobalConstant(v) ? LLVMGetInitializer(v) : NULL;
	size_t length;
	if (text && LLVMIsAConstantAggregateZero(text))
		return "";
	return text && LLVMIsAConstantDataArray(text) && LLVMIsConstantString(text) ? LLVMGetAsString(text, &length) : NULL;
}

/* Does what the format makes depend on nothing but numbers and text? Not on addresses, on errno, on wide characters, which the locale turns; and it stores nothing. */
static bool is_exact_format(const char *format)
{
	for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
		at += 1 + strspn(at + 1, "0123456789 #+-.*'hljztLq");
		if (!*at || !strchr("%diouxXeEfFgGaAcs", *at) || (at[-1] == 'l' && strchr("cs", *at)))
			return false;
		at++;
	}
	return true;
}

bool exact_writer(LLVMValueRef call, unsigned *to)
{
	size_t length;
	const char *name = LLVMGetValueName2(direct_callee(call), &length);
	for (const struct writer *w = writers; w < writers + sizeof writers / sizeof *writers; w++) {
		if (strcmp(name, w->name) || LLVMGetNumArgOperands(call) < 2 || (int)LLVMGetNumArgOperands(call) <= w->format)
			continue;
		const char *format = w->format < 0 ? "" : constant_text(LLVMGetOperand(call, (unsigned)w->format));
		*to = 0;
		return format && is_exact_format(format);
	}
	return false;
}

bool exact_in_sign_only(LLVMValueRef function)
{
	return IS_NAMED(function, comparisons);
}

static bool has_feature(LLVMValueRef function, const char *feature)
{
	LLVMAttributeRef features = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "target-features", 15);
	unsigned length;
	return features && strstr(LLVMGetStringAttributeValue(features, &length), feature);
}

/* Out of range it is not defined by C, and what the machine makes of it depends on the instruction. */
bool exact_conversion(LLVMValueRef conversion)
{
	LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(conversion, 0)));
	if (from != LLVMFloatTypeKind && from != LLVMDoubleTypeKind)
		return false;
	return LLVMIsAFPToSIInst(conversion) || !has_feature(LLVMGetBasicBlockParent(LLVMGetInstructionParent(conversion)), "+avx512f");
}
