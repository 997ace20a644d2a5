/*
 * Loading and checking translated code; its text form.
 */
#include "sym/code.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *kinds;
} ops[OP_COUNT_] = {
#define X(name, kinds) {#name, kinds},
	CODE_OPS(X)
#undef X
};

const uint8_t code_helper_in[HELP_COUNT_] = {
#define X(name, in, out) in,
	CODE_HELPERS(X)
#undef X
};

const uint8_t code_helper_out[HELP_COUNT_] = {
#define X(name, in, out) out,
	CODE_HELPERS(X)
#undef X
};

static const char *const helper_names[HELP_COUNT_] = {
#define X(name, in, out) #name,
	CODE_HELPERS(X)
#undef X
};

const char *code_op_name(unsigned op)
{
	return op < OP_COUNT_ ? ops[op].name : "?";
}

const char *code_op_kinds(unsigned op)
{
	return op < OP_COUNT_ ? ops[op].kinds : "---";
}

const char *code_helper_name(unsigned helper)
{
	return helper < HELP_COUNT_ ? helper_names[helper] : "?";
}

/* ------------------------------------------------------------------ checking */

/* n registers at pool[at], each below nregs; `absent` allows all ones. */
static bool check_regs(const struct code *c, size_t at, size_t n, size_t step, uint32_t nregs, bool absent)
{
	for (size_t i = 0; i < n; i++, at += step)
		if (at >= c->npool || (c->pool[at] >= nregs && !(absent && c->pool[at] == ~0u)))
			return false;
	return true;
}

static bool check_list(const struct code *c, size_t at, uint32_t nregs)
{
	return at < c->npool && check_regs(c, at + 1, c->pool[at], 1, nregs, false);
}

static bool check_jump(const struct code_function *f, uint32_t at, uint32_t jump)
{
	return (uint32_t)(at + jump) < f->ninsns;
}

static bool check_switch(const struct code *c, const struct code_function *f, uint32_t at,
			 const struct insn *n)
{
	if (n->d + 2ull > c->npool || !check_jump(f, at, c->pool[n->d + 1]))
		return false;
	uint64_t ncases = c->pool[n->d];
	if (n->d + 2 + 4 * ncases > c->npool || !n->b || n->b > 64)
		return false;
	for (uint64_t k = 0; k < ncases; k++) {
		const uint32_t *x = c->pool + n->d + 2 + 4 * k;
		if (!check_jump(f, at, x[2]) || x[3] > ncases)
			return false;
	}
	return true;
}

static bool check_width(unsigned bits)
{
	return bits >= 1 && bits <= 64;
}

static bool check_site_list(const struct code *c, uint32_t at, uint32_t nregs)
{
	if (at + 2ull > c->npool)
		return false;
	uint64_t n = c->pool[at + 1];
	for (uint64_t k = 0; at + 2 + 5 * n <= c->npool && k < n; k++)
		if (!check_width(c->pool[at + 2 + 5 * k + 3]))
			return false;
	return at + 2 + 5 * n <= c->npool && check_regs(c, at + 2, n, 5, nregs, false) &&
	       check_regs(c, at + 3, n, 5, nregs, false) && check_regs(c, at + 6, n, 5, nregs, true);
}

/* Classes that make up exactly n slots. */
static bool check_args(const struct code *c, uint32_t first, uint32_t count, uint32_t n)
{
	uint64_t slots = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct code_arg *a = &c->args[first + i];
		bool pair = a->class == CLASS_INT2 || a->class == CLASS_X87;
		if (a->class > CLASS_BYVAL || !a->bytes || (pair && a->slots != 2) ||
		    (a->class == CLASS_SSE && a->slots * a->bytes > 16) ||
		    (!pair && a->class != CLASS_SSE && (a->slots != 1 || a->bytes > 8)))
			return false;
		slots += a->slots;
	}
	return slots == n;
}

static bool check_call(const struct code *c, const struct code_function *f, const struct insn *n)
{
	const struct code_call *x = &c->calls[n->b];
	return check_regs(c, x->registers, x->nregisters, 1, f->nregs, false) &&
	       (uint64_t)x->args + x->nargs <= c->nargs && x->fixed <= x->nregisters &&
	       (uint64_t)x->results + x->nresults <= c->nargs && x->reason < c->nstrings &&
	       (uint64_t)n->d + x->nout <= f->nregs &&
	       (x->reason || (check_args(c, x->args, x->nargs, x->nregisters) &&
			      check_args(c, x->results, x->nresults, x->nout)));
}

static bool check_special(const struct code *c, const struct code_function *f, uint32_t at,
			  const struct insn *n)
{
	switch (n->op) {
	case OP_SWITCH:
	case OP_GO_SWITCH:
		return check_switch(c, f, at, n);
	case OP_RET:
		return check_list(c, n->a, f->nregs) && c->pool[n->a] == f->nresults;
	case OP_CALL:
		return check_list(c, n->b, f->nregs) &&
		       c->pool[n->b] == c->functions[n->a].nparams &&
		       (uint64_t)n->d + c->functions[n->a].nresults <= f->nregs;
	case OP_CALLV:
	case OP_CALLN:
	case OP_CALLI:
		return check_call(c, f, n);
	case OP_HELPER:
		return n->b < HELP_COUNT_ && check_list(c, n->a, f->nregs) &&
		       c->pool[n->a] == code_helper_in[n->b] && n->d + code_helper_out[n->b] <= f->nregs;
	case OP_SITE_LDM:
	case OP_SITE_STM:
		return check_site_list(c, n->b, f->nregs);
	case OP_LDN:
	case OP_STN:
	case OP_LDMASK:
	case OP_STMASK:
	case OP_SITE_LD:
	case OP_SITE_ST:
		return check_width(n->w);
	case OP_ATOMIC:
		return check_width(n->w) && n->b + 3ull <= c->npool &&
		       check_regs(c, n->b + 1, 1, 1, f->nregs, false);
	case OP_CMPXCHG:
		return check_width(n->w) && n->b + 3ull <= c->npool &&
		       check_regs(c, n->b + 1, 2, 1, f->nregs, false) && n->d + 2ull <= f->nregs;
	case OP_LANDINGPAD:
		return n->d + 2ull <= f->nregs;
	case OP_SELECT:
	case OP_FMA32:
	case OP_FMA64:
		return at + 1 < f->ninsns && n[1].op == OP_ELSE;
	case OP_COPY:
	case OP_FILL:
		return at + 1 < f->ninsns && n[1].op == OP_SIZE;
	default:
		return true;
	}
}

static bool check_operand(const struct code *c, const struct code_function *f, uint32_t at, char kind,
			  uint32_t x)
{
	switch (kind) {
	case 'w':
	case 'r':
		return x < f->nregs;
	case 'j':
		return check_jump(f, at, x);
	case 'p':
		return x < c->npool;
	case 's':
		return x < c->nsymbols;
	case 'f':
		return x < c->nfunctions;
	case 'c':
		return x < c->ncalls;
	case 't':
		return x < c->nstrings;
	default:
		return true;
	}
}

/* The last instruction must not run on into the next function. */
static bool ends(unsigned op)
{
	switch (op) {
	case OP_JMP: case OP_SWITCH: case OP_GO_SWITCH: case OP_RET0: case OP_RET1: case OP_RET:
	case OP_UNREACHABLE: case OP_TRAP: case OP_RESUME: case OP_UNSUPPORTED:
		return true;
	default:
		return false;
	}
}

static bool check_insn(const struct code *c, const struct code_function *f, uint32_t at)
{
	const struct insn *n = &c->insns[f->first_insn + at];
	if (n->op >= OP_COUNT_)
		return false;
	const char *k = ops[n->op].kinds;
	return check_operand(c, f, at, k[0], n->d) && check_operand(c, f, at, k[1], n->a) &&
	       check_operand(c, f, at, k[2], n->b) && check_special(c, f, at, n);
}

static bool check_pad(const struct code *c, const struct code_function *f, const struct code_pad *p)
{
	if (p->insn >= f->ninsns || p->target >= f->ninsns || p->clauses + 2ull > c->npool)
		return false;
	uint64_t at = p->clauses + 2ull;
	for (uint32_t k = 0; k < c->pool[p->clauses + 1]; k++) {
		if (at + 2 > c->npool || at + 2 + c->pool[at + 1] > c->npool)
			return false;
		for (uint32_t m = 0; m < c->pool[at + 1]; m++)
			if (c->pool[at + 2 + m] > c->nsymbols)
				return false;
		at += 2 + c->pool[at + 1];
	}
	return true;
}

static bool check_function(const struct code *c, const struct code_function *f)
{
	if (f->symbol >= c->nsymbols || f->name >= c->nstrings || f->reason >= c->nstrings ||
	    f->position >= c->npositions)
		return false;
	if (f->reason)
		return f->ninsns == 0;
	if (!f->ninsns || (uint64_t)f->first_insn + f->ninsns > c->ninsns ||
	    (uint64_t)f->first_const + f->nconsts > c->nconsts ||
	    (uint64_t)f->nparams + f->nconsts > f->nregs || f->nregs > 1 << 24 ||
	    (uint64_t)f->first_pad + f->npads > c->npads || !f->align || (f->align & (f->align - 1)))
		return false;
	for (uint32_t i = 0; i < f->nconsts; i++)
		if (c->consts[f->first_const + i].symbol > c->nsymbols)
			return false;
	for (uint32_t i = 0; i < f->ninsns; i++)
		if (!check_insn(c, f, i))
			return false;
	for (uint32_t i = 0; i < f->npads; i++)
		if (!check_pad(c, f, &c->pads[f->first_pad + i]))
			return false;
	return ends(c->insns[f->first_insn + f->ninsns - 1].op);
}

static bool check_tables(const struct code *c)
{
	if (c->nwhere != c->ninsns || !c->nstrings || c->strings[c->nstrings - 1] || !c->npositions)
		return false;
	for (size_t i = 0; i < c->nsymbols; i++)
		if (c->symbols[i].name >= c->nstrings || c->symbols[i].function > c->nfunctions ||
		    c->symbols[i].alias > c->nsymbols)
			return false;
	for (size_t i = 0; i < c->nwhere; i++)
		if (c->where[i] >= c->npositions)
			return false;
	for (size_t i = 0; i < c->nsites; i++)
		if ((c->sites[i] & ~CODE_SITE_FLAGS) >= c->npositions)
			return false;
	for (size_t i = 0; i < c->npositions; i++)
		if (c->positions[i].file >= c->nstrings || c->positions[i].function >= c->nstrings)
			return false;
	return true;
}

/* ------------------------------------------------------------------ loading */

static bool cut(struct code *c, size_t size)
{
	const struct code_header *h = (const void *)c->buffer;
	size_t at = sizeof *h;
#define X(name, type)                                                                   \
	if (h->n##name > (size - at) / sizeof(type))                                    \
		return false;                                                           \
	c->name = (const void *)(c->buffer + at);                                       \
	c->n##name = h->n##name;                                                        \
	at += (h->n##name * sizeof(type) + 7) & ~(size_t)7;                             \
	if (at > size)                                                                  \
		return false;
	CODE_SECTIONS(X)
#undef X
	return at == size;
}

bool code_load(struct code *c, const char *file, struct error *err)
{
	size_t size;
	*c = (struct code){0};
	if (!read_file(file, &c->buffer, &size, err))
		return false;
	const struct code_header *h = (const void *)c->buffer;
	bool ok = size >= sizeof *h && h->magic == CODE_MAGIC && h->version == CODE_VERSION &&
		  h->nops == (OP_COUNT_ << 16 | HELP_COUNT_);
	if (!ok)
		fail(err, "%s is no translated code of this version of rethread", file);
	if (ok && !(ok = cut(c, size) && check_tables(c)))
		fail(err, "%s is damaged: its tables do not fit together", file);
	for (size_t i = 0; ok && i < c->nfunctions; i++)
		if (!(ok = check_function(c, &c->functions[i])))
			fail(err, "%s is damaged in function %zu", file, i);
	if (!ok)
		code_release(c);
	return ok;
}

void code_release(struct code *c)
{
	free(c->buffer);
	*c = (struct code){0};
}

/* ------------------------------------------------------------------ text */

/* clang-format off */
static void dump_operand(const struct code *c, uint32_t at, char kind, uint32_t x, FILE *out)
{
	switch (kind) {
	case 'w':
	case 'r': fprintf(out, " r%u", x); break;
	case 'j': fprintf(out, " ->%u", at + x); break;
	case 's': fprintf(out, " @%s", c->strings + c->symbols[x].name); break;
	case 'f': fprintf(out, " @%s", c->strings + c->functions[x].name); break;
	case 't': fprintf(out, " \"%s\"", c->strings + x); break;
	case 'p': fprintf(out, " pool%u", x); break;
	case 'c': fprintf(out, " call%u", x); break;
	case 'i': fprintf(out, " %d", (int32_t)x); break;
	default: break;
	}
}

/* clang-format on */

static void dump_list(const struct code *c, uint32_t at, FILE *out)
{
	fputs(" (", out);
	for (uint32_t i = 0; i < c->pool[at]; i++)
		fprintf(out, "%sr%u", i ? " " : "", c->pool[at + 1 + i]);
	fputc(')', out);
}

void code_dump(const struct code *c, uint32_t function, FILE *out)
{
	const struct code_function *f = &c->functions[function];
	fprintf(out, "%s: %u parameters, %u constants, %u registers, %u bytes%s%s\n", c->strings + f->name,
		f->nparams, f->nconsts, f->nregs, f->memory, f->reason ? ", stub: " : "",
		f->reason ? c->strings + f->reason : "");
	for (uint32_t i = 0; i < f->nconsts; i++) {
		const struct code_const *k = &c->consts[f->first_const + i];
		fprintf(out, "  r%u = %s%s%#llx\n", f->nparams + i,
			k->symbol ? c->strings + c->symbols[k->symbol - 1].name : "",
			k->symbol ? "+" : "", (unsigned long long)k->value);
	}
	for (uint32_t i = 0; i < f->ninsns; i++) {
		const struct insn *n = &c->insns[f->first_insn + i];
		const char *k = code_op_kinds(n->op);
		const struct code_position *p = &c->positions[c->where[f->first_insn + i]];
		fprintf(out, "%5u %-10s %5u", i, code_op_name(n->op), n->w);
		dump_operand(c, i, k[0], n->d, out);
		dump_operand(c, i, k[1], n->a, out);
		dump_operand(c, i, k[2], n->b, out);
		if (n->op == OP_CALL)
			dump_list(c, n->b, out);
		if (n->op == OP_HELPER) {
			fprintf(out, " %s", code_helper_name(n->b));
			dump_list(c, n->a, out);
		}
		fprintf(out, "  ; %u\n", p->line);
	}
}
