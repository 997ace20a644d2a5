/*
 * Fuzz target: both readers of schedules. What the tool's accepts it writes in a form that it reads back alike, and the
 * twin's, which is included here with its state, accepts too.
 */
#include "model/schedule.h"

/* Two modules use these names. */
#define schedule_point twin_schedule_point
#define wait twin_wait
#include "replay/schedule.c"
#undef schedule_point
#undef wait

static struct rt_report report;
struct rt_report *twin_report = &report;

static void *pages[64];
static size_t npages;

void *twin_pages(size_t size)
{
	return npages < 64 ? pages[npages++] = calloc(1, size) : NULL;
}

static void put(const char *path, const void *data, size_t size)
{
	struct error err;
	if (!write_file(path, data, size, &err))
		abort();
}

static bool twin_reads(const char *path)
{
	char message[RT_MESSAGE_SIZE];
	plans = NULL;
	waits = NULL;
	nplans = plans_cap = nwaits = 0;
	memory = TWIN_SC;
	bool ok = schedule_load(path, message, sizeof message);
	while (npages)
		free(pages[--npages]);
	return ok;
}

static void same(const struct schedule *a, const struct schedule *b)
{
	if (a->waits.n != b->waits.n || a->delays.n != b->delays.n || a->stops.n != b->stops.n ||
	    a->results.n != b->results.n || a->fails.n != b->fails.n || a->model != b->model ||
	    strcmp(a->module, b->module))
		abort();
	for (size_t i = 0; i < a->waits.n; i++)
		if (a->waits.at[i].sap != b->waits.at[i].sap || strcmp(a->waits.at[i].site, b->waits.at[i].site) ||
		    strcmp(a->waits.at[i].other, b->waits.at[i].other))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[64], again[64];
	struct schedule s, back;
	struct error err;
	snprintf(name, sizeof name, "schedule.%d", (int)getpid());
	snprintf(again, sizeof again, "schedule.%d.again", (int)getpid());
	put(name, data, size);
	twin_reads(name);
	if (schedule_read(&s, name, &err)) {
		schedule_check(&s, &(struct error){{0}});
		if (!schedule_write(&s, again, &err) || !schedule_read(&back, again, &err))
			abort();
		same(&s, &back);
		bool delays = s.delays.n && s.model == MEMORY_SC;
		bool zero = false; /* `fail T 0`: before the first SAP; nothing for the twin to do */
		for (size_t i = 0; i < s.fails.n; i++)
			zero |= !s.fails.at[i].sap;
		if (!delays && !zero && !twin_reads(again))
			abort();
		schedule_release(&s);
		schedule_release(&back);
		unlink(again);
	}
	unlink(name);
	return 0;
}
