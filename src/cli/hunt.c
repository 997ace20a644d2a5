#include "cli/hunt.h"

#include <string.h>
#include <unistd.h>

static char *file(const char *dir, const char *name)
{
	return xasprintf("%s/%s", dir, name);
}

/* Priorities with few changes, delays at racy sites, both, and chance alone take turns. */
static void choose(struct rt_attempt *a, unsigned long number)
{
	static const struct {
		uint32_t policy, changes, delays;
	} kinds[] = {
		{ RT_POLICY_PCT, 2, 0 }, { RT_POLICY_PCT, 0, 4 }, { RT_POLICY_RANDOM, 0, 0 },
		{ RT_POLICY_PCT, 3, 16 }, { RT_POLICY_PCT, 1, 2 }, { RT_POLICY_RANDOM, 0, 8 },
	};
	size_t k = number % (sizeof kinds / sizeof *kinds);
	a->policy = kinds[k].policy;
	a->changes = kinds[k].changes;
	a->delays = kinds[k].delays;
}

bool hunt_prepare(const struct hunt *h, const char *dir, unsigned long number, struct error *err)
{
	struct rt_sketch nothing = { .magic = RT_SKETCH_MAGIC, .failing = UINT32_MAX };
	struct rt_attempt *a = xcalloc(1, sizeof *a);
	char *sketch = file(dir, "sketch"), *attempt = file(dir, RT_ATTEMPT_FILE);
	a->magic = RT_ATTEMPT_MAGIC;
	a->seed = h->seed * 1000003 + number;
	a->length = h->length;
	a->most = UINT64_MAX;
	memcpy(a->racy, h->racy, sizeof a->racy);
	choose(a, number);
	bool ok = write_file(sketch, &nothing, sizeof nothing, err) && write_file(attempt, a, sizeof *a, err);
	free(sketch);
	free(attempt);
	free(a);
	return ok;
}

void hunt_finish(struct hunt *h, const char *dir, bool failed)
{
	char *sketch = file(dir, "sketch"), *attempt = file(dir, RT_ATTEMPT_FILE), *data = NULL;
	size_t size = 0;
	if (read_file(attempt, &data, &size, NULL) && size == sizeof(struct rt_attempt)) {
		const struct rt_attempt *a = (const struct rt_attempt *)data;
		if (a->steps > h->length)
			h->length = a->steps;
		for (uint64_t i = 0; i < a->nraces && i < RT_RACES; i++)
			for (int k = 0; k < 2; k++) {
				uint32_t site = k ? a->races[i].other_site : a->races[i].site;
				if (site < RT_RACY_SITES)
					h->racy[site / 8] |= (uint8_t)(1u << site % 8);
			}
	}
	unlink(sketch);
	if (!failed)
		unlink(attempt);
	free(data);
	free(sketch);
	free(attempt);
}
