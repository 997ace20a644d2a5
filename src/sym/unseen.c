/*
 * Racy memory that a function of a library changed although no table says so: the width of a stream, which inline functions of the program set and ask for,
 * and `operator<<` in the library sets back. Of each place that races it is kept what it held when the program last accessed it. If a read finds something
 * else there, and a library was called in between, what is known of that memory is not all, and nothing is proven.
 */
#include "sym/engine.h"

#include <stdlib.h>

struct place {
	uint64_t granule; /* of 8 bytes, + 1; 0: free */
	uint8_t bytes[8];
	uint8_t known;    /* bit for each byte */
	uint64_t calls;   /* of libraries, until then */
};

static struct {
	struct place *at; /* open addressing */
	size_t n, slots;
	uint64_t calls;
} places;

static struct place *place_of(uint64_t granule)
{
	size_t i = (size_t)(granule * 0x9e3779b97f4a7c15ull >> 24) & (places.slots - 1);
	while (places.at[i].granule && places.at[i].granule != granule + 1)
		i = (i + 1) & (places.slots - 1);
	return &places.at[i];
}

static struct place *place_make(uint64_t granule)
{
	if (2 * (places.n + 1) > places.slots) {
		struct place *old = places.at;
		size_t n = places.slots;
		places.slots = n ? 2 * n : 1024;
		places.at = xcalloc(places.slots, sizeof *places.at);
		for (size_t i = 0; i < n; i++)
			if (old[i].granule)
				*place_of(old[i].granule - 1) = old[i];
		free(old);
	}
	struct place *p = place_of(granule);
	places.n += !p->granule;
	p->granule = granule + 1;
	return p;
}

void unseen_call(void)
{
	places.calls++;
}

/* Accesses that race are in pieces that are within 8 bytes. */
void unseen_note(uint64_t address, unsigned size, uint64_t value)
{
	struct place *p = place_make(address / 8);
	unsigned from = address % 8;
	for (unsigned i = 0; i < size && from + i < 8; i++) {
		p->bytes[from + i] = (uint8_t)(value >> 8 * i);
		p->known |= (uint8_t)(1u << (from + i));
	}
	p->calls = places.calls;
}

void unseen_read(uint64_t address, unsigned size, uint64_t value)
{
	const struct place *p = places.slots ? place_of(address / 8) : NULL;
	unsigned from = address % 8;
	bool called = p && p->granule && p->calls != places.calls;
	for (unsigned i = 0; called && i < size && from + i < 8; i++)
		engine.unseen += (p->known >> (from + i) & 1) && p->bytes[from + i] != (uint8_t)(value >> 8 * i);
	unseen_note(address, size, value);
}
