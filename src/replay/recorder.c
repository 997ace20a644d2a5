/*
 * Scheme rw (trace.h, "Order of accesses"): the twin as a recorder of the full order, in the mode `record`. Every SAP
 * asks at its gate. An access holds its locations' locks between the two halves of the gate, so that the order that is
 * logged is the order that was; a step of an interposed function is logged while its object is held.
 *
 * Locations are slots of a table, by address in granules of 8 bytes. Two addresses in one slot only order more than
 * need be. What is very large, or of unknown extent, is not looked up there: its thread is alone meanwhile (alone.c).
 *
 * A thread writes its own entries, except that nobody else ever touches `open` of a location whose last run is
 * somebody's. An entry's `first` is written last; a run in the log grows in place, so that death loses nothing.
 */
#include "replay/recorder.h"

#include "replay/alone.h"
#include "replay/library.h"
#include "rt/clock.h"
#include "rt/failure.h"
#include "rt/input_record.h"
#include "rt/log.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCATIONS (1u << 16)
#define LARGE 4096u /* locations: from here on being alone costs less */
#define FRESH 64u
#define CACHE 1024u
#define ORDER_CHUNK (64u << 10)
#define INPUT_CHUNK (16u << 10)

/* For log.c, which is the recorder's too; the header gets the twin's hash. */
const struct rt_record_module __rethread_record_module = { .abi = RT_ABI };

/*
 * rw: `version` counts the writes, `reads` those of the newest version by others than its writer. leap: `version` counts
 * the runs. Guarded by `lock`.
 */
struct location {
	_Atomic uint32_t lock;
	uint32_t last; /* rw: the last writer, leap: whose run it is; thread number + 1, 0 for none */
	uint64_t version;
	uint32_t reads;
	struct rt_order *open; /* entry of the last write or run */
	char pad[32];
};

struct recorder {
	struct rt_thread *thread; /* in the log; NULL: the log has ended */
	struct rt_order *next, *end;
	uint64_t seq;             /* of chunks */
	bool open;                /* between the halves of a gate */
	bool writes;
	bool large;               /* there is more to hold than `held` has */
	uint32_t nheld;
	struct rt_order *call;    /* entry of the call that goes on */
	const void *fresh[FRESH]; /* blocks that it allocated, the latest ones */
	uint32_t nfresh;
	struct library_call library; /* which one it is */
	const void *object;       /* of the step that goes on, logged when it is done; NULL: none */
	int result;
	struct rt_chunk *input;   /* of the newest inputs, or NULL */
	char *input_at;           /* where the next one goes */
	uint64_t input_seq;
	uint64_t chance;          /* random numbers */
	struct rt_order *reading[CACHE]; /* entries of runs of reads, by location */
	uint32_t held[LOCATIONS];        /* locations, growing */
};

static struct location *locations;
static _Atomic uint64_t calls_done, wakes_begun;
static bool leap, shake;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

/* ---- entries ---- */

static bool refill(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	struct rt_chunk part = { .size = ORDER_CHUNK, .thread = self->number, .stream = RT_STREAM_ORDER, .seq = r->seq };
	struct rt_chunk *chunk = rt_log_reserve(&part, 1, NULL);
	if (!chunk) {
		rt_log_drop();
		return false;
	}
	r->seq++;
	r->next = (struct rt_order *)(chunk + 1);
	r->end = r->next + (ORDER_CHUNK - sizeof *chunk) / sizeof *r->next;
	return true;
}

static struct rt_order *entry_add(struct twin_thread *self, struct rt_order entry)
{
	struct recorder *r = self->recorder;
	if (r->next == r->end && !refill(self))
		return NULL;
	struct rt_order *e = r->next++;
	uint64_t first = entry.first;
	entry.first = 0;
	*e = entry;
	__atomic_store_n(&e->first, first, __ATOMIC_RELEASE);
	return e;
}

struct rt_order *recorder_entry(struct twin_thread *self, struct rt_order entry)
{
	return entry_add(self, entry);
}

uint64_t recorder_done(const struct twin_thread *t)
{
	const struct recorder *r = t->recorder;
	return r && r->thread ? __atomic_load_n(&r->thread->sync_done, __ATOMIC_ACQUIRE) : 0;
}

static void grow_run(struct rt_order *e, uint64_t sap)
{
	e->count++;
	__atomic_store_n(&e->last, sap, __ATOMIC_RELEASE);
}

static struct rt_order run_of(uint32_t place, uint32_t kind, uint64_t sap, uint64_t version)
{
	return (struct rt_order){ .first = sap, .last = sap, .version = version, .location = place + 1, .count = 1,
				  .kind = kind };
}

static void note_write(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	if (l->last == self->number + 1 && !l->reads && l->open) {
		grow_run(l->open, sap);
	} else {
		struct rt_order e = run_of(place, RT_ORDER_WRITE, sap, l->version + 1);
		e.value = l->reads;
		l->open = entry_add(self, e);
	}
	l->version++;
	l->last = self->number + 1;
	l->reads = 0;
}

static void note_read(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	bool own = l->last == self->number + 1;
	if (own && !l->reads && l->open) { /* what it wrote itself, and nobody has read yet */
		__atomic_store_n(&l->open->last, sap, __ATOMIC_RELEASE);
		return;
	}
	struct rt_order **run = &self->recorder->reading[place % CACHE];
	if (*run && (*run)->location == place + 1 && (*run)->version == l->version)
		grow_run(*run, sap);
	else
		*run = entry_add(self, run_of(place, RT_ORDER_READ, sap, l->version));
	l->reads += !own;
}

static void note_run(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	if (l->last == self->number + 1 && l->open) {
		grow_run(l->open, sap);
		return;
	}
	l->open = entry_add(self, run_of(place, RT_ORDER_RUN, sap, ++l->version));
	l->last = self->number + 1;
}

static void note(struct twin_thread *self, uint32_t place, uint64_t sap, bool writes)
{
	if (leap)
		note_run(self, place, sap);
	else if (writes)
		note_write(self, place, sap);
	else
		note_read(self, place, sap);
}

/* ---- locations ---- */

static uint32_t place_of(uint64_t granule)
{
	uint64_t page = granule >> 9;
	return (uint32_t)(granule + (page * 0x9e3779b97f4a7c15ull >> 40)) % LOCATIONS;
}

static void lock_place(uint32_t place)
{
	for (unsigned spins = 0; atomic_exchange_explicit(&locations[place].lock, 1, memory_order_acquire); spins++)
		if (spins < 100)
			__builtin_ia32_pause();
		else
			syscall(SYS_sched_yield);
}

static void unlock_place(uint32_t place)
{
	atomic_store_explicit(&locations[place].lock, 0, memory_order_release);
}

static void sift_down(uint32_t *places, uint32_t i, uint32_t n)
{
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && places[child + 1] > places[child])
			child++;
		if (places[i] >= places[child])
			return;
		uint32_t swap = places[i];
		places[i] = places[child];
		places[child] = swap;
	}
}

/* Heapsort: qsort allocates, and giving that memory back would be recorded in the middle of this record. */
static void sort_places(uint32_t *places, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift_down(places, i, n);
	while (n > 1) {
		uint32_t largest = places[0];
		places[0] = places[--n];
		places[n] = largest;
		sift_down(places, 0, n);
	}
}

/* The bytes' locations behind those that are there already; sorted, each once. */
static void add_places(struct recorder *r, const void *address, uint64_t size)
{
	uint64_t first = (uint64_t)(uintptr_t)address >> 3, last = ((uint64_t)(uintptr_t)address + size - 1) >> 3;
	uint32_t n = r->nheld;
	if (last - first >= LARGE || n >= LARGE) {
		r->large = true;
		return;
	}
	for (uint64_t g = first; g <= last; g++)
		r->held[n++] = place_of(g);
	sort_places(r->held, n);
	r->nheld = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!r->nheld || r->held[r->nheld - 1] != r->held[i])
			r->held[r->nheld++] = r->held[i];
}

static void lock_places(const struct recorder *r)
{
	for (uint32_t i = 0; i < r->nheld; i++)
		lock_place(r->held[i]);
}

static void unlock_places(const struct recorder *r)
{
	for (uint32_t i = 0; i < r->nheld; i++)
		unlock_place(r->held[i]);
}

/* Nobody else gets at what was added: by its locations, or because there is nobody else. */
static void hold(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	bool large = r->large;
	r->large = false;
	if (self->alone || (large && alone_begin(self))) {
		r->nheld = 0;
		return;
	}
	if (large)
		for (r->nheld = 0; r->nheld < LOCATIONS; r->nheld++)
			r->held[r->nheld] = r->nheld;
	if (r->nheld)
		alone_touches(self);
	lock_places(r);
}

/* What is held counts as touched, and is let go. */
static void note_held(struct twin_thread *self, uint64_t sap)
{
	struct recorder *r = self->recorder;
	for (uint32_t i = 0; i < r->nheld; i++)
		note(self, r->held[i], sap, r->writes);
	unlock_places(r);
	r->nheld = 0;
}

/* ---- the halves of a gate ---- */

/* A release is logged before it happens, anything else after it has. */
static bool is_release(const char *what)
{
	return strstr(what, "unlock") || !strcmp(what, "sem_post");
}

static void note_object(struct twin_thread *self, const void *object)
{
	uint32_t place = place_of((uint64_t)(uintptr_t)object >> 3);
	lock_place(place);
	note(self, place, self->gate->count, true);
	unlock_place(place);
}

void recorder_settle(struct twin_thread *self)
{
	if (!self->recorder || !self->recorder->open)
		return;
	self->recorder->library.line = 0; /* its parameters may be gone */
	recorder_after(self, self->gate->count - 1);
}

void recorder_shake(bool on)
{
	shake = on;
}

/* One access in 32 gives way, one of those in 8 for longer. */
static void give_way(struct recorder *r)
{
	static const struct timespec moment = { .tv_nsec = 50 * 1000 };
	if (!r->chance)
		r->chance = rt_clock() | 1;
	r->chance ^= r->chance << 13;
	r->chance ^= r->chance >> 7;
	r->chance ^= r->chance << 17;
	if (r->chance % 32)
		return;
	int saved = errno;
	if (r->chance / 32 % 8)
		syscall(SYS_sched_yield);
	else
		syscall(SYS_nanosleep, &moment, NULL);
	errno = saved;
}

/*
 * What a function touches may change until it is held: then once more. Of what is unknown all is held, and so are the
 * functions that have a state of their own.
 */
static void begin_library(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	recorder_calls(self);
	if (library_reaches_anything(&r->library)) {
		alone_begin(self);
		return;
	}
	for (;;) {
		uint64_t extent = library_begins(self, &r->library);
		hold(self);
		if (!r->nheld || library_extent(&r->library) == extent)
			return;
		unlock_places(r);
		r->nheld = 0;
	}
}

/* A step of an interposed function. */
static void begin_step(struct twin_thread *self, const char *what, const void *object)
{
	struct recorder *r = self->recorder;
	bool creates = !strcmp(what, "pthread_create");
	bool gives_up = object && (is_release(what) || self->releases);
	/* Neither waits for anybody; and others can be seen to come after it before it is done. */
	alone_pass(self, creates || gives_up ? ALONE_HARD : ALONE_SOFT);
	if (gives_up) {
		note_object(self, object);
	} else if (object) {
		r->object = object;
		__atomic_store_n(&r->thread->waits_for, place_of((uint64_t)(uintptr_t)object >> 3) + 1, __ATOMIC_RELEASE);
	} else if (creates) {
		r->thread->waits_for = RT_OBJECT_THREAD;
	}
}

void recorder_before(struct twin_thread *self, const char *what, uint32_t kind, const void *address, uint64_t size)
{
	struct recorder *r = self->recorder;
	struct rt_gate *gate = self->gate;
	gate->next = 0;
	if (!r || !r->thread)
		return;
	if (shake)
		give_way(r);
	r->open = true;
	gate->signal = 1;
	r->result = 0;
	if (what) {
		begin_step(self, what, address);
	} else if (kind >> RT_ACCESS_LIBRARY) {
		alone_pass(self, ALONE_SOFT);
		r->library = (struct library_call){ kind >> RT_ACCESS_LIBRARY, size, address };
		begin_library(self);
	} else if (address && size) {
		r->writes = kind != RT_ACCESS_LOAD;
		add_places(r, address, size);
		alone_pass(self, r->large ? ALONE_SOFT : ALONE_HARD);
		hold(self);
	} else {
		alone_pass(self, ALONE_SOFT);
		if (kind == RT_ACCESS_NONE)
			recorder_calls(self);
	}
}

void recorder_calls(struct twin_thread *self)
{
	struct rt_order e = { .first = self->gate->count, .version = atomic_load(&calls_done), .count = 1,
			      .kind = RT_ORDER_CALL };
	if (!self->recorder || !self->recorder->open || self->recorder->call)
		return;
	self->recorder->call = entry_add(self, e);
	self->recorder->nfresh = 0;
}

void recorder_wakes(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		entry_add(self, (struct rt_order){ .first = self->gate->count, .count = 1, .kind = RT_ORDER_WAKE,
						   .version = atomic_fetch_add(&wakes_begun, 1) + 1 });
}

void recorder_hears(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		entry_add(self, (struct rt_order){ .first = self->gate->count, .count = 1, .kind = RT_ORDER_HEAR,
						   .version = atomic_load(&wakes_begun) });
}

/* Where a copy reads; locks are taken in one order, so once more from the beginning. */
void recorder_source(struct twin_thread *self, const void *address, uint64_t size)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open || !size || self->alone)
		return;
	unlock_places(r);
	add_places(r, address, size);
	hold(self);
}

void recorder_after(struct twin_thread *self, uint64_t sap)
{
	struct recorder *r = self->recorder;
	self->gate->signal = 0;
	if (!r || !r->open)
		return;
	if (r->library.line) {
		note_held(self, sap);
		library_ends(self, &r->library);
		hold(self);
		r->library.line = 0;
	}
	r->open = false;
	note_held(self, sap);
	if (r->object && (!r->result || r->result == EOWNERDEAD || self->orders))
		note_object(self, r->object);
	if (r->result)
		entry_add(self, (struct rt_order){ .first = sap, .last = sap, .count = 1, .kind = RT_ORDER_RESULT,
						   .value = (uint32_t)r->result });
	r->object = NULL;
	if (r->call)
		__atomic_store_n(&r->call->last, atomic_fetch_add(&calls_done, 1) + 1, __ATOMIC_RELEASE);
	r->call = NULL;
	r->thread->waits_for = 0;
	__atomic_store_n(&r->thread->sync_done, sap, __ATOMIC_RELEASE);
	alone_done(self);
}

void recorder_touches(struct twin_thread *self, const void *address, uint64_t size, bool writes)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open || !address || !size)
		return;
	r->writes = writes || (r->nheld && r->writes);
	add_places(r, address, size);
}

void recorder_holds(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		hold(self);
}

void recorder_lets_go(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open)
		return;
	note_held(self, self->gate->count);
}

/* ---- inputs ---- */

static size_t input_left(const struct recorder *r)
{
	return r->input ? (size_t)((char *)r->input + r->input->size - r->input_at) : 0;
}

/* A chunk with room for a record of that size; what is left of the one before is filled up. */
static void *input_refill(struct twin_thread *self, size_t size)
{
	struct recorder *r = self->recorder;
	size_t least = (sizeof *r->input + size + RT_PAGE - 1) & ~(size_t)(RT_PAGE - 1);
	struct rt_chunk part = { .size = least > INPUT_CHUNK ? (uint32_t)least : INPUT_CHUNK, .thread = self->number,
				 .stream = RT_STREAM_INPUT, .seq = r->input_seq };
	struct rt_chunk *chunk = least > UINT32_MAX ? NULL : rt_log_reserve(&part, 1, NULL);
	if (!chunk) {
		rt_log_drop();
		return NULL;
	}
	if (input_left(r))
		__atomic_store_n(&((struct rt_input *)r->input_at)->size, (uint32_t)input_left(r), __ATOMIC_RELEASE);
	if (r->input)
		rt_log_unmap(r->input, r->input->size);
	r->input = chunk;
	r->input_at = (char *)(chunk + 1);
	r->input_seq++;
	return r->input_at;
}

void *recorder_input_room(struct twin_thread *self, size_t size)
{
	struct recorder *r = self->recorder;
	if (!r || !r->thread)
		return NULL;
	return size <= input_left(r) ? r->input_at : input_refill(self, size);
}

void recorder_input_done(struct twin_thread *self, uint32_t size)
{
	struct recorder *r = self->recorder;
	__atomic_store_n(&((struct rt_input *)r->input_at)->size, size, __ATOMIC_RELEASE);
	r->input_at += size;
}

void recorder_input_copy(struct twin_thread *self, const struct rt_input *record)
{
	char *room = recorder_input_room(self, record->size);
	if (!room)
		return;
	memcpy(room + sizeof record->size, (const char *)record + sizeof record->size, record->size - sizeof record->size);
	recorder_input_done(self, record->size);
}

/* ---- signals ---- */

static void log_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place)
{
	struct rt_signal s = { .place = place, .steps = self->gate->count, .words = path_complete() };
	uint64_t stamp = rt_log.time ? rt_clock() : 0;
	struct input_recording r = { 0 };
	for (int pass = 0; pass < 2; pass++) {
		if (pass) {
			char *room = recorder_input_room(self, r.size += sizeof(struct rt_input));
			if (!room)
				return;
			r.at = room + sizeof(struct rt_input);
			r.end = room + r.size;
		}
		input_put(&r, &stamp, sizeof stamp);
		input_put(&r, &s, sizeof s);
		input_put(&r, info, sizeof *info);
	}
	struct rt_input *record = (struct rt_input *)(r.end - r.size);
	record->function = RT_INPUT_SIGNAL;
	record->error = 0;
	record->result = (uint64_t)info->si_signo;
	recorder_input_done(self, (uint32_t)r.size);
}

void recorder_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place, uint64_t when)
{
	struct recorder *r = self->recorder;
	uint64_t sap = self->gate->count;
	if (!r || !r->thread)
		return;
	log_signal(self, info, place);
	if (place == RT_SIGNAL_FAULT)
		return;
	entry_add(self, (struct rt_order){ .first = sap, .last = sap, .count = 1, .kind = RT_ORDER_SIGNAL,
					   .value = (uint32_t)info->si_signo, .version = when });
	entry_add(self, (struct rt_order){ .first = sap, .count = 1, .kind = RT_ORDER_HEAR,
					   .version = atomic_load(&wakes_begun) });
	__atomic_store_n(&r->thread->sync_done, sap, __ATOMIC_RELEASE);
}

/* Not while it holds locations that the handler may want, or is alone. */
bool recorder_can_suspend(const struct twin_thread *self)
{
	const struct recorder *r = self->recorder;
	return r && r->thread && r->open && !r->nheld && !self->alone && !r->library.line;
}

struct recorder_step recorder_suspend(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	struct recorder_step s = { r->open, self->deep, r->call, r->object, r->result, r->thread->waits_for,
				   atomic_load(&self->state), atomic_load(&self->inside) };
	r->open = self->deep = false;
	r->call = NULL;
	r->object = NULL;
	r->thread->waits_for = 0;
	atomic_store(&self->state, TWIN_RUNS);
	atomic_store(&self->inside, 0);
	return s;
}

void recorder_resume(struct twin_thread *self, const struct recorder_step *s)
{
	struct recorder *r = self->recorder;
	recorder_settle(self);
	r->open = s->open;
	r->call = s->call;
	r->object = s->object;
	r->result = s->result;
	r->thread->waits_for = s->waits_for;
	if (r->call)
		r->call->first = self->gate->count;
	alone_pass(self, ALONE_SOFT);
	self->deep = s->deep;
	self->gate->signal = 1;
	atomic_store(&self->state, s->state);
}

void recorder_allocated(const void *p)
{
	struct twin_thread *self = twin_self();
	struct recorder *r = self ? self->recorder : NULL;
	if (r && r->call)
		r->fresh[r->nfresh++ % FRESH] = p;
}

/* Was it allocated by the call that goes on? Then only that has used it, and there is nothing to order. */
static bool is_fresh(const struct recorder *r, const void *p)
{
	for (uint32_t i = 0; i < r->nfresh && i < FRESH; i++)
		if (r->fresh[i] == p)
			return true;
	return false;
}

bool recorder_frees(const void *p, uint64_t size)
{
	struct twin_thread *self = twin_self();
	struct recorder *r = self ? self->recorder : NULL;
	if (!r || !r->thread || !r->call || r->nheld || !size || self->alone || is_fresh(r, p))
		return false;
	int saved = errno;
	add_places(r, p, size);
	hold(self);
	for (uint32_t i = 0; i < r->nheld; i++)
		note(self, r->held[i], self->gate->count, true);
	errno = saved;
	return true;
}

void recorder_freed(void)
{
	struct recorder *r = twin_self()->recorder;
	unlock_places(r);
	r->nheld = 0;
}

void recorder_result(struct twin_thread *self, int result)
{
	if (self->recorder)
		self->recorder->result = result;
}

/* ---- threads ---- */

void recorder_lock(void)
{
	rt_real.pthread_mutex_lock(&adding);
}

void recorder_unlock(void)
{
	rt_real.pthread_mutex_unlock(&adding);
}

void recorder_thread(struct twin_thread *t, const struct twin_thread *parent)
{
	struct rt_chunk part = { .size = RT_PAGE, .thread = t->number, .stream = RT_STREAM_THREAD };
	struct rt_chunk *chunk = rt_log_reserve(&part, 1, NULL);
	struct recorder *r = twin_pages(sizeof *r);
	if (!r || !chunk) {
		rt_log_drop();
		return;
	}
	r->thread = (struct rt_thread *)(chunk + 1);
	*r->thread = (struct rt_thread){ .number = t->number, .parent = parent ? parent->number : t->number,
					 .child = parent ? parent->children : 0 };
	t->recorder = r;
}

void recorder_thread_begins(struct twin_thread *t)
{
	if (!t->recorder)
		return;
	t->recorder->thread->tid = (uint32_t)t->tid;
	t->recorder->thread->start_time = rt_clock();
}

void recorder_thread_ends(struct twin_thread *t)
{
	if (!t->recorder)
		return;
	if (t->recorder->open)
		recorder_after(t, t->gate->count);
	t->recorder->thread->end_time = rt_clock();
	t->recorder->thread->ended = 1;
}

/* ---- the process ---- */

static void failed(void)
{
	twin_report->failure = rt_log.header->failure;
	report_outcome(RT_REPLAY_FAILED, twin_own(), "%s", rt_log.header->failure.message);
	rt_log_end(0);
}

static void note_exit(void)
{
	const struct twin_thread *self = twin_own();
	if (self)
		rt_log.header->exits = self->number + 1;
}

static void at_exit(void)
{
	note_exit();
	rt_log_end(RT_LOG_ENDED);
}

/* In every mode: the twin has no other. The child of a vfork, which is another process in this one's memory, just goes. */
void _exit(int status)
{
	if (twin_mode == TWIN_RECORD && rt_log.header->pid == (uint32_t)syscall(SYS_getpid))
		note_exit();
	for (;;)
		syscall(SYS_exit_group, status);
}

__attribute__((alias("_exit"))) void _Exit(int status);

/* The child is not recorded. */
static void in_child(void)
{
	rt_failure_install(NULL, twin_self_number, failed);
	twin_mode = TWIN_FREE;
	__rethread_gate.next = UINT64_MAX;
	__rethread_gate.signal = 0;
}

static void set_build_id(const char *hex)
{
	uint8_t *id = rt_log.header->build_id;
	memset(id, 0, RT_BUILD_ID_SIZE);
	for (unsigned i = 0; i < RT_BUILD_ID_SIZE && hex[2 * i] && hex[2 * i + 1]; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], 0 };
		id[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

bool recorder_start(const char *options, const char *build_id)
{
	static struct rt_options o;
	rt_options_parse(&o, options);
	leap = o.scheme == RT_SCHEME_RW_LEAP;
	locations = twin_pages(LOCATIONS * sizeof *locations);
	if ((o.scheme != RT_SCHEME_RW && !leap) || !locations || !rt_log_open(&o))
		return false;
	memcpy(rt_log.header->module_hash, __rethread_twin_module.hash, sizeof rt_log.header->module_hash);
	set_build_id(build_id);
	atexit(at_exit);
	pthread_atfork(NULL, NULL, in_child);
	rt_failure_install(&rt_log.header->failure, twin_self_number, failed);
	return true;
}

struct rt_failure *recorder_failure(void)
{
	return &rt_log.header->failure;
}
