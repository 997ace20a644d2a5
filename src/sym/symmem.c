#include "sym/symmem.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct symmem *symmem_new(struct expr_arena *exprs)
{
	struct symmem *m = xcalloc(1, sizeof *m);
	m->exprs = exprs;
	return m;
}

void symmem_free(struct symmem *m)
{
	for (size_t i = 0; m && i <= SYMMEM_FILTER; i++) {
		struct sympage *p = i < SYMMEM_FILTER ? m->buckets[i] : m->free;
		while (p) {
			struct sympage *next = p->next;
			free(p);
			p = next;
		}
	}
	free(m);
}

static size_t bucket(uint64_t number)
{
	return number % SYMMEM_FILTER;
}

static struct sympage *find(const struct symmem *m, uint64_t number)
{
	struct sympage *p = m->buckets[bucket(number)];
	while (p && p->number != number)
		p = p->next;
	return p;
}

static struct sympage *make(struct symmem *m, uint64_t number)
{
	struct sympage *p = find(m, number);
	if (p)
		return p;
	p = m->free;
	if (p)
		m->free = p->next;
	else
		p = xcalloc(1, sizeof *p);
	memset(p->e, 0, sizeof p->e);
	p->number = number;
	p->used = 0;
	p->next = m->buckets[bucket(number)];
	m->buckets[bucket(number)] = p;
	m->filter[bucket(number)]++;
	m->filter[bucket(number - 1)]++;
	m->npages++;
	p->later = m->all;
	p->earlier = &m->all;
	if (p->later)
		p->later->earlier = &p->later;
	m->all = p;
	return p;
}

static void drop(struct symmem *m, struct sympage *p)
{
	struct sympage **at = &m->buckets[bucket(p->number)];
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	m->filter[bucket(p->number)]--;
	m->filter[bucket(p->number - 1)]--;
	m->npages--;
	*p->earlier = p->later;
	if (p->later)
		p->later->earlier = p->earlier;
	p->next = m->free;
	m->free = p;
}

static void set_byte(struct symmem *m, uint64_t address, expr e, unsigned byte)
{
	uint64_t number = address / SYMMEM_PAGE;
	unsigned at = address % SYMMEM_PAGE;
	struct sympage *p = e ? make(m, number) : find(m, number);
	if (!p)
		return;
	p->used += (uint32_t)(e != EXPR_NONE) - (uint32_t)(p->e[at] != EXPR_NONE);
	p->e[at] = e;
	p->byte[at] = (uint8_t)byte;
	if (e)
		p->seen[at] = *(const uint8_t *)(uintptr_t)address;
	if (!p->used)
		drop(m, p);
}

/* Expression and byte number of one byte of memory. */
static expr get_byte(struct symmem *m, uint64_t address, unsigned *byte)
{
	struct sympage *p = find(m, address / SYMMEM_PAGE);
	unsigned at = address % SYMMEM_PAGE;
	if (!p || !p->e[at])
		return EXPR_NONE;
	if (p->seen[at] != *(const uint8_t *)(uintptr_t)address) {
		set_byte(m, address, EXPR_NONE, 0);
		return EXPR_NONE;
	}
	*byte = p->byte[at];
	return p->e[at];
}

static expr fold(const struct symmem *m, expr e)
{
	uint64_t v;
	return e && expr_is_const(m->exprs, e, &v) ? EXPR_NONE : e;
}

expr symmem_get(struct symmem *m, uint64_t address, unsigned size)
{
	expr e[8];
	unsigned byte[8] = {0};
	bool any = false;
	for (unsigned i = 0; i < size; i++) {
		e[i] = get_byte(m, address + i, &byte[i]);
		any |= e[i] != EXPR_NONE;
	}
	if (!any)
		return EXPR_NONE;
	/* Runs of bytes of one expression become one extract. */
	expr all = EXPR_NONE;
	for (unsigned i = 0; i < size;) {
		unsigned n = 1;
		expr piece;
		if (e[i]) {
			while (i + n < size && e[i + n] == e[i] && byte[i + n] == byte[i] + n)
				n++;
			piece = expr_extract(m->exprs, e[i], 8 * byte[i], 8 * n);
		} else {
			piece = expr_const(m->exprs, 8, *(const uint8_t *)(uintptr_t)(address + i));
		}
		all = all ? expr_concat(m->exprs, piece, all) : piece;
		i += n;
	}
	return fold(m, all);
}

void symmem_set(struct symmem *m, uint64_t address, unsigned size, expr e)
{
	if (!fold(m, e)) {
		symmem_clear(m, address, size);
		return;
	}
	unsigned width = expr_node(m->exprs, e)->width;
	if (width < 8 * size)
		e = expr_zext(m->exprs, e, 8 * size);
	for (unsigned i = 0; i < size; i++)
		set_byte(m, address + i, e, i);
}

void symmem_clear(struct symmem *m, uint64_t address, uint64_t size)
{
	uint64_t end = address + size;
	while (address < end && m->npages) {
		uint64_t stop = (address / SYMMEM_PAGE + 1) * SYMMEM_PAGE;
		stop = stop < end ? stop : end;
		struct sympage *p = find(m, address / SYMMEM_PAGE);
		for (; p && address < stop; address++) {
			unsigned at = address % SYMMEM_PAGE;
			p->used -= p->e[at] != EXPR_NONE;
			p->e[at] = EXPR_NONE;
		}
		if (p && !p->used)
			drop(m, p);
		address = stop;
	}
}

static void replace_in(struct symmem *m, struct sympage *p, expr (*f)(void *data, expr e), void *data)
{
	uint32_t left = p->used;
	for (unsigned i = 0; i < SYMMEM_PAGE && left; i++) {
		if (!p->e[i])
			continue;
		left--;
		p->e[i] = fold(m, f(data, p->e[i]));
		p->used -= !p->e[i];
	}
	if (!p->used)
		drop(m, p);
}

void symmem_replace(struct symmem *m, expr (*f)(void *data, expr e), void *data)
{
	for (struct sympage *p = m->all, *later; p; p = later) {
		later = p->later;
		replace_in(m, p, f, data);
	}
}

void symmem_move(struct symmem *m, uint64_t to, uint64_t from, uint64_t size)
{
	if (!m->npages || !size || to == from)
		return;
	/* Bytes have been moved already: what was seen at the source may be gone, so compare at the target. */
	bool down = to < from;
	for (uint64_t k = 0; k < size; k++) {
		uint64_t i = down ? k : size - 1 - k;
		struct sympage *p = find(m, (from + i) / SYMMEM_PAGE);
		unsigned at = (from + i) % SYMMEM_PAGE;
		expr e = p ? p->e[at] : EXPR_NONE;
		unsigned byte = e ? p->byte[at] : 0;
		if (e && p->seen[at] != *(const uint8_t *)(uintptr_t)(to + i))
			e = EXPR_NONE;
		set_byte(m, to + i, e, byte);
	}
}
