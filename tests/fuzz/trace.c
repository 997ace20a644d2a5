/*
 * Fuzz target of the trace reader. An input that begins like a log is a log. Any other is a short
 * form of one, so that mutations reach beyond the first checks: HEADER bytes for the header after
 * its magic, version and ABI, then pieces of a chunk header and PAYLOAD bytes, each of which
 * becomes a page with a valid magic and size. tests/fuzz/run.sh replays the saved corpus;
 * FUZZ_SECONDS=60 tests/fuzz/run.sh fuzzes first.
 */
#include "trace/trace.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 96, PAYLOAD = 128, PIECE = sizeof(struct rt_chunk) + PAYLOAD };

static char dir[64];

static void remove_dir(void)
{
	struct error err;

	remove_tree(dir, &err);
}

static void prepare(void)
{
	if (*dir)
		return;
	strcpy(dir, "/dev/shm/rethread-fuzz-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
}

/* Malloc'ed log from the short form. */
static uint8_t *expand(const uint8_t *data, size_t size, size_t *length)
{
	size_t header = size < HEADER ? size : HEADER;
	size_t pieces = (size - header) / PIECE;
	uint8_t *log = xcalloc(pieces + 1, RT_PAGE);
	struct rt_log_header *h = (struct rt_log_header *)log;

	memcpy(log + offsetof(struct rt_log_header, scheme), data, header);
	h->magic = RT_LOG_MAGIC;
	h->version = RT_TRACE_VERSION;
	h->abi = RT_ABI;
	for (size_t i = 0; i < pieces; i++) {
		struct rt_chunk *c = (struct rt_chunk *)(log + (i + 1) * RT_PAGE);

		memcpy(c, data + header + i * PIECE, PIECE);
		c->magic = RT_CHUNK_MAGIC;
		c->size = RT_PAGE;
	}
	*length = (pieces + 1) * RT_PAGE;
	return log;
}

static bool write_log(const char *path, const uint8_t *data, size_t size, struct error *err)
{
	const uint64_t magic = RT_LOG_MAGIC;
	size_t length;
	uint8_t *log;
	bool ok;

	if (size >= sizeof magic && !memcmp(data, &magic, sizeof magic))
		return write_file(path, data, size, err);
	log = expand(data, size, &length);
	ok = write_file(path, log, length, err);
	free(log);
	return ok;
}

enum { MOST_BITS = 1 << 20 };

/* All bytes of all inputs. */
static void use_inputs(const struct trace_thread *t)
{
	uint64_t size, time;
	volatile unsigned sum = 0;

	for (size_t i = 0; i < t->ninputs; i++) {
		sum += trace_input_name(t->inputs[i])[0];
		sum += trace_input_time(t->inputs[i], &time);
		for (const uint8_t *at = NULL; (at = trace_input_piece(t->inputs[i], at, &size));)
			for (uint64_t k = 0; k < size; k++)
				sum += at[k];
	}
}

/* A few damaged bytes can mean very many values, too. */
static void use_values(const struct trace_values *v)
{
	volatile uint32_t sum = 0;

	for (uint64_t i = 0; i < v->n && i < MOST_BITS; i++)
		sum += trace_values_at(v, i);
	for (uint64_t back = 1; back < 64 && back < v->n; back++) {
		uint64_t same = trace_values_repeat(v, back, back, UINT64_MAX);

		if (same > v->n - back || (same < v->n - back && trace_values_at(v, back + same) == trace_values_at(v, same)))
			abort();
	}
}

static void use(const struct trace *t)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < t->nthreads; i++) {
		struct path_reader r;

		path_reader_init(&r, t->threads[i].path, t->threads[i].npath);
		/* A few damaged bytes can mean very many branches: not all of them are read. */
		while (bits < MOST_BITS && path_reader_bits(&r, 1) >= 0)
			bits++;
		if ((bits < MOST_BITS && bits != t->threads[i].nbits) || !trace_thread_named(t, t->threads[i].name))
			abort();
		bits = 0;
		use_inputs(&t->threads[i]);
		use_values(&t->threads[i].values);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {""};
	char *path;
	struct trace *t;

	prepare();
	path = xasprintf("%s/log.1", dir);
	if (!write_log(path, data, size, &err))
		abort();
	t = trace_open(dir, &err);
	if (t)
		use(t);
	else if (!*err.text)
		abort();
	trace_free(t);
	free(path);
	return 0;
}
