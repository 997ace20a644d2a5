/* Expressions as text, as one would write them in C. */
#include "sym/expr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct text {
	char *at;
	size_t n, size;
};

static void put(struct text *t, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int k = vsnprintf(t->at + t->n, t->size - t->n, format, ap);
	va_end(ap);
	if (k > 0)
		t->n = t->n + (size_t)k < t->size ? t->n + (size_t)k : t->size - 1;
}

static const char *const symbols_of[EXPR_OP_COUNT] = {
	[EXPR_ADD] = "+", [EXPR_SUB] = "-", [EXPR_MUL] = "*", [EXPR_UDIV] = "/u",
	[EXPR_SDIV] = "/", [EXPR_UREM] = "%u", [EXPR_SREM] = "%", [EXPR_AND] = "&",
	[EXPR_OR] = "|", [EXPR_XOR] = "^", [EXPR_SHL] = "<<", [EXPR_LSHR] = ">>u",
	[EXPR_ASHR] = ">>", [EXPR_EQ] = "==", [EXPR_ULT] = "<u", [EXPR_ULE] = "<=u",
	[EXPR_SLT] = "<", [EXPR_SLE] = "<=",
	[EXPR_FADD] = "+f", [EXPR_FSUB] = "-f", [EXPR_FMUL] = "*f", [EXPR_FDIV] = "/f",
	[EXPR_FSQRT] = "sqrt", [EXPR_SI_TO_F] = "float", [EXPR_UI_TO_F] = "ufloat", [EXPR_F_TO_SI] = "int",
	[EXPR_F_TO_UI] = "uint", [EXPR_F_TO_F] = "float",
};

static const char *const predicates[16] = {
	"false", "==f", ">f", ">=f", "<f", "<=f", "<>f", "ord", "uno", "==f?", ">f?", ">=f?", "<f?", "<=f?", "!=f", "true",
};

static void print(struct text *t, const struct expr_arena *x, expr e, bool nested);

static void print_binary(struct text *t, const struct expr_arena *x, const struct expr_node *n,
			 bool nested)
{
	uint64_t c;
	if (n->op == EXPR_XOR && expr_is_const(x, n->b, &c) && c == expr_ones(n->width)) {
		put(t, n->width == 1 ? "!" : "~");
		print(t, x, n->a, true);
		return;
	}
	put(t, nested ? "(" : "");
	print(t, x, n->a, true);
	put(t, " %s ", n->op == EXPR_FCMP ? predicates[n->value] : symbols_of[n->op]);
	print(t, x, n->b, true);
	put(t, nested ? ")" : "");
}

static void print(struct text *t, const struct expr_arena *x, expr e, bool nested)
{
	const struct expr_node *n = expr_node(x, e);
	if (t->n + 1 >= t->size) /* full: a shared graph may be exponential as text */
		return;
	switch (n->op) {
	case 0:
		put(t, "none");
		return;
	case EXPR_CONST:
		if (n->width >= 8 && n->value > expr_ones(n->width) - 4096)
			put(t, "%" PRId64, expr_signed(n->value, n->width));
		else
			put(t, "%" PRIu64, n->value);
		return;
	case EXPR_SYM:
		put(t, "s%" PRIu64, n->value);
		return;
	case EXPR_ITE:
	case EXPR_CONCAT:
		put(t, n->op == EXPR_ITE ? "ite(" : "concat(");
		print(t, x, n->a, false);
		put(t, ", ");
		print(t, x, n->b, false);
		if (n->op == EXPR_ITE) {
			put(t, ", ");
			print(t, x, n->c, false);
		}
		put(t, ")");
		return;
	case EXPR_EXTRACT:
		print(t, x, n->a, true);
		put(t, "[%u:%u]", (unsigned)n->value + n->width - 1, (unsigned)n->value);
		return;
	case EXPR_ZEXT:
	case EXPR_SEXT:
		put(t, n->op == EXPR_ZEXT ? "u%u(" : "i%u(", n->width);
		print(t, x, n->a, false);
		put(t, ")");
		return;
	default:
		if (n->op >= EXPR_FSQRT) {
			put(t, "%s%u(", symbols_of[n->op], n->width);
			print(t, x, n->a, false);
			put(t, ")");
			return;
		}
		print_binary(t, x, n, nested);
	}
}

void expr_print(const struct expr_arena *x, expr e, char *text, size_t size)
{
	if (!size)
		return;
	struct text t = {text, 0, size};
	text[0] = 0;
	print(&t, x, e, false);
}
