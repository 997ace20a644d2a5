/*
 * usage: generate SEED: a random C program without undefined behaviour: integers of all widths, arrays, structs,
 * loops, switches, functions. It computes from two inputs (sym.h) and puts out what it has computed.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;
static int depth;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}

static const char *const types[] = {"int8_t",   "uint8_t",  "int16_t", "uint16_t",
				    "int32_t",  "uint32_t", "int64_t", "uint64_t"};
enum { VARIABLES = 10, ARRAYS = 3, FUNCTIONS = 3 };
static const int array_size[ARRAYS] = {8, 16, 4};
static int callable; /* functions that may be called here */

static void variable(void)
{
	switch (pick(5)) {
	case 0: printf("a%u[%u]", pick(ARRAYS), pick(4)); break;
	case 1: printf("s.f%u", pick(5)); break;
	default: printf("v%u", pick(VARIABLES));
	}
}

static void value(void);

static void operation(void)
{
	static const char *const plain[] = {"+", "-", "*", "&", "|", "^"};
	static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
	const char *type = types[pick(8)], *u = types[2 * pick(4) + 1];
	switch (pick(10)) {
	case 0:
		printf("(%s)((%s)", u, u);
		value();
		printf(" %s (1 + (%s)((", pick(2) ? "/" : "%", u);
		value();
		printf(") & 0x3f)))");
		break;
	case 1:
		printf("(%s)((int64_t)(%s)", type, type);
		value();
		printf(" %s (1 + ((", pick(2) ? "/" : "%");
		value();
		printf(") & 0x1f)))");
		break;
	case 2:
		printf("((uint64_t)(%s)", u);
		value();
		printf(" << ((");
		value();
		printf(") & 31))");
		break;
	case 3:
		printf("((%s)", type);
		value();
		printf(" >> ((");
		value();
		printf(") & 7))");
		break;
	case 4:
	case 5:
		printf("((%s)", type);
		value();
		printf(" %s (%s)", compare[pick(6)], type);
		value();
		printf(")");
		break;
	case 6:
		printf("(");
		value();
		printf(" ? ");
		value();
		printf(" : ");
		value();
		printf(")");
		break;
	default:
		printf("(%s)((uint64_t)", type);
		value();
		printf(" %s (uint64_t)", plain[pick(6)]);
		value();
		printf(")");
	}
}

static void value(void)
{
	depth++;
	unsigned kind = depth > 4 ? pick(2) : pick(6);
	if (kind == 0) {
		printf("%d", (int)pick(200) - 50);
	} else if (kind == 1) {
		variable();
	} else if (kind == 2 && callable && depth < 4) {
		printf("f%u(", pick((unsigned)callable));
		value();
		printf(", ");
		value();
		printf(")");
	} else {
		operation();
	}
	depth--;
}

static void statements(int level, int n);

static void statement(int level)
{
	static int loops;
	switch (level > 2 ? pick(3) : pick(8)) {
	case 0:
	case 1:
	case 2:
		variable();
		printf(" = ");
		value();
		printf(";\n");
		break;
	case 3:
	case 4:
		printf("if (");
		value();
		printf(") {\n");
		statements(level + 1, 2);
		printf("} else {\n");
		statements(level + 1, 1);
		printf("}\n");
		break;
	case 5: {
		int l = loops++;
		printf("for (int l%d = 0; l%d < %u; l%d++) {\n", l, l, 1 + pick(6), l);
		printf("a%u[l%d & 3] ^= (uint32_t)l%d + ", pick(ARRAYS), l, l);
		value();
		printf(";\n");
		statements(level + 1, 2);
		printf("}\n");
		break;
	}
	case 6:
		printf("switch ((uint8_t)");
		value();
		printf(" & 7) {\n");
		for (int c = 0; c < 4; c++) {
			printf("case %d:\n", c * 2);
			statements(level + 1, 1);
			if (pick(4))
				printf("break;\n");
		}
		printf("default:\n");
		statements(level + 1, 1);
		printf("}\n");
		break;
	default:
		printf("{ struct s t = s; t.f%u += ", pick(5));
		value();
		printf("; s = t; }\n");
	}
}

static void statements(int level, int n)
{
	for (int i = 0; i < n; i++)
		statement(level);
}

int main(int argc, char **argv)
{
	state = argc > 1 ? strtoull(argv[1], NULL, 0) * 7919 + 1 : 1;
	for (int i = 0; i < 10; i++)
		pick(2);
	puts("#include \"sym.h\"\n#include <stdint.h>");
	puts("struct s { int8_t f0; uint32_t f1 : 13; int32_t f2 : 9; uint64_t f3; int16_t f4; };");
	puts("static struct s s = {1, 2, 3, 4, 5};");
	for (int i = 0; i < ARRAYS; i++)
		printf("static %s a%d[%d] = {%u, %u, %u};\n", types[pick(8)], i, array_size[i], pick(99), pick(99),
		       pick(99));
	for (int f = 0; f < FUNCTIONS; f++) {
		callable = f;
		printf("__attribute__((%s)) static %s f%d(%s v0, %s v1)\n{\n", pick(2) ? "noinline" : "unused",
		       types[pick(8)], f, types[pick(8)], types[pick(8)]);
		for (int i = 2; i < VARIABLES; i++)
			printf("%s v%d = (%s)(v0 + %d);\n", types[i % 8], i, types[i % 8], i);
		statements(2, 3);
		printf("return v%u;\n}\n", pick(VARIABLES));
	}
	callable = FUNCTIONS;
	puts("int main(void)\n{");
	puts("int32_t v0 = sym_input(0); int64_t v1 = sym_input_long(1);");
	for (int i = 2; i < VARIABLES; i++)
		printf("%s v%d = %u;\n", types[(i + 1) % 8], i, pick(100));
	statements(0, 12);
	for (int i = 0; i < VARIABLES; i++)
		printf("sym_output((long)v%d);\n", i);
	for (int i = 0; i < ARRAYS; i++)
		printf("sym_output((long)a%d[0]); sym_output((long)a%d[3]);\n", i, i);
	for (int i = 0; i < 5; i++)
		printf("sym_output((long)s.f%d);\n", i);
	puts("return 0;\n}");
	return 0;
}
