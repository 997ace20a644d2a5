/* Fuzz target: the twin's own reader of schedules, which runs inside the target's process. */
#include "../../src/replay/schedule.c"

#include <sys/mman.h>

static struct rt_report report;
struct rt_report *twin_report = &report;

/* Pages of one reading, for the sanitizer to watch; freed after it. */
static void *pages[64];
static unsigned npages;

void *twin_pages(size_t size)
{
	return npages < sizeof pages / sizeof *pages ? pages[npages++] = calloc(1, size) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], message[RT_MESSAGE_SIZE];
	int fd = memfd_create("schedule", 0);
	plans = NULL;
	waits = NULL;
	nplans = plans_cap = nwaits = 0;
	memory = TWIN_SC;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size && schedule_load(path, message, sizeof message))
		for (uint32_t i = 0; i < nplans; i++)
			for (uint32_t k = 0; k < plans[i].npoints; k++) {
				const struct point *p = &plans[i].points[k];
				if (schedule_point(&plans[i], p->sap) != p)
					abort();
				for (uint32_t w = 0; w < p->waits + p->delays; w++)
					if (!schedule_wait(p->first_wait + w)->thread)
						abort();
			}
	close(fd);
	while (npages)
		free(pages[--npages]);
	return 0;
}
