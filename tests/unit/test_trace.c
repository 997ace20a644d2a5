/* Logs made by hand: what the reader takes, what it leaves out, and what it refuses, with the sentence it says. */
#include "trace/trace.h"

#include <rethread/instrument.h>
#include <rethread/packed.h>
#include <rethread/sync.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The file under construction. */
static char file[1 << 16];
static size_t size;

static struct rt_log_header *header(void)
{
	return (struct rt_log_header *)file;
}

static void *chunk(uint32_t thread, uint32_t stream, uint64_t seq, const void *payload, size_t n)
{
	struct rt_chunk *c = (struct rt_chunk *)(file + size);
	*c = (struct rt_chunk){ .magic = RT_CHUNK_MAGIC, .size = (uint32_t)(sizeof *c + ((n + 63) & ~63ull)), .thread = thread,
				.stream = stream, .seq = seq };
	memcpy(c + 1, payload, n);
	size += c->size;
	return c + 1;
}

static struct rt_thread *thread(uint32_t number, uint32_t parent, uint32_t child)
{
	struct rt_thread t = { .number = number, .parent = parent, .child = child };
	return chunk(number, RT_STREAM_THREAD, 0, &t, sizeof t);
}

/* An empty log of two threads, of a run that ended as it should. */
static void begin(void)
{
	memset(file, 0, sizeof file);
	size = RT_PAGE;
	*header() = (struct rt_log_header){ .magic = RT_LOG_MAGIC, .version = RT_TRACE_VERSION, .abi = RT_ABI,
					    .scheme = RT_SCHEME_PATH_SYNC, .flags = RT_LOG_ENDED, .pid = 1 };
	thread(0, 0, 1);
	thread(1, 0, 1);
}

enum { NO_TRAY = -1 };

static struct rt_thread *record_of(uint32_t number)
{
	struct rt_chunk *c = (struct rt_chunk *)(file + RT_PAGE);
	while (c->thread != number)
		c = (struct rt_chunk *)((char *)c + c->size);
	return (struct rt_thread *)(c + 1);
}

/* So many words of a thread's path are complete, and so many bytes of its tray among them. Before chunks that are not threads'. */
static void path_words(uint32_t number, uint64_t words, int packed)
{
	record_of(number)->path_state = RT_PATH_STATE(words, packed);
}

static void value_state(uint32_t number, uint64_t values, int packed)
{
	record_of(number)->value_state = RT_PATH_STATE(values, packed);
}

static void sync_entries(uint32_t thread, uint64_t seq, const struct rt_sync *entries, size_t n, size_t room)
{
	uint8_t bytes[512] = { 0 }, *at = bytes;
	struct rt_sync_state state = { 0 };
	for (size_t i = 0; i < n; i++) {
		uint8_t head, *entry = at;
		at += rt_sync_pack(&state, &entries[i], 0, entry, &head);
		*entry = head;
	}
	chunk(thread, RT_STREAM_SYNC, seq, bytes, room);
}

/* The trace, or NULL and the sentence in *err. */
static struct trace *read_it(struct error *err)
{
	char dir[] = "/tmp/test_trace.XXXXXX";
	assert_non_null(mkdtemp(dir));
	char *path = xasprintf("%s/log.1", dir);
	header()->size = size;
	assert_true(write_file(path, file, size, err));
	struct trace *t = trace_open(dir, err);
	unlink(path);
	rmdir(dir);
	free(path);
	return t;
}

static void refused(const char *why)
{
	struct error err = { { 0 } };
	struct trace *t = read_it(&err);
	if (t || !strstr(err.text, why))
		fail_msg("not refused for \"%s\": %s", why, t ? "taken" : err.text);
}

static struct trace *taken(void)
{
	struct error err = { { 0 } };
	struct trace *t = read_it(&err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static void a_sound_log_is_taken(void **state)
{
	(void)state;
	begin();
	((struct rt_thread *)(file + RT_PAGE + sizeof(struct rt_chunk)))->sync_done = 2;
	sync_entries(0, 0, (struct rt_sync[]){ { .op = 1, .order = 1, .object = 1 }, { .op = 4, .order = 3, .object = 1 } }, 2, 64);
	sync_entries(1, 0, (struct rt_sync[]){ { .op = 1, .order = 2, .object = 1 } }, 1, 64);
	path_words(1, 1, NO_TRAY);
	chunk(1, RT_STREAM_PATH, 0, (uint64_t[]){ 1 << 2 | 2 }, 8);
	value_state(1, 4, 1);
	chunk(1, RT_STREAM_VALUE, 0, (uint32_t[]){ RT_VALUE_HEAD(2, 1), ~3u, ~7u, 5 }, 16);
	chunk(1, RT_STREAM_VALUE_TRAY, 0, (uint32_t[]){ ~7u, ~8u }, 8);
	struct trace *t = taken();
	assert_int_equal(t->nthreads, 2);
	assert_string_equal(t->threads[1].name, "1:1");
	assert_int_equal(t->threads[0].nsync, 2);
	assert_int_equal(t->threads[0].info.sync_done, 4); /* death came between the entry and the count */
	assert_int_equal(t->threads[1].info.sync_done, 1);
	assert_int_equal(t->threads[1].nbits, 2);
	assert_int_equal(t->threads[1].values.n, 5); /* four in the stream, of the tray the second: what is unwritten is none */
	assert_int_equal(trace_values_at(&t->threads[1].values, 3), 7);
	assert_int_equal(trace_values_at(&t->threads[1].values, 4), 8);
	trace_free(t);
}

/* Death while a page was divided among the streams of a new thread: it is a chunk that says nothing still, or all of it is the thread's record. */
static void spare_pages_say_nothing(void **state)
{
	(void)state;
	static const char page[RT_PAGE - sizeof(struct rt_chunk)];
	struct rt_thread *last;
	begin();
	chunk(0, RT_STREAM_SPARE, 0, page, sizeof page);
	chunk(0, RT_STREAM_SPARE, 0, page, sizeof page);
	last = chunk(2, RT_STREAM_THREAD, 0, page, sizeof page);
	*last = (struct rt_thread){ .number = 2, .parent = 1, .child = 1 };
	chunk(0, RT_STREAM_SPARE, 0, page, sizeof page);
	struct trace *t = taken();
	assert_int_equal(t->nthreads, 3);
	assert_string_equal(t->threads[2].name, "1:1:1");
	assert_int_equal(t->threads[2].nbits, 0);
	trace_free(t);
	begin();
	chunk(0, RT_STREAM_LAST + 1, 0, page, sizeof page);
	refused("unknown stream");
}

static void headers_are_looked_at(void **state)
{
	(void)state;
	begin();
	header()->scheme = RT_SCHEME_OFF;
	refused("unknown scheme");
	begin();
	header()->scheme = RT_SCHEME_RW_LEAP + 1;
	refused("unknown scheme");
	begin();
	header()->failure.kind = RT_FAIL_PREDICATE + 1;
	refused("impossible failure");
	begin();
	header()->failure.nframes = RT_FRAMES + 1;
	refused("impossible failure");
	begin();
	header()->failure.state = 2;
	header()->failure.thread = 2;
	refused("failure in an unknown thread");
	header()->flags = RT_LOG_CAP; /* its record may be what is missing */
	trace_free(taken());
}

static void threads_are_looked_at(void **state)
{
	(void)state;
	begin();
	thread(2, 0, 1);
	refused("two threads with one name");
	begin();
	((struct rt_thread *)(file + RT_PAGE + sizeof(struct rt_chunk)))->parent = 1;
	refused("main thread with a creator");
	begin();
	thread(2, 7, 1);
	refused("thread without a creator");
	begin();
	thread(3, 0, 2);
	refused("threads out of order");
	begin();
	thread(2, 0, 2)->number = 1;
	refused("thread record with another number");
	begin();
	chunk(2, RT_STREAM_PATH, 0, (uint64_t[]){ 2 }, 8);
	refused("chunk of an unknown thread");
	/* Two that could not be started have one place. */
	begin();
	thread(2, 0, 0);
	thread(3, 0, 0);
	trace_free(taken());
}

static void synchronization_is_looked_at(void **state)
{
	(void)state;
	const struct rt_sync first = { .op = 1, .order = 1, .object = 1 };
	begin();
	sync_entries(0, 0, (struct rt_sync[]){ first, { .op = 1, .order = 2, .object = 1 } }, 2, 64);
	refused("impossible order of synchronization");
	begin();
	sync_entries(0, 0, (struct rt_sync[]){ { .op = 1, .object = 1 } }, 1, 64);
	refused("impossible order of synchronization");
	begin();
	sync_entries(0, 0, &first, 1, 64);
	sync_entries(1, 0, &first, 1, 64);
	refused("two operations at one place in an object's order");
	begin();
	sync_entries(0, 0, (struct rt_sync[]){ { .op = 1, .order = 1, .object = RT_OBJECT_THREAD + 5 } }, 1, 64);
	refused("synchronization with an unknown thread");
	header()->dropped = 1; /* the log may have had no room for it: the thread's order ends there */
	struct trace *t = taken();
	assert_int_equal(t->threads[0].nsync, 0);
	trace_free(t);
	/* A chunk that another one follows is full. */
	begin();
	sync_entries(0, 0, &first, 1, 448);
	sync_entries(0, 1, (struct rt_sync[]){ { .op = 2, .order = 2, .object = 1 } }, 1, 64);
	refused("impossible order of synchronization");
}

static void streams_are_looked_at(void **state)
{
	(void)state;
	const uint64_t full = 1ull << 63 | 5, pair[8] = { full, full, 0 };
	begin();
	chunk(0, RT_STREAM_PATH, 1, &full, 8);
	refused("chunk missing or twice in a stream");
	begin();
	path_words(0, 3, NO_TRAY);
	chunk(0, RT_STREAM_PATH, 0, pair, sizeof pair);
	chunk(0, RT_STREAM_PATH, 1, &full, 8);
	refused("hole in a path");
	begin();
	path_words(0, 0, 0);
	chunk(0, RT_STREAM_TRAY, 0, (uint8_t[]){ 0, 1, 2, RT_TRAY_NONE }, 4);
	refused("impossible branch in a path");
	begin();
	value_state(0, 9, 0);
	chunk(0, RT_STREAM_VALUE, 0, (uint32_t[]){ RT_VALUE_HEAD(1, 2), 1, 8 }, 12);
	refused("impossible repetition of values");
	begin();
	value_state(0, 1000, 0);
	static const uint32_t hole[1024] = { RT_VALUE_HEAD(1, 1), 1, 8 };
	chunk(0, RT_STREAM_VALUE, 0, hole, sizeof hole);
	chunk(0, RT_STREAM_VALUE, 1, hole, 64);
	refused("hole in the values");
	begin();
	chunk(0, RT_STREAM_TIME, 0, (struct rt_time[]){ { 5, 10 }, { 5, 20 } }, 32);
	refused("time stamps out of order");
	begin();
	chunk(0, RT_STREAM_TIME, 0, (struct rt_time[4]){ { 5, 10 } }, 64);
	chunk(0, RT_STREAM_TIME, 1, (struct rt_time[]){ { 9, 10 } }, 16);
	refused("hole in the time stamps");
	const struct rt_order read = { .first = 1, .last = 1, .location = 1, .count = 1, .kind = RT_ORDER_READ }, none = { 0 };
	begin();
	chunk(0, RT_STREAM_ORDER, 0, (struct rt_order[]){ read, none, none, none }, 4 * sizeof read);
	chunk(0, RT_STREAM_ORDER, 1, &read, sizeof read);
	refused("hole in the order of accesses");
	begin();
	chunk(0, RT_STREAM_ORDER, 0, (struct rt_order[]){ { .first = 2, .last = 1, .location = 1, .count = 1, .kind = RT_ORDER_READ } },
	      sizeof read);
	refused("impossible order of accesses");
	begin();
	chunk(0, RT_STREAM_ORDER, 0, (struct rt_order[]){ { .first = 1, .last = 1, .location = 1, .count = 1 } }, sizeof read);
	refused("impossible order of accesses");
	begin();
	struct rt_stack *stack = chunk(0, RT_STREAM_STACK, 0, &(struct rt_stack){ 0 }, sizeof(struct rt_stack));
	stack->nframes = RT_FRAMES + 1;
	refused("impossible backtrace");
}

/* A window whose copy is in the file counts once; one without the copies before it does not, where the file was cut off. */
static void windows_are_settled(void **state)
{
	(void)state;
	const uint64_t full = 1ull << 63 | 5, all[8] = { full, full, full, full, full, full, full, full };
	begin();
	path_words(0, 16, NO_TRAY);
	chunk(0, RT_STREAM_PATH, 0, all, sizeof all);
	struct rt_chunk *window = (struct rt_chunk *)chunk(0, RT_STREAM_PATH, 1, all, sizeof all) - 1;
	window->window = 1;
	chunk(0, RT_STREAM_PATH, 1, all, sizeof all);
	struct trace *t = taken();
	assert_int_equal(t->threads[0].npath, 16);
	trace_free(t);
	window->seq = 3;
	refused("chunk missing or twice in a stream");
	header()->flags = RT_LOG_FULL;
	t = taken();
	assert_int_equal(t->threads[0].npath, 16);
	trace_free(t);
	window->seq = 2 | RT_CHUNK_COPIED; /* about to be cleared: all of it is in the copy */
	header()->flags = 0;
	t = taken();
	assert_int_equal(t->threads[0].npath, 16);
	trace_free(t);
	/* The end of the copy before it is not there. */
	window->seq = 2;
	path_words(0, 24, NO_TRAY);
	t = taken();
	assert_int_equal(t->threads[0].npath, 24);
	trace_free(t);
	header()->flags = RT_LOG_FULL;
	size -= 2 * sizeof full;
	t = taken();
	assert_int_equal(t->threads[0].npath, 14);
	trace_free(t);
}

/* Bits of a path, as text. */
static const char *path_text(const struct trace_thread *t)
{
	static char text[1000];
	struct path_reader r;
	char *at = text;
	path_reader_init(&r, t->path, t->npath);
	for (int64_t bit; (bit = path_reader_bits(&r, 1)) >= 0;)
		*at++ = (char)('0' + bit);
	*at = 0;
	assert_int_equal(at - text, t->nbits);
	assert_int_equal(at - text, path_reader_done(&r));
	return text;
}

/* A thread may die at any instant while its tray is packed: no branch is lost or counted twice. */
static void trays_are_settled(void **state)
{
	(void)state;
	/* 100 and 11 are words; the tray has 1, 1, 0, which is the third word, and 1. */
	const uint64_t words[] = { 1 << 3 | 1, 1 << 2 | 3, 1 << 3 | 3, 0 };
	uint8_t tray[32], silent[32];
	memset(tray, RT_TRAY_NONE, sizeof tray);
	memset(silent, RT_TRAY_NONE, sizeof silent);
	memcpy(tray, (uint8_t[]){ 1, 1, 0, 1 }, 4);
	static const struct {
		uint64_t words;
		int packed;
		const char *path;
	} cases[] = { { 2, 0, "100111101" }, { 3, 3, "100111101" }, { 3, 4, "10011110" }, { 2, NO_TRAY, "10011" }, { 4, 0, "10011110" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin();
		path_words(0, cases[i].words, cases[i].packed);
		chunk(0, RT_STREAM_PATH, 0, words, sizeof words);
		chunk(0, RT_STREAM_TRAY, 0, tray, sizeof tray);
		struct trace *t = taken();
		assert_string_equal(path_text(&t->threads[0]), cases[i].path);
		trace_free(t);
	}
	/* Ways that append nothing are ones as soon as something follows; what is taken away last does not. */
	silent[0] = 1, silent[2] = 0, silent[6] = 1;
	static const struct {
		uint64_t state;
		const char *path;
	} silents[] = { { RT_PATH_STATE(2ull, 0), "100111101111" }, { RT_PATH_STATE(3ull, 3), "100111101111" }, { RT_PATH_STATE_LEFT(3ull, 3), "10011110110" },
			{ RT_PATH_STATE_LEFT(3ull, 0), "10011110" } };
	for (size_t i = 0; i < sizeof silents / sizeof *silents; i++) {
		begin();
		path_words(0, 0, 0);
		record_of(0)->path_state = silents[i].state;
		chunk(0, RT_STREAM_PATH, 0, words, sizeof words);
		chunk(0, RT_STREAM_TRAY, 0, silent, sizeof silent);
		struct trace *t = taken();
		assert_string_equal(path_text(&t->threads[0]), silents[i].path);
		trace_free(t);
	}
	/* A run that the thread was prolonging. */
	const uint64_t same = 1 << 2 | 1, run[] = { same, same, same, same, same, same, RT_PATH_RUN + 9, 0 };
	begin();
	path_words(0, 8, 0);
	chunk(0, RT_STREAM_PATH, 0, run, sizeof run);
	chunk(0, RT_STREAM_TRAY, 0, tray, sizeof tray);
	struct trace *t = taken();
	assert_string_equal(path_text(&t->threads[0]), "10101010101010101101");
	trace_free(t);
}

/* A process dies after it got a chunk, before or after it filled up the one before. */
static void inputs_end_with_a_new_chunk(void **state)
{
	(void)state;
	char bytes[128] = { 0 };
	for (int filled = 0; filled < 2; filled++) {
		begin();
		chunk(0, RT_STREAM_INPUT, 0, &(struct rt_input){ .size = sizeof(struct rt_input), .function = 1 }, sizeof(struct rt_input));
		if (filled)
			((struct rt_input *)(file + size - 64))[1].size = 48;
		chunk(0, RT_STREAM_INPUT, 1, bytes, sizeof bytes);
		struct trace *t = taken();
		assert_int_equal(t->threads[0].ninputs, 1);
		trace_free(t);
		if (filled)
			continue;
		*(struct rt_input *)(file + size - sizeof bytes) = (struct rt_input){ .size = sizeof(struct rt_input), .function = 1 };
		refused("impossible record of an input");
	}
}

/* A record with these entries, in a chunk that has room for more. */
static struct rt_input *packed(const void *entries, size_t n)
{
	char bytes[256] = { 0 };
	*(struct rt_input *)bytes = (struct rt_input){ .size = sizeof bytes, .function = RT_INPUT_PACKED, .result = n };
	memcpy(bytes + sizeof(struct rt_input), entries, n);
	begin();
	return chunk(0, RT_STREAM_INPUT, 0, bytes, sizeof bytes);
}

/* Two calls of function 3 that wrote five bytes and nothing, with a time; one of function 1 with an errno. */
static const uint8_t some[] = {
	RT_PACKED_CALL | RT_PACKED_RESULT | RT_PACKED_TIME | RT_PACKED_PIECE, 3, 0, 0x85, 1, 100, 5, 'h', 'e', 'l', 'l', 'o',
	RT_PACKED_AGAIN | RT_PACKED_TIMELESS | RT_PACKED_PIECE, 0,
	RT_PACKED_CALL, 1, 4,
};

static void short_inputs_are_unpacked(void **state)
{
	(void)state;
	struct rt_input *r = packed(some, sizeof some);
	for (size_t n = 0; n <= sizeof some; n++) {
		r->result = n;
		/* An entry that `result` counts has to be there. */
		if (n != 0 && n != 12 && n != 14 && n != 17) {
			refused("impossible record of an input");
			continue;
		}
		struct trace *t = taken();
		const struct rt_input **in = t->threads[0].inputs;
		uint64_t length = 0;
		assert_int_equal(t->threads[0].ninputs, n == 17 ? 3 : n == 14 ? 2 : n == 12 ? 1 : 0);
		if (n > 0) {
			assert_int_equal(in[0]->function, 3);
			assert_int_equal(in[0]->result, 133);
			assert_int_equal(*(const uint64_t *)((const char *)(in[0] + 1) + 8), 100);
			const uint64_t *piece = (const uint64_t *)((const char *)(in[0] + 1) + 16);
			assert_int_equal(piece[0], 5);
			assert_memory_equal(piece + 1, "hello\0\0", 8);
			assert_int_equal(in[0]->size, 16 + 16 + 16);
		}
		if (n > 12) {
			assert_int_equal(in[1]->function, 3);
			assert_int_equal(in[1]->result, 133);
			assert_int_equal(in[1]->size, 16 + 16 + 8);
		}
		if (n > 14) {
			assert_int_equal(in[2]->function, 1);
			assert_int_equal(in[2]->error, 4);
			assert_int_equal(in[2]->result, 0);
			assert_null(trace_input_piece(in[2], NULL, &length));
		}
		trace_free(t);
	}
}

static void impossible_packed_inputs_are_refused(void **state)
{
	(void)state;
	const uint8_t no_function[] = { RT_PACKED_CALL, 0, 0 }, unknown[] = { RT_PACKED_CALL, 0xff, 0x7f, 0 },
		      in_itself[] = { RT_PACKED_CALL, 0xfe, 0xff, 3, 0 }, first[] = { RT_PACKED_RESULT, 1 },
		      long_piece[] = { RT_PACKED_CALL | RT_PACKED_PIECE, 1, 0, 0xff, 0xff, 3 };
	packed(no_function, sizeof no_function);
	refused("impossible record of an input");
	packed(unknown, sizeof unknown);
	refused("impossible record of an input");
	packed(in_itself, sizeof in_itself);
	refused("impossible record of an input");
	packed(first, sizeof first);
	refused("impossible record of an input");
	packed(long_piece, sizeof long_piece);
	refused("impossible record of an input");
	packed(some, sizeof some)->result = 300;
	refused("impossible record of an input");
}

/* A file that was cut off has the entries before that. */
static void packed_inputs_of_a_cut_file(void **state)
{
	(void)state;
	for (size_t n = 0; n <= sizeof some; n++) {
		struct rt_input *r = packed(some, sizeof some);
		size = (size_t)((char *)(r + 1) - file) + n;
		struct trace *t = taken();
		assert_int_equal(t->threads[0].ninputs, n >= 17 ? 3 : n >= 14 ? 2 : n >= 12 ? 1 : 0);
		trace_free(t);
	}
}

/* Which of several logs it is: the one that failed, else the first. */
static void the_failing_log_is_chosen(void **state)
{
	(void)state;
	char dir[] = "/tmp/test_trace.XXXXXX";
	struct error err;
	assert_non_null(mkdtemp(dir));
	for (int pid = 1; pid <= 3; pid++) {
		begin();
		header()->pid = (uint32_t)pid;
		header()->size = size;
		header()->failure.state = pid == 2 ? 2 : 0;
		char *path = xasprintf("%s/log.%d", dir, pid);
		assert_true(write_file(path, file, size, &err));
		free(path);
	}
	struct trace *t = trace_open(dir, &err);
	assert_non_null(t);
	assert_int_equal(t->header.pid, 2);
	trace_free(t);
	char *failing = xasprintf("%s/log.2", dir);
	unlink(failing);
	free(failing);
	t = trace_open(dir, &err);
	assert_non_null(t);
	assert_int_equal(t->header.pid, 1);
	trace_free(t);
	assert_true(remove_tree(dir, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_log_is_taken),
		cmocka_unit_test(spare_pages_say_nothing),
		cmocka_unit_test(headers_are_looked_at),
		cmocka_unit_test(threads_are_looked_at),
		cmocka_unit_test(synchronization_is_looked_at),
		cmocka_unit_test(streams_are_looked_at),
		cmocka_unit_test(windows_are_settled),
		cmocka_unit_test(trays_are_settled),
		cmocka_unit_test(inputs_end_with_a_new_chunk),
		cmocka_unit_test(short_inputs_are_unpacked),
		cmocka_unit_test(impossible_packed_inputs_are_refused),
		cmocka_unit_test(packed_inputs_of_a_cut_file),
		cmocka_unit_test(the_failing_log_is_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
