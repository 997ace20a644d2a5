/* The points-to analysis: what calls do with pointers. */
#include "instrument/pointsto_build.h"

#include <string.h>

static LLVMValueRef argument(LLVMValueRef call, unsigned i)
{
	return LLVMGetOperand(call, i);
}

static bool is_pointer(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static void escape(struct points_to *p, LLVMValueRef v)
{
	inclusion_copy(p->in, points_to_node(p, v), inclusion_world(p->in));
}

static void comes_from_outside(struct points_to *p, LLVMValueRef v)
{
	uint32_t node = points_to_node(p, v);
	if (node && !is_number(LLVMTypeOf(v)))
		inclusion_add(p->in, node, OBJECT_WORLD);
}

static void watch(struct points_to *p, uint32_t node, struct called c)
{
	if (p->ncalls == p->calls_cap)
		p->calls = pass_grow(p->calls, &p->calls_cap, sizeof *p->calls);
	p->calls[p->ncalls] = c;
	inclusion_call(p->in, node, (uint32_t)p->ncalls++);
}

/* ---------------------------------------------------------------- further parameters ---------- */

/* Where those of a function with ... lie, all calls of it together: its va_lists lead there. */
static uint32_t further_object(struct points_to *p, LLVMValueRef f)
{
	uint32_t object = map_get(&p->further, f);
	if (!object) {
		object = inclusion_object(p->in);
		map_set(&p->further, f, object);
		bits_add(&p->areas, object);
	}
	return object;
}

static uint32_t further_node(struct points_to *p, LLVMValueRef f)
{
	uint32_t node = inclusion_node(p->in);
	inclusion_add(p->in, node, further_object(p, f));
	return node;
}

/* vprintf and its kin: what a va_list leads to is printed. */
static bool prints_list(LLVMValueRef callee)
{
	static const char *const names[] = {"vsyslog", "__vsyslog_chk", "vwarn", "vwarnx", "verr", "verrx"};
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	name += strncmp(name, "__", 2) ? 0 : 2;
	return IS_NAMED(callee, names) || (*name == 'v' && strstr(name, "printf"));
}

/* ---------------------------------------------------------------- intrinsics ------------------ */

/* Masked, gathering and target-specific accesses: what is passed may be stored wherever it is pointed to, and loaded from there. */
static void add_odd_access(struct points_to *p, LLVMValueRef call)
{
	unsigned n = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < n; i++) {
		uint32_t address = points_to_node(p, argument(call, i));
		if (!address || is_number(LLVMTypeOf(argument(call, i))))
			continue;
		inclusion_load(p->in, address, points_to_node(p, call), MEMBER_ANY, true);
		for (unsigned k = 0; k < n; k++)
			inclusion_store(p->in, address, points_to_node(p, argument(call, k)), MEMBER_ANY);
	}
}

static bool is_copy(LLVMValueRef intrinsic)
{
	return name_begins(intrinsic, "llvm.memcpy.") || name_begins(intrinsic, "llvm.memmove.");
}

static void add_intrinsic(struct points_to *p, LLVMValueRef call, LLVMValueRef callee)
{
	LLVMValueRef accessed[2];
	if (is_copy(callee)) {
		inclusion_move(p->in, points_to_node(p, argument(call, 0)), points_to_node(p, argument(call, 1)));
	} else if (name_begins(callee, "llvm.va_start")) {
		LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
		inclusion_store(p->in, points_to_node(p, argument(call, 0)), further_node(p, f), MEMBER_ANY);
	} else if (name_begins(callee, "llvm.va_copy")) {
		inclusion_move(p->in, points_to_node(p, argument(call, 0)), points_to_node(p, argument(call, 1)));
	} else if (name_begins(callee, "llvm.va_end")) {
		;
	} else if (name_begins(callee, "llvm.load.relative.")) {
		escape(p, argument(call, 0));
		comes_from_outside(p, call);
	} else if (!name_begins(callee, "llvm.memset.") && accessed_pointers(call, accessed)) {
		add_odd_access(p, call);
	} else if (points_to_node(p, call)) {
		/* Computes something from its arguments. */
		for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
			inclusion_copy(p->in, points_to_node(p, argument(call, i)), points_to_node(p, call));
	}
}

/* ---------------------------------------------------------------- outside the module ---------- */

/* They keep an address, or call one, and are in a table all the same. */
static bool keeps_addresses(LLVMValueRef callee)
{
	static const char *const names[] = {
		"setvbuf", "setbuf", "setbuffer", "putenv", "open_memstream", "fmemopen", "fopencookie", "pthread_setspecific",
		"pthread_key_create", "tss_set", "tss_create", "pthread_atfork", "pthread_once", "call_once", "atexit", "on_exit",
		"at_quick_exit", "__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "signal", "bsd_signal",
		"sysv_signal", "sigset", "sigaltstack", "tsearch", "hsearch", "hsearch_r", "insque", "remque", "pthread_attr_setstack",
		"pthread_exit", "thrd_exit", "pthread_create", "thrd_create", "mq_notify", "timer_create", "aio_read", "aio_write",
		"aio_fsync", "lio_listio", "getaddrinfo_a", "makecontext", "swapcontext", "setcontext", "getcontext", "rethread_machine",
		"initstate", "initstate_r", "setstate", "setstate_r", "set_robust_list", "backtrace_symbols", "shmat", "dlsym",
	};
	return IS_NAMED(callee, names) || name_begins(callee, "__pthread_") || name_begins(callee, "_ZNSt6thread") ||
	       name_begins(callee, "__cxa_throw") || name_begins(callee, "_Unwind");
}

/* Locks and their kin: nothing that is known of the program's own memory changes. */
static bool is_lock(LLVMValueRef callee)
{
	static const char *const kinds[] = {
		"pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_spin_", "pthread_barrier_", "sem_", "mtx_", "cnd_",
		"pthread_mutexattr_", "pthread_condattr_", "pthread_rwlockattr_", "pthread_barrierattr_", "_ZNSt18condition_variable",
		"_ZNSt6thread6_StateD",
	};
	static const char *const opens[] = {"sem_open"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (name_begins(callee, kinds[i]))
			return !IS_NAMED(callee, opens);
	return false;
}

/* Does what the tables have of it (externals.def, inputs.def), and nothing more? */
static bool only_uses(LLVMValueRef callee)
{
	const char *class = external_class(callee);
	return class && strcmp(class, "CALLS_BACK") && !keeps_addresses(callee);
}

/* An array of characters is indexed: p->text[i]. A loop that copies anything, byte by byte, has a pointer to characters. */
static bool indexes_text(LLVMValueRef pointer)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
	if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
		return false;
	LLVMTypeRef element = LLVMGetElementType(type);
	return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 8;
}

bool points_to_is_inside(LLVMValueRef pointer)
{
	bool goes_on = true;
	int64_t sum = 0;
	for (; goes_on && LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
		LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(pointer)));
		int64_t constant;
		uint64_t stride;
		llvm_pointer_offset(pointer, LLVMGetModuleDataLayout(m), &constant, &stride);
		sum += constant;
		goes_on = sum == 0 && indexes_text(pointer);
	}
	return sum > 0;
}

/* A message of a size that is known and small may be a pointer, or a structure that has some. */
static bool is_small_message(LLVMValueRef call)
{
	enum { SMALL = 128 };
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = argument(call, i);
		if (LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 64 && LLVMConstIntGetZExtValue(v) >= sizeof(void *))
			return LLVMConstIntGetZExtValue(v) <= SMALL;
	}
	return false;
}

/* Functions in the tables that write pointers where their arguments lead; the others write text and numbers. */
static bool writes_pointers(LLVMValueRef call, LLVMValueRef callee)
{
	static const char *const names[] = {
		"strsep", "getline", "getdelim", "__getdelim", "asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk",
		"posix_memalign", "getaddrinfo", "iconv", "pthread_join", "thrd_join", "scandir", "glob", "regcomp", "recvmsg",
		"recvmmsg", "epoll_wait", "epoll_pwait", "dladdr", "getifaddrs", "mbsrtowcs", "wcsrtombs", "mbsnrtowcs", "wcsnrtombs",
	};
	static const char *const messages[] = {
		"read", "pread", "pread64", "__read_chk", "__pread_chk", "recv", "recvfrom", "__recv_chk", "fread", "fread_unlocked",
		"__fread_chk", "mq_receive", "msgrcv", "vmsplice",
	};
	static const char *const kinds[] = {"strto", "wcsto", "__isoc23_strto", "__isoc23_wcsto", "__strto", "pthread_attr_get"};
	if (!callee || IS_NAMED(callee, names) || (IS_NAMED(callee, messages) && is_small_message(call)))
		return true;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (name_begins(callee, kinds[i]))
			return true;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	bool fills = length > 2 && !strcmp(name + length - 2, "_r"); /* getpwnam_r and its kin: a structure that leads into a buffer */
	return fills || is_scan(callee) || !external_class(callee);
}

/* Of what is shown as text nobody reads addresses of what lies beside it: a short text is inside of its std::string, which leads to it. */
static bool shows_text(LLVMValueRef callee)
{
	static const char *const raw[] = {"fwrite", "fwrite_unlocked", "_ZNSo5writeEPKcl"};
	const char *class = callee ? external_class(callee) : NULL;
	return class && !strcmp(class, "OUTPUT") && !IS_NAMED(callee, raw);
}

/*
 * Code outside uses what is there, and does not keep the address. What most functions write into the middle of a structure are bytes.
 */
static void add_use(struct points_to *p, LLVMValueRef call, LLVMValueRef callee, unsigned i)
{
	LLVMValueRef v = argument(call, i);
	uint32_t node = points_to_node(p, v);
	if (llvm_only_reads(call))
		return;
	bool only_read = llvm_argument_only_read(call, i);
	if (only_read && shows_text(callee))
		return;
	if (only_read)
		inclusion_leak(p->in, node);
	else if (points_to_is_inside(v) && !writes_pointers(call, callee))
		inclusion_store(p->in, node, p->from_outside, MEMBER_BYTES);
	else
		inclusion_open(p->in, node);
}

/* An input writes text and numbers, mostly, and has no use for where it wrote them afterwards: fread leaves nothing of that in the stream. */
static bool only_brings(LLVMValueRef call, LLVMValueRef callee)
{
	const char *class = callee ? external_class(callee) : NULL;
	return class && !strcmp(class, "input") && !writes_pointers(call, callee);
}

/* What the function says of where it was (strcpy, strtok, fgets), and what it leaves where others of its arguments lead (strtol). */
static void add_ways_into(struct points_to *p, LLVMValueRef call, LLVMValueRef callee, unsigned i)
{
	uint32_t node = points_to_node(p, argument(call, i));
	if (llvm_argument_not_captured(call, i))
		return;
	if (is_pointer(call))
		inclusion_copy(p->in, node, points_to_node(p, call));
	for (unsigned k = 0; k < LLVMGetNumArgOperands(call) && !only_brings(call, callee); k++)
		if (k != i && is_pointer(argument(call, k)) && !llvm_argument_only_read(call, k))
			inclusion_store(p->in, points_to_node(p, argument(call, k)), node, MEMBER_ANY);
}

static void add_outside_argument(struct points_to *p, LLVMValueRef call, LLVMValueRef callee, unsigned i, bool known)
{
	LLVMValueRef v = argument(call, i);
	uint32_t node = points_to_node(p, v);
	bool variadic = callee && i >= LLVMCountParams(callee);
	if (!node || (known && is_number(LLVMTypeOf(v))) || (callee && is_lock(callee)))
		return;
	if (!is_pointer(v))
		escape(p, v);
	else if (known && variadic && !is_scan(callee)) /* printf and its kin */
		;
	else if (known && i + 1 == LLVMCountParams(callee) && prints_list(callee))
		;
	else if (llvm_argument_not_captured(call, i) || (callee && only_uses(callee))) {
		add_use(p, call, callee, i);
		add_ways_into(p, call, callee, i);
	} else if (known && llvm_only_reads(call)) /* strchr and its kin: the result is all that leaks */
		inclusion_copy(p->in, node, points_to_node(p, call));
	else
		escape(p, v);
}

/* Does the result of a function that only reads lead into an argument (strchr) or not (getenv)? */
static bool returns_argument(LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		if (is_pointer(argument(call, i)) && !llvm_argument_not_captured(call, i))
			return true;
	return false;
}

static void add_outside_result(struct points_to *p, LLVMValueRef call, bool known)
{
	uint32_t node = points_to_node(p, call);
	if (!node)
		return;
	if (llvm_is_allocation(p->sharing->library, call)) {
		inclusion_add(p->in, node, points_to_object(p, call));
	} else if (llvm_returns_fresh(call)) {
		uint32_t object = points_to_object(p, call);
		inclusion_add(p->in, node, object);
		inclusion_open(p->in, node);
	} else if (!(known && llvm_only_reads(call) && returns_argument(call))) {
		comes_from_outside(p, call);
	}
}

unsigned points_to_thread_start(LLVMValueRef call)
{
	static const char *const posix[] = {"pthread_create"}, *const c11[] = {"thrd_create"};
	LLVMValueRef callee = direct_callee(call);
	unsigned start = callee && IS_NAMED(callee, posix) ? 2 : callee && IS_NAMED(callee, c11) ? 1 : 0;
	return start && LLVMGetNumArgOperands(call) == start + 2 ? start : 0;
}

static bool add_thread(struct points_to *p, LLVMValueRef call)
{
	unsigned start = points_to_thread_start(call);
	if (!start)
		return false;
	inclusion_copy(p->in, points_to_node(p, argument(call, start + 1)), p->passed_on);
	watch(p, points_to_node(p, argument(call, start)), (struct called){.kind = CALLED_THREAD, .call = call, .argument = start + 1});
	return true;
}

bool points_to_starts_state(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return callee && name_begins(callee, "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateE") && LLVMGetNumArgOperands(call) > 1;
}

/*
 * void std::thread::_M_start_thread(this, std::unique_ptr<_State> *, ...): in the new thread libstdc++ calls functions of the state's virtual table,
 * and nothing else of what it leads to. What it writes to the std::thread, here and when a thread is joined, is shared like what others pass on. The state
 * itself changes hands: who made it has it no longer once the thread is there; what it leads to is shared.
 */
static bool add_cxx_thread(struct points_to *p, LLVMValueRef call, LLVMValueRef callee)
{
	static const char *const ends[] = {"_ZNSt6thread4joinEv", "_ZNSt6thread6detachEv"};
	bool starts = points_to_starts_state(call);
	if (!starts && !IS_NAMED(callee, ends))
		return false;
	inclusion_copy(p->in, points_to_node(p, argument(call, 0)), p->passed_on);
	if (!starts)
		return true;
	uint32_t state = inclusion_node(p->in), table = inclusion_node(p->in);
	inclusion_load(p->in, points_to_node(p, argument(call, 1)), state, MEMBER_ANY, true);
	inclusion_load(p->in, state, table, MEMBER_ANY, true);
	inclusion_copy(p->in, points_to_node(p, argument(call, 1)), p->carriers);
	inclusion_copy(p->in, state, p->handed);
	inclusion_copy(p->in, table, p->passed_on);
	watch(p, table, (struct called){.kind = CALLED_STATE, .call = call, .node = state});
	return true;
}

/*
 * int __cxa_atexit(function, argument, handle) and its kin: destructors of variables, which the C library calls with what it was given, and does nothing else
 * with. Any thread may be the one that exits.
 */
bool points_to_registers(LLVMValueRef call)
{
	static const char *const names[] = {"__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"};
	LLVMValueRef callee = direct_callee(call);
	return callee && IS_NAMED(callee, names) && LLVMGetNumArgOperands(call) == 3;
}

static bool add_at_exit(struct points_to *p, LLVMValueRef call)
{
	if (!points_to_registers(call))
		return false;
	inclusion_copy(p->in, points_to_node(p, argument(call, 1)), p->passed_on);
	watch(p, points_to_node(p, argument(call, 0)), (struct called){.kind = CALLED_AT_EXIT, .call = call, .argument = 1});
	return true;
}

/* In virtual tables: they end the program, and are given nothing. */
static bool is_no_function(LLVMValueRef callee)
{
	static const char *const names[] = {"__cxa_pure_virtual", "__cxa_deleted_virtual"};
	return IS_NAMED(callee, names);
}

static void add_outside_call(struct points_to *p, LLVMValueRef call, LLVMValueRef callee)
{
	if (callee && is_no_function(callee))
		return;
	if (llvm_is_deallocation(p->sharing->library, call))
		return;
	if (callee && (add_thread(p, call) || add_cxx_thread(p, call, callee) || add_at_exit(p, call)))
		return;
	if (llvm_is_reallocation(p->sharing->library, call)) {
		uint32_t old = points_to_node(p, argument(call, 0)), node = points_to_node(p, call);
		inclusion_copy(p->in, old, node);
		inclusion_add(p->in, node, points_to_object(p, call));
		inclusion_move(p->in, node, old);
		return;
	}
	bool known = callee && llvm_library_knows(p->sharing->library, callee);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		add_outside_argument(p, call, callee, i, known);
	add_outside_result(p, call, known);
}

/* ---------------------------------------------------------------- inside ---------------------- */

/* A function of the program that returns what it has allocated, and what nobody else knows. */
static bool makes_objects(LLVMValueRef f)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
	return LLVMGetEnumAttributeAtIndex(f, LLVMAttributeReturnIndex, kind) != NULL;
}

/* object: that a call of an allocation function makes, or 0. */
static void link_result(struct points_to *p, LLVMValueRef f, uint32_t result, uint32_t object)
{
	if (!object) {
		inclusion_copy(p->in, points_to_returned(p, f), result);
		return;
	}
	inclusion_add(p->in, result, object);
	watch(p, points_to_returned(p, f), (struct called){.kind = CALLED_MADE, .object = object, .node = result});
}

static void link_call(struct points_to *p, LLVMValueRef call, LLVMValueRef f)
{
	unsigned fixed = LLVMCountParams(f);
	bool takes_more = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)); /* others in a virtual table have no use for more */
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		if (i < fixed)
			inclusion_copy(p->in, points_to_node(p, argument(call, i)), points_to_node(p, LLVMGetParam(f, i)));
		else if (takes_more)
			inclusion_copy(p->in, points_to_node(p, argument(call, i)), inclusion_cell(p->in, further_object(p, f), MEMBER_ANY));
	}
	uint32_t result = points_to_node(p, call);
	if (!result)
		return;
	link_result(p, f, result, makes_objects(f) ? points_to_object(p, call) : 0);
}

static void note_clone(struct points_to *p, uint32_t object, uint32_t clone)
{
	if (object == clone)
		return;
	if (p->nclones == p->clones_cap)
		p->clones = pass_grow(p->clones, &p->clones_cap, sizeof *p->clones);
	p->clones[p->nclones++] = (struct clone){.of = object, .object = clone};
	inclusion_inherit(p->in, object, clone);
}

static void call_function(struct points_to *p, LLVMValueRef call, LLVMValueRef f)
{
	if (is_instrumented(f))
		link_call(p, call, f);
	else if (!is_intrinsic(f))
		add_outside_call(p, call, f);
}

static void call_anything(struct points_to *p, LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		escape(p, argument(call, i));
	comes_from_outside(p, call);
}

static LLVMValueRef function_at(const struct points_to *p, uint32_t object)
{
	return object < p->nfunction ? p->function[object] : NULL;
}

static void start(struct points_to *p, LLVMValueRef f, uint32_t given)
{
	map_set(&p->started, f, 1);
	if (LLVMCountParams(f))
		inclusion_copy(p->in, given, points_to_node(p, LLVMGetParam(f, 0)));
	inclusion_copy(p->in, points_to_returned(p, f), inclusion_world(p->in));
}

/* All functions of the module in a constant. */
static void find_each(LLVMValueRef constant, void (*found)(void *data, LLVMValueRef function), void *data)
{
	if (LLVMIsAFunction(constant) && is_instrumented(constant))
		found(data, constant);
	for (int i = 0; !LLVMIsAGlobalValue(constant) && i < LLVMGetNumOperands(constant); i++)
		find_each(LLVMGetOperand(constant, (unsigned)i), found, data);
}

struct starting {
	struct points_to *p;
	uint32_t given;
};

static void start_one(void *data, LLVMValueRef function)
{
	struct starting *s = data;
	start(s->p, function, s->given);
}

static bool is_state_table(LLVMValueRef g)
{
	return name_begins(g, "_ZTVNSt6thread") && LLVMGetInitializer(g);
}

/* Is it the virtual table of a state? */
static void start_state(struct points_to *p, LLVMModuleRef m, uint32_t object, uint32_t state)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		if (is_state_table(g) && map_get(&p->object, g) == object)
			find_each(LLVMGetInitializer(g), start_one, &(struct starting){p, state});
}

void points_to_states(const struct points_to *p, LLVMValueRef call, void (*found)(void *data, LLVMValueRef function), void *data)
{
	LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
	for (size_t i = 0; i < p->ncalls; i++) {
		const struct called *c = &p->calls[i];
		if (c->kind != CALLED_STATE || c->call != call)
			continue;
		for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
			if (is_state_table(g) && bits_has(&c->done, map_get(&p->object, g)))
				find_each(LLVMGetInitializer(g), found, data);
	}
}

void points_to_called(void *data, uint32_t number, uint32_t object)
{
	struct points_to *p = data;
	if (!bits_add(&p->calls[number].done, object))
		return;
	struct called c = p->calls[number];
	LLVMValueRef f = function_at(p, object);
	switch (c.kind) {
	case CALLED_HERE:
		if (object == OBJECT_WORLD)
			call_anything(p, c.call);
		else if (f && vtables_fit(p->vtables, c.call, f))
			call_function(p, c.call, f);
		break;
	case CALLED_THREAD:
	case CALLED_AT_EXIT:
		if (object == OBJECT_WORLD || (f && !is_instrumented(f))) {
			escape(p, argument(c.call, c.argument));
		} else if (f) {
			start(p, f, points_to_node(p, argument(c.call, c.argument)));
		}
		break;
	case CALLED_STATE:
		start_state(p, LLVMGetGlobalParent(direct_callee(c.call)), object, c.node);
		break;
	case CALLED_MADE:
		if (object == OBJECT_WORLD)
			inclusion_add(p->in, c.node, OBJECT_WORLD);
		else
			note_clone(p, object, c.object);
		break;
	}
}

/* Whoever is out there may call it. */
void points_to_outside(void *data, uint32_t object)
{
	struct points_to *p = data;
	LLVMValueRef f = function_at(p, object);
	if (!f || !is_instrumented(f))
		return;
	for (unsigned i = 0; i < LLVMCountParams(f); i++)
		comes_from_outside(p, LLVMGetParam(f, i));
	if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)))
		inclusion_add(p->in, inclusion_cell(p->in, further_object(p, f), MEMBER_ANY), OBJECT_WORLD);
	link_result(p, f, inclusion_world(p->in), makes_objects(f) ? inclusion_object(p->in) : 0);
}

void points_to_add_call(struct points_to *p, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		add_outside_call(p, call, NULL);
	else if (!callee)
		watch(p, points_to_node(p, LLVMGetCalledValue(call)), (struct called){.kind = CALLED_HERE, .call = call});
	else if (is_intrinsic(callee))
		add_intrinsic(p, call, callee);
	else
		call_function(p, call, callee);
}
