/* What was recorded, as the conductor follows it. */
#include "replay/conductor.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct rt_sketch *sketch;

bool sketch_open(const char *path)
{
	struct stat st;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) && st.st_size >= (off_t)sizeof *sketch) {
		long p = syscall(SYS_mmap, NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0L);
		sketch = p == -1 ? NULL : (const struct rt_sketch *)p;
	}
	syscall(SYS_close, fd);
	return sketch && sketch->magic == RT_SKETCH_MAGIC;
}

bool sketch_has(enum rt_sketch_flag flag)
{
	return sketch->flags & flag;
}

static const void *at(uint64_t offset)
{
	return (const char *)sketch + offset;
}

void sketch_follow(struct follower *f, const char *name)
{
	const struct rt_sketch_thread *threads = (const struct rt_sketch_thread *)(sketch + 1);
	for (uint32_t i = 0; i < sketch->nthreads; i++)
		if (!strcmp(threads[i].name, name))
			f->log = &threads[i];
}

bool sketch_knows(const char *name)
{
	struct follower f = { 0 };
	sketch_follow(&f, name);
	return f.log && f.log->start_time;
}

bool sketch_fails(const struct follower *f)
{
	const struct rt_sketch_thread *threads = (const struct rt_sketch_thread *)(sketch + 1);
	return f->log && sketch->failing < sketch->nthreads && f->log == &threads[sketch->failing];
}

/* ---- paths ---- */

static unsigned recorded_bit(const struct follower *f, uint64_t i)
{
	const uint64_t *path = at(f->log->path);
	return path[i / 64] >> (63 - i % 64) & 1;
}

/* Who faults may have gone silent ways since its last branch that is in the log (src/instrument/silent.c). */
static bool may_be_silent(const struct follower *f, uint64_t at, unsigned bit)
{
	return bit && at - f->log->nbits < RT_SILENT_MOST && sketch_fails(f);
}

enum sketch_place sketch_path(const struct follower *f, const uint8_t *bits, unsigned n)
{
	if (f->off || !f->log || !sketch_has(RT_SKETCH_PATH))
		return SKETCH_ON;
	for (unsigned i = 0; i < n; i++) {
		if (f->bits + i >= f->log->nbits) {
			if (may_be_silent(f, f->bits + i, bits[i]))
				continue;
			return SKETCH_BEYOND;
		}
		if (recorded_bit(f, f->bits + i) != bits[i])
			return SKETCH_OFF;
	}
	return SKETCH_ON;
}

uint64_t sketch_matched(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		const struct actor *a = actor_at(i);
		if (a)
			sum += a->follower.bits + (a->seen && a->state != ACTOR_ENDED ? (uint64_t)(rt_tray_here(a->seen) - a->seen) : 0);
	}
	return sum;
}

/* ---- synchronization, time ---- */

const struct rt_sync *sketch_step(struct follower *f)
{
	if (!f->log || !sketch_has(RT_SKETCH_SYNC))
		return NULL;
	const struct rt_sync *s = at(f->log->sync);
	while (f->next_sync < f->log->nsync && s[f->next_sync].op <= f->ops)
		f->next_sync++;
	return f->next_sync < f->log->nsync && s[f->next_sync].op == f->ops + 1 ? &s[f->next_sync] : NULL;
}

uint64_t sketch_time(struct follower *f)
{
	if (f->off || !f->log || !sketch_has(RT_SKETCH_TIME))
		return UINT64_MAX;
	sketch_step(f);
	const struct rt_sync *s = at(f->log->sync);
	const struct rt_time *t = at(f->log->times);
	while (f->next_time < f->log->ntimes && t[f->next_time].bits <= f->bits)
		f->next_time++;
	uint64_t next = f->log->end_time ? f->log->end_time : UINT64_MAX;
	if (f->next_time < f->log->ntimes && t[f->next_time].time < next)
		next = t[f->next_time].time;
	if (f->next_sync < f->log->nsync && s[f->next_sync].time && s[f->next_sync].time < next)
		next = s[f->next_sync].time;
	return next;
}
