/*
 * Recorded inputs in replay mode: each thread's stream RT_STREAM_INPUT, read where it lies in the mapped log
 * (trace.h). The tool has checked the log before; this reader only refuses to leave the file.
 */
#include "replay/twin.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	const char *data;
	size_t size;
	const struct rt_chunk **inputs; /* chunks of inputs, by thread and seq */
	uint32_t ninputs;
	const struct rt_thread **threads; /* by number */
	uint32_t nthreads;
	bool ends_early;
} input_log;

/* Each chunk of the log in turn, or NULL. Offset starts at 0. */
static const struct rt_chunk *next_chunk(size_t *offset)
{
	size_t at = *offset ? *offset : RT_PAGE;
	if (at + sizeof(struct rt_chunk) > input_log.size)
		return NULL;
	const struct rt_chunk *c = (const struct rt_chunk *)(input_log.data + at);
	if (c->magic != RT_CHUNK_MAGIC || c->size < sizeof *c || c->size > input_log.size - at)
		return NULL;
	*offset = at + c->size;
	return c;
}

/* A window comes before its copy. */
static int compare_chunks(const void *pa, const void *pb)
{
	const struct rt_chunk *a = *(const struct rt_chunk *const *)pa, *b = *(const struct rt_chunk *const *)pb;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->window < b->window ? 1 : a->window > b->window ? -1 : 0;
}

/* Of two chunks with the same seq the first counts (trace.h, RT_CHUNK_COPIED). */
static void sort_chunks(void)
{
	uint32_t n = 0;
	qsort(input_log.inputs, input_log.ninputs, sizeof *input_log.inputs, compare_chunks);
	for (uint32_t i = 0; i < input_log.ninputs; i++) {
		const struct rt_chunk *c = input_log.inputs[i], *last = n ? input_log.inputs[n - 1] : NULL;
		if (!last || last->thread != c->thread || last->seq != c->seq)
			input_log.inputs[n++] = c;
	}
	input_log.ninputs = n;
}

static void index_chunks(void)
{
	size_t offset = 0;
	const struct rt_chunk *c;
	while ((c = next_chunk(&offset)))
		if (c->stream == RT_STREAM_INPUT && !(c->seq & RT_CHUNK_COPIED))
			input_log.inputs[input_log.ninputs++] = c;
		else if (c->stream == RT_STREAM_THREAD && c->thread < input_log.nthreads)
			input_log.threads[c->thread] = (const struct rt_thread *)(c + 1);
	if (input_log.ninputs)
		sort_chunks();
}

void input_log_open(const char *path)
{
	struct stat st;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) && st.st_size >= (off_t)RT_PAGE) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			input_log.data = p;
			input_log.size = (size_t)st.st_size;
		}
	}
	syscall(SYS_close, fd);
	const struct rt_log_header *h = (const struct rt_log_header *)input_log.data;
	if (!h || h->magic != RT_LOG_MAGIC)
		return;
	input_log.ends_early = (h->flags & (RT_LOG_FULL | RT_LOG_CAP)) != 0 || h->dropped;
	input_log.nthreads = h->nthreads;
	words_start(h->load_address);
	if (h->freed_mark)
		placed_mark = h->freed_mark;
	input_log.threads = twin_pages((h->nthreads + 1) * sizeof *input_log.threads);
	input_log.inputs = twin_pages((input_log.size / RT_PAGE + 1) * sizeof *input_log.inputs);
	if (input_log.threads && input_log.inputs)
		index_chunks();
}

bool input_log_is_open(void)
{
	return input_log.data != NULL;
}

/* Number in the log of the thread with this name, or -1. */
static int64_t find_thread(const char *name)
{
	int64_t at = 0;
	while ((name = strchr(name, ':'))) {
		uint32_t child = (uint32_t)strtoul(++name, NULL, 10), i = 1;
		while (i < input_log.nthreads && (!input_log.threads[i] || input_log.threads[i]->parent != at ||
						  input_log.threads[i]->child != child))
			i++;
		if (i >= input_log.nthreads)
			return -1;
		at = i;
	}
	return at;
}

/* The first record of the thread's next chunk from index `from` on. */
static void to_chunk(struct input_cursor *c, int64_t thread, uint32_t from)
{
	c->at = NULL;
	while (from < input_log.ninputs && input_log.inputs[from]->thread != thread)
		from++;
	if (from == input_log.ninputs)
		return;
	c->chunk = from;
	c->at = (const struct rt_input *)(input_log.inputs[from] + 1);
}

static const char *chunk_end(const struct input_cursor *c)
{
	return (const char *)input_log.inputs[c->chunk] + input_log.inputs[c->chunk]->size;
}

/* A record that is there. */
static bool is_record(const struct input_cursor *c)
{
	size_t left = (size_t)(chunk_end(c) - (const char *)c->at);
	return left >= 8 && c->at->size >= 8 && c->at->size <= left && !(c->at->size % 8);
}

/* Over fillers and ends of chunks. */
static void settle_chunks(struct input_cursor *c)
{
	while (c->at && ((const char *)c->at == chunk_end(c) || (is_record(c) && !c->at->function)))
		to_chunk(c, input_log.inputs[c->chunk]->thread, c->chunk + 1);
	if (c->at && (!is_record(c) || c->at->size < sizeof *c->at))
		c->at = NULL;
}

/* The next entry of c->packed; false when there is none. The record before stays as it is. */
static bool unpack(struct input_cursor *c)
{
	const uint8_t *begin = (const uint8_t *)(c->packed + 1);
	const uint64_t room = c->packed->size - sizeof *c->packed;
	const uint8_t *end = begin + (c->packed->result < room ? c->packed->result : room);
	uint32_t size;
	if (!c->unpacked && !(c->unpacked = twin_pages(2 * RT_PACKED_ROOM)))
		return false;
	struct rt_input *to = (struct rt_input *)(c->unpacked + (c->other ? RT_PACKED_ROOM : 0));
	c->packed_at = c->packed_at < end ? rt_packed_next(&c->state, c->packed_at, end, to, &size) : NULL;
	if (!c->packed_at)
		return false;
	c->at = to;
	c->other = !c->other;
	return true;
}

/* At a record that is one, or at none. */
static void settle(struct input_cursor *c)
{
	settle_chunks(c);
	while (c->at && c->at->function == RT_INPUT_PACKED) {
		c->packed = c->at;
		c->packed_at = (const uint8_t *)(c->packed + 1);
		c->state = (struct rt_packed_state){ 0 };
		if (unpack(c))
			return;
		c->at = (const struct rt_input *)((const char *)c->packed + c->packed->size);
		c->packed = NULL;
		settle_chunks(c);
	}
}

static void advance(struct input_cursor *c)
{
	if (c->packed && unpack(c))
		return;
	const struct rt_input *over = c->packed ? c->packed : c->at;
	c->packed = NULL;
	c->at = (const struct rt_input *)((const char *)over + over->size);
	settle(c);
}

/* False: the log has no such thread. */
static bool begin(struct twin_thread *t)
{
	struct input_cursor *c = &t->input;
	if (c->started)
		return true;
	c->started = true;
	int64_t number = find_thread(t->name);
	if (number >= 0)
		to_chunk(c, number, 0);
	settle(c);
	return number >= 0;
}

const void *input_log_signal(struct twin_thread *t, int *signal)
{
	bool lost;
	if (!input_log.data)
		return NULL;
	begin(t);
	if (!t->input.at || t->input.at->function != RT_INPUT_SIGNAL)
		return NULL;
	const struct rt_input *r = input_log_next(t, &lost);
	*signal = (int)r->result;
	/* Behind the time stamp and struct rt_signal, each with its length, and a length of its own. */
	const char *info = (const char *)(r + 1) + 2 * sizeof(uint64_t) + sizeof(uint64_t) + sizeof(struct rt_signal) + sizeof(uint64_t);
	return info + sizeof(siginfo_t) <= (const char *)r + r->size ? info : NULL;
}

void input_log_cancelled(struct twin_thread *t)
{
	bool lost;
	if (!input_log.data)
		return;
	begin(t);
	if (t->input.at && t->input.at->error == RT_INPUT_CANCELLED)
		input_log_next(t, &lost);
}

/* The failure, where it is a signal to this thread, which has no input left. */
static const struct rt_failure *ends_by_signal(struct twin_thread *t)
{
	const struct rt_log_header *h = (const struct rt_log_header *)input_log.data;
	if (!h || !begin(t) || t->input.at || h->failure.kind != RT_FAIL_SIGNAL)
		return NULL;
	return find_thread(t->name) == h->failure.thread ? &h->failure : NULL;
}

int input_log_killed(struct twin_thread *t)
{
	const struct rt_failure *f = ends_by_signal(t);
	return f && (f->signal == SIGPIPE || f->signal == SIGXFSZ) ? f->signal : 0;
}

bool input_log_faulted(struct twin_thread *t)
{
	const struct rt_failure *f = ends_by_signal(t);
	bool fault = f && (f->signal == SIGSEGV || f->signal == SIGBUS || f->signal == SIGFPE || f->signal == SIGILL || f->signal == SIGABRT);
	return fault && f->nframes && !f->frames[0];
}

const struct rt_input *input_log_next(struct twin_thread *t, bool *lost)
{
	struct input_cursor *c = &t->input;
	*lost = !input_log.data || input_log.ends_early;
	*lost |= !begin(t);
	const struct rt_input *record = c->at;
	if (record)
		advance(c);
	return record;
}
