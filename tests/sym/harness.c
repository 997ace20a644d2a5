/*
 * The runtime of the twin in these tests, and the interpreter's host.
 *
 *   SYM_CODE=FILE         interpret, with this translated code; without it the twin runs natively
 *   SYM_LOG=FILE          follow these path bits (written by record.c) and count mismatches; without it follow
 *                         the concrete values
 *   SYM_INPUTS=A,B,...    inputs (sym.h)
 *   SYM_ALTERNATIVES=A,B;C,D;...  at the end, say for each: do all conditions of the path hold, and what are
 *                         the outputs: "holds 3 4" or "fails"; to $SYM_OUT
 *   SYM_SPEED=1           print instructions per second to stderr
 *
 * A fault of interpreted code is reported with its position and stops the thread: exit status 96.
 * Exit status 97: something was not supported. 98: the path of the log was left.
 */
#include "sym.h"
#include "sym/interp.h"

#include <rethread/instrument.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "marks.h"

__thread struct rt_gate __rethread_gate;
int __rethread_infer;

/* The twin appends to the path, too; here nobody looks at it. */
static uint8_t nowhere[2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY)));
__thread uint8_t *__rethread_path = nowhere, *__rethread_path_end = nowhere + RT_TRAY;

void __rethread_path_full(void)
{
	__rethread_path = nowhere;
}

void __rethread_path_room(void)
{
	__rethread_path_full();
}

void *__rethread_gate_wait(uint32_t site, uint32_t kind, void *address, uint64_t size)
{
	(void)site, (void)kind, (void)size;
	__rethread_gate.next = ~0ull;
	return address;
}

void *__rethread_gate_source(void *address, uint64_t size)
{
	(void)size;
	return address;
}

void __rethread_gate_passed(void)
{
}

/* ------------------------------------------------------------------ state */

enum { MOST = 1 << 20 };
static struct interp *interp;
static struct expr_arena *exprs;
static __thread struct ithread *self;
static char *bits; /* of the log, or NULL */
static size_t nbits, next_bit;
static uint64_t mismatches, sites, branches;
static struct {
	expr e;
	uint64_t v;
} conditions[MOST], outputs[MOST];
static unsigned nconditions, noutputs;
static bool refused;

static void quit(const char *what)
{
	fprintf(stderr, "sym: %s\n", what);
	_exit(97);
}

/* ------------------------------------------------------------------ host */

static int64_t round_bit = -1; /* what comes next, if not -1 */

int64_t host_path_bits(struct ithread *t, unsigned n)
{
	(void)t;
	branches++;
	if (!bits)
		return -2;
	int64_t v = round_bit;
	round_bit = -1;
	if (v >= 0)
		return v;
	v = 0;
	for (; n; n--) {
		if (next_bit == nbits)
			return -1;
		v = v << 1 | (bits[next_bit++] - '0');
	}
	return v;
}

/* Loops whose rounds are counted: how often their branches stay comes before the rounds, 8 bits at a time, and nothing in between. */
static uint32_t most_rounds, rounds_left;
static bool more_rounds;

static void take_rounds(struct ithread *t)
{
	int64_t n = host_path_bits(t, RT_ROUNDS_BITS);
	if (n == -1)
		quit("the path ends in a loop whose rounds are counted");
	more_rounds = n == RT_ROUNDS_MORE;
	rounds_left = more_rounds ? most_rounds : (uint32_t)n;
}

void host_rounds(struct ithread *t, uint32_t most)
{
	most_rounds = most;
	if (bits)
		take_rounds(t);
}

void host_silent(struct ithread *t)
{
	(void)t;
}

bool host_silent_goes(struct ithread *t, bool concrete)
{
	(void)t;
	return concrete;
}

void host_round(struct ithread *t, bool stays)
{
	if (!bits)
		return;
	if (!rounds_left && more_rounds)
		take_rounds(t);
	round_bit = rounds_left ? stays : !stays;
	rounds_left -= rounds_left > 0;
}

void host_unrecorded(struct ithread *t)
{
	(void)t;
}

bool host_known(struct ithread *t, expr e, uint64_t v)
{
	(void)t, (void)e, (void)v;
	return false;
}

void host_line(struct ithread *t, uint32_t position)
{
	(void)t, (void)position;
}

_Noreturn void host_exited(struct ithread *t)
{
	(void)t;
	abort();
}

void host_assume(struct ithread *t, expr e, uint64_t v)
{
	(void)t;
	if (nconditions == MOST)
		quit("too many conditions");
	conditions[nconditions].e = e;
	conditions[nconditions++].v = v;
}

static void say_where(struct ithread *t, const char *what)
{
	struct position p;
	ithread_position(t, &p);
	fprintf(stderr, "sym: %s:%u:%u: in %s: %s\n", p.file, p.line, p.column, p.function, what);
}

void host_contradicted(struct ithread *t, expr condition)
{
	(void)t;
	(void)condition;
}

void host_mismatch(struct ithread *t)
{
	if (!mismatches++)
		say_where(t, "left the path of the log");
}

void host_load(struct ithread *t, uint32_t site, struct access *pieces, unsigned count)
{
	(void)t, (void)site;
	sites++;
	for (unsigned i = 0; i < count; i++) {
		struct access *a = &pieces[i];
		a->value = (struct slot){0};
		memcpy(&a->value.v, (const void *)a->address, a->size);
		a->value.e = interp_memory_expr(interp, a->address, a->size);
	}
}

void host_own_store(struct ithread *t, uint64_t address, unsigned size, struct slot value)
{
	(void)t, (void)address, (void)size, (void)value; /* no blocks share memory */
}

void host_store(struct ithread *t, uint32_t site, const struct access *pieces, unsigned count)
{
	(void)t, (void)site;
	sites++;
	for (unsigned i = 0; i < count; i++) {
		memcpy((void *)pieces[i].address, &pieces[i].value.v, pieces[i].size);
		interp_set_memory_expr(interp, pieces[i].address, pieces[i].size, pieces[i].value.e);
	}
}

void host_atomic(struct ithread *t, uint32_t site, struct access *piece, host_update *update, void *data)
{
	struct slot value;
	host_load(t, site, piece, 1);
	if (update(data, t, piece->value, &value)) {
		struct access put = {.address = piece->address, .size = piece->size, .value = value};
		host_store(t, site, &put, 1);
	}
}

void host_fence(struct ithread *t, uint32_t site)
{
	(void)t, (void)site;
	sites++;
}

void host_number(struct ithread *t, unsigned use, struct slot a, struct slot b)
{
	(void)t, (void)use, (void)a, (void)b;
}

uint64_t host_mark(struct ithread *t)
{
	(void)t;
	return 0;
}

struct slot host_chosen(struct ithread *t, struct slot value, uint64_t mark)
{
	(void)t, (void)mark;
	return value;
}

expr host_led(struct ithread *t, struct slot found, expr address)
{
	(void)t, (void)address;
	return found.e;
}

void host_split(struct ithread *t, uint32_t block)
{
	(void)t, (void)block;
}

void host_join(struct ithread *t, uint32_t block)
{
	(void)t, (void)block;
}

void host_recall(struct ithread *t, unsigned flags)
{
	(void)t, (void)flags;
}

void host_allocates(struct ithread *t)
{
	(void)t;
}

void host_scope(struct ithread *t, uint64_t own, uint64_t size, const char *name, bool begins)
{
	(void)t, (void)own, (void)size, (void)name, (void)begins;
}

void host_placed(struct ithread *t, uint64_t own, uint64_t size, const char *name)
{
	(void)t, (void)own, (void)size, (void)name;
}

void host_told(struct ithread *t, struct slot given, uint64_t told)
{
	(void)t, (void)given, (void)told;
}

void host_allocated(struct ithread *t, uint64_t own, uint64_t size)
{
	(void)t, (void)own, (void)size;
}

void host_site(struct ithread *t, uint32_t site)
{
	(void)t, (void)site;
	sites++;
}

void host_copy(struct ithread *t, uint32_t site, uint64_t to, uint64_t from, uint64_t size)
{
	(void)t, (void)site;
	sites++;
	expr *e = calloc(size + 1, sizeof *e);
	for (uint64_t i = 0; i < size; i++)
		e[i] = interp_memory_expr(interp, from + i, 1);
	memmove((void *)to, (const void *)from, size);
	for (uint64_t i = 0; i < size; i++)
		interp_set_memory_expr(interp, to + i, 1, e[i]);
	free(e);
}

void host_fill(struct ithread *t, uint32_t site, uint64_t to, struct slot byte, uint64_t size)
{
	(void)t, (void)site;
	sites++;
	memset((void *)to, (int)byte.v, size);
	for (uint64_t i = 0; i < size; i++)
		interp_set_memory_expr(interp, to + i, 1, byte.e);
}

bool host_call(struct ithread *t, struct native_call *c)
{
	(void)t;
	sites += c->site != 0;
	if (!c->name)
		return true;
	bool is_long = !strcmp(c->name, "sym_input_long");
	if (is_long || !strcmp(c->name, "sym_input")) {
		unsigned width = is_long ? 64 : 32;
		uint64_t v = (uint64_t)sym_input_long((int)c->in[0].v);
		c->out[0] = (struct slot){.v = is_long ? v : (uint32_t)v,
					  .e = expr_sym(exprs, width, c->in[0].v)};
		return false;
	}
	if (!strcmp(c->name, "sym_output")) {
		sym_output((long)c->in[0].v);
		outputs[noutputs].e = c->in[0].e;
		outputs[noutputs++].v = c->in[0].v;
		return false;
	}
	return true;
}

void host_called(struct ithread *t, struct native_call *c)
{
	(void)t, (void)c;
}

void host_divides(struct ithread *t, enum expr_op op, unsigned width, struct slot dividend, struct slot divisor)
{
	(void)t, (void)op, (void)width, (void)dividend, (void)divisor;
}

void host_concretize(struct ithread *t, struct slot *s, const char *why)
{
	(void)why;
	host_assume(t, s->e, s->v);
	s->e = EXPR_NONE;
}

_Noreturn void host_unsupported(struct ithread *t, const char *what)
{
	fflush(stdout);
	say_where(t, what);
	_exit(97);
}

_Noreturn void host_astray(struct ithread *t)
{
	host_unsupported(t, "code the compiler took for unreachable was reached");
}

/* ------------------------------------------------------------------ entering */

static const char *fault;

static void on_fault(int sig)
{
	if (!self)
		_exit(95);
	fault = strsignal(sig);
	ithread_stop(self);
}

static double now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void evaluate_one(FILE *f, const char *inputs)
{
	uint64_t symbols[16], *values = malloc((expr_count(exprs) + 1) * sizeof *values);
	bool holds = true;
	for (int i = 0; i < 16; i++)
		symbols[i] = (uint64_t)nth(inputs, i);
	expr_eval_all(exprs, symbols, values);
	for (unsigned i = 0; i < nconditions; i++)
		holds = holds && values[conditions[i].e] == conditions[i].v;
	fputs(holds ? "holds" : "fails", f);
	for (unsigned i = 0; holds && i < noutputs; i++)
		fprintf(f, " %ld", (long)(outputs[i].e ? values[outputs[i].e] : outputs[i].v));
	fputc('\n', f);
	free(values);
}

static void evaluate(void)
{
	char *all = getenv("SYM_ALTERNATIVES"), *save;
	FILE *f = all && getenv("SYM_OUT") ? fopen(getenv("SYM_OUT"), "w") : NULL;
	if (!f)
		return;
	for (char *one = strtok_r(strdup(all), ";", &save); one; one = strtok_r(NULL, ";", &save))
		evaluate_one(f, one);
	fclose(f);
}

void __rethread_enter(uint32_t symbol, const uint64_t *in, uint64_t *out)
{
	unsigned nin, nout;
	struct slot sin[64] = {0}, sout[64] = {0};
	bool outermost = !self;
	if (refused)
		_exit(97);
	if (!self)
		self = ithread_new(interp, NULL);
	interp_signature(interp, symbol, &nin, &nout);
	for (unsigned i = 0; i < nin; i++)
		sin[i].v = in[i];
	double start = now();
	uint64_t before = ithread_instructions(self);
	if (!interp_call(self, symbol, sin, sout)) {
		if (fault) {
			say_where(self, fault);
			refused = true;
			exit(96);
		}
		fprintf(stderr, "sym: the log ended early\n");
		refused = true;
		exit(98);
	}
	for (unsigned i = 0; i < nout; i++)
		out[i] = sout[i].v;
	if (outermost && getenv("SYM_SPEED")) {
		double time = now() - start;
		uint64_t n = ithread_instructions(self) - before;
		fprintf(stderr, "%s: %llu instructions in %.3f s: %.1f million per second\n",
			interp_symbol_name(interp, symbol), (unsigned long long)n, time,
			1e-6 * (double)n / time);
	}
	if (outermost) {
		ithread_free(self);
		self = NULL;
	}
}

__attribute__((constructor(101))) static void begin(void)
{
	const struct rt_twin_module *m = &__rethread_twin_module;
	const char *code = getenv("SYM_CODE"), *log = getenv("SYM_LOG");
	struct error err;
	__rethread_gate.next = ~0ull;
	if (!code)
		return;
	exprs = expr_arena_new();
	interp = interp_new(code, m->symbols, m->nsymbols, m->tls_address, exprs, &err);
	if (!interp)
		quit(err.text);
	if (log && !read_file(log, &bits, &nbits, &err))
		quit(err.text);
	struct sigaction a = {.sa_handler = on_fault};
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);
	sigaction(SIGFPE, &a, NULL);
	__rethread_infer = 1;
}

__attribute__((destructor)) static void finish(void)
{
	if (!interp)
		return;
	__rethread_infer = 0;
	evaluate();
	fflush(stdout);
	if (bits && next_bit != nbits && !mismatches) {
		fprintf(stderr, "sym: %zu bits of the log were not used\n", nbits - next_bit);
		_exit(98);
	}
	if (mismatches && !getenv("SYM_ALTERNATIVES"))
		_exit(98);
}
