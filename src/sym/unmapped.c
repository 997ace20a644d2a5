/*
 * Memory that the program gives back to the system (munmap) while others may still use it. Who used it afterwards died of that, unless
 * something else had been mapped there. So whoever used a page, and went on, did so before it was unmapped, and the access at
 * which the recorded run ended came after that: known orders, which clocks learn nothing from. The executor, which may run the threads
 * in another order, keeps the memory until the program maps something in its place.
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEPT_AT_MOST (1ull << 30) /* bytes in all; what is unmapped then is gone at once, and nothing is known of it */

/* A thread's step. */
struct step {
	struct ethread *thread;
	uint64_t sap;
	uint32_t site; /* in engine.sites */
	uint32_t time; /* the thread's own */
};

/* A page, and each thread's last use of it. */
struct page {
	uint64_t number; /* 0: a free slot */
	uint32_t raw;    /* the site of the last use of all, as the program numbers it */
	vec(struct step) uses;
};

struct unmapping {
	struct range range;
	struct step by;
	bool sure; /* the recorded run is known to have come as far */
	struct vclock clock;
	struct step mapped; /* what took its place; .thread NULL: nothing yet */
};

static struct {
	bool may; /* the program calls munmap, and what is followed here is of use */
	struct page *pages; /* open addressing */
	size_t slots, npages;
	vec(struct unmapping) all;
	uint64_t kept;
	struct ethread *failed; /* at an access to this place, which is that event */
	uint64_t place;
	struct event_ref event;
} unmapped;

/* Where the program's mappings lie in the twin: above its heap. */
static bool may_be_mapped(uint64_t address)
{
	return address >= RT_MIRROR + RT_MIRROR_SIZE;
}

static bool is_within(const struct range *r, uint64_t address)
{
	return address - r->address < r->size;
}

/* ---- pages ---- */

static struct page *slot_of(uint64_t number)
{
	size_t i = (size_t)(number * 0x9e3779b97f4a7c15ull >> 24) & (unmapped.slots - 1);
	while (unmapped.pages[i].number && unmapped.pages[i].number != number)
		i = (i + 1) & (unmapped.slots - 1);
	return &unmapped.pages[i];
}

static void grow_pages(void)
{
	struct page *old = unmapped.pages;
	size_t n = unmapped.slots;
	unmapped.slots = n ? 2 * n : 256;
	unmapped.pages = xcalloc(unmapped.slots, sizeof *unmapped.pages);
	for (size_t i = 0; i < n; i++)
		if (old[i].number)
			*slot_of(old[i].number) = old[i];
	free(old);
}

static struct page *page_make(uint64_t number)
{
	static struct page *last;
	static uint64_t last_number;
	if (last_number == number)
		return last;
	if (2 * (unmapped.npages + 1) > unmapped.slots)
		grow_pages();
	last = slot_of(number);
	unmapped.npages += !last->number;
	last->number = last_number = number;
	return last;
}

static struct page *page_find(uint64_t number)
{
	struct page *p = unmapped.slots ? slot_of(number) : NULL;
	return p && p->number ? p : NULL;
}

static uint32_t own_time(const struct ethread *t)
{
	return vclock_of(&t->clock, t->number);
}

static void note_use(struct ethread *self, uint32_t site, uint64_t address)
{
	struct page *p = page_make(address / RT_PAGE);
	size_t i = 0;
	while (i < p->uses.n && p->uses.at[i].thread != self)
		i++;
	if (i == p->uses.n)
		*vec_push(&p->uses) = (struct step){ 0 };
	struct step *use = &p->uses.at[i];
	if (!use->thread || p->raw != site)
		use->site = site_describe(self, site, "access");
	p->raw = site;
	use->thread = self;
	use->sap = self->saps;
	use->time = own_time(self);
}

/* ---- what the threads do ---- */

void unmapped_load(void)
{
	for (uint32_t i = 0; i < engine.config->module->nsymbols && !unmapped.may; i++)
		unmapped.may = !strcmp(interp_symbol_name(engine.interp, i), "munmap");
	unmapped.may &= !ties_on() && !engine.free;
}

/* Is that the place at which the recorded run ended? Mappings lie where they did, as far as the lower half of an address goes. */
static bool is_where_it_ended(const struct ethread *self, uint64_t address, uint64_t size)
{
	const struct rt_failure *f = &engine.trace->failure;
	if ((uint32_t)f->address - (uint32_t)address >= size || f->kind != RT_FAIL_SIGNAL || (f->signal != SIGSEGV && f->signal != SIGBUS))
		return false;
	return may_be_mapped(f->address) && f->address != RT_NO_ADDRESS && engine_log_used_up(self) && engine_is_failing(self, true) &&
	       guess_is_where_it_failed(self);
}

void unmapped_access(struct ethread *self, uint32_t site, uint64_t address, unsigned size)
{
	if (!unmapped.may || !may_be_mapped(address) || !site)
		return;
	if (is_where_it_ended(self, address, size)) {
		event_add(self, EVENT_CALL, 0, site_describe(self, site, "access"));
		unmapped.failed = self;
		unmapped.place = address + ((uint32_t)engine.trace->failure.address - (uint32_t)address);
		unmapped.event = event_last(self);
		engine_faults(self, true);
	}
	/* What comes after the end of its log may not have happened. */
	if (!engine_log_used_up(self) || engine_is_failing(self, true))
		note_use(self, site, address);
}

bool unmapped_call(struct ethread *self, const struct native_call *c)
{
	if (c->nin < 2 || !unmapped.may)
		return false;
	uint64_t at = c->in[0].v, size = (c->in[1].v + RT_PAGE - 1) & ~(uint64_t)(RT_PAGE - 1);
	if (at % RT_PAGE || !size || !may_be_mapped(at) || size > KEPT_AT_MOST - unmapped.kept)
		return false;
	struct unmapping *u = vec_push(&unmapped.all);
	*u = (struct unmapping){
		.range = { at, size },
		.by = { self, self->saps, site_describe(self, c->site, "munmap"), own_time(self) },
		.sure = !engine_log_used_up(self),
	};
	vclock_set(&u->clock, &self->clock);
	unmapped.kept += size;
	return true;
}

void unmapped_mapped(struct ethread *self, uint64_t recorded)
{
	for (size_t i = 0; i < unmapped.all.n; i++) {
		struct unmapping *u = &unmapped.all.at[i];
		if (u->mapped.thread || !is_within(&u->range, recorded))
			continue;
		munmap((void *)(uintptr_t)u->range.address, u->range.size);
		unmapped.kept -= u->range.size;
		u->mapped = (struct step){ self, self->saps, place_describe(self, "mmap"), own_time(self) };
		for (uint64_t n = u->range.address / RT_PAGE; n < (u->range.address + u->range.size) / RT_PAGE; n++) {
			struct page *p = page_find(n);
			if (p)
				p->uses.n = 0;
		}
	}
}

/* ---- at the end ---- */

static struct event_ref event_of(const struct step *s)
{
	return event_add_late(s->thread, EVENT_CALL, 0, s->sap, s->site);
}

/* By thread: the last use of any of the pages. */
static void last_uses(const struct range *r, struct step *last)
{
	for (uint64_t n = r->address / RT_PAGE; n < (r->address + r->size) / RT_PAGE; n++) {
		const struct page *p = page_find(n);
		for (size_t i = 0; p && i < p->uses.n; i++) {
			struct step *l = &last[p->uses.at[i].thread->number];
			if (!l->thread || l->sap < p->uses.at[i].sap)
				*l = p->uses.at[i];
		}
	}
}

static void come_before(const struct unmapping *u, struct step *last)
{
	memset(last, 0, engine.threads.n * sizeof *last);
	last_uses(&u->range, last);
	bool is_event = false;
	struct event_ref event = { 0 };
	for (uint32_t i = 0; i < engine.threads.n; i++) {
		if (!last[i].thread || last[i].thread == u->by.thread || last[i].time <= vclock_of(&u->clock, i))
			continue;
		if (!is_event)
			event = event_of(&u->by);
		is_event = true;
		order_add(event_of(&last[i]), event);
	}
}

/* The failure came after the last time that the place was unmapped, and before anything else was mapped there. */
static void come_after(void)
{
	const struct unmapping *last = NULL;
	for (size_t i = 0; i < unmapped.all.n; i++)
		if (is_within(&unmapped.all.at[i].range, unmapped.place))
			last = &unmapped.all.at[i];
	if (last && last->by.thread != unmapped.failed)
		order_add(event_of(&last->by), unmapped.event);
	if (last && last->mapped.thread && last->mapped.thread != unmapped.failed)
		order_add(unmapped.event, event_of(&last->mapped));
}

void unmapped_finish(void)
{
	struct step *last = xcalloc(engine.threads.n + 1, sizeof *last);
	for (size_t i = 0; i < unmapped.all.n; i++)
		if (unmapped.all.at[i].sure && !unmapped.all.at[i].mapped.thread)
			come_before(&unmapped.all.at[i], last);
	free(last);
	if (unmapped.failed)
		come_after();
}
