/*
 * What std::getline and others ask of a locale: its table of characters is filled when the first thread needs it, in a function of
 * libstdc++'s own and without a lock. Programs get that function here instead, as bitcode like their own code (src/cc/link.c), so that what it
 * writes are SAPs. Weak: a program that brings its own keeps it. In C, under the name that C++ gives it.
 *
 * The library's own code looks at that table as well (whoever prints a number does), and calls the program's function where it is empty. That
 * look is no SAP, so nothing could say which of several threads was the first. So the table that all streams begin with is filled before main.
 */
#include <stddef.h>
#include <string.h>

enum { CHARACTERS = 256, DO_WIDEN = 7 /* of a range, in the table of virtual functions */ };

struct ctype;
typedef const char *do_widen(const struct ctype *self, const char *from, const char *end, char *to);

/* std::ctype<char>, as libstdc++ lays it out; part of its ABI. */
struct ctype {
	do_widen *const *functions;
	int references;
	void *locale;
	_Bool owns_table;
	const int *to_upper, *to_lower;
	const unsigned short *table;
	char widen_ok; /* 1: every character is itself; 2: not so */
	char widen[CHARACTERS];
	char narrow[CHARACTERS];
	char narrow_ok;
};
_Static_assert(offsetof(struct ctype, widen_ok) == 56 && offsetof(struct ctype, narrow_ok) == 569, "libstdc++'s");

/* std::ctype<char>::_M_widen_init() const, of members that are mutable. */
void _ZNKSt5ctypeIcE13_M_widen_initEv(struct ctype *self);

__attribute__((weak)) void _ZNKSt5ctypeIcE13_M_widen_initEv(struct ctype *self)
{
	char all[CHARACTERS], wide[CHARACTERS];
	for (int i = 0; i < CHARACTERS; i++)
		all[i] = (char)i;
	self->functions[DO_WIDEN](self, all, all + CHARACTERS, wide);
	memcpy(self->widen, wide, CHARACTERS);
	self->widen_ok = memcmp(all, wide, CHARACTERS) ? 2 : 1;
}

/* std::locale::classic(), std::use_facet<std::ctype<char>>(). */
const void *_ZNSt6locale7classicEv(void);
struct ctype *_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(const void *locale);

__attribute__((constructor(101))) static void fill_classic(void)
{
	struct ctype *c = _ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale(_ZNSt6locale7classicEv());
	if (!c->widen_ok)
		_ZNKSt5ctypeIcE13_M_widen_initEv(c);
}
