#include "infer/hang.h"

#include "infer/spins.h"

#include <rethread/schedule.h>
#include <stdlib.h>
#include <string.h>

struct finder {
	const struct execution *x;
	const struct linear *l;
	const uint64_t *values;
	bool complete; /* all waits and signals are known */
};

static const struct event *event_at(const struct finder *f, size_t step)
{
	return &f->x->events.at[f->l->steps.at[step].event];
}

static bool is_signal(const struct event *e)
{
	return e->flags & EVENT_SIGNALS || e->kind == EVENT_SIGNAL || e->kind == EVENT_BROADCAST;
}

static bool blocks(const struct finder *f, const struct event *e)
{
	return e->kind == EVENT_HANG || (e->kind == EVENT_CALL && !strcmp(f->x->sites.at[e->site].what, "blocks here"));
}

/* The SAP of the thread's last event before that step, or of its first behind it; UINT64_MAX: none. Where notes come is not as certain. */
static uint64_t sap_around(const struct finder *f, uint32_t thread, size_t step, bool before)
{
	for (size_t i = step; before ? i-- > 0 : ++i < f->l->steps.n;)
		if (event_at(f, i)->thread == thread && !(event_at(f, i)->flags & EVENT_NOTE))
			return event_at(f, i)->sap;
	return UINT64_MAX;
}

/* Did the thread come back there from a wait for that condition variable? Then since which SAP it had waited. */
static bool ends_wait(const struct finder *f, uint32_t event, uint64_t condition, uint64_t *since)
{
	const struct event *e = &f->x->events.at[event];
	*since = e->kind == EVENT_WAIT && event ? f->x->events.at[event - 1].sap : e->before;
	return e->object == condition && (e->kind == EVENT_WAIT || e->flags & EVENT_WAITED);
}

/* Can the thread have waited for the condition variable at that step? It is between two of its events there. */
static bool may_wait(const struct finder *f, uint32_t thread, uint64_t condition, size_t step)
{
	uint64_t from = sap_around(f, thread, step, true), to = sap_around(f, thread, step, false), since;
	const struct execution_thread *t = &f->x->threads.at[thread];
	for (uint32_t i = t->first; from != UINT64_MAX && i < t->first + t->count; i++)
		if (ends_wait(f, i, condition, &since) && since <= to && f->x->events.at[i].sap >= from)
			return true;
	return false; /* nor before its first event */
}

/* Can anybody have waited for the signal? */
static bool may_wake(const struct finder *f, size_t signal)
{
	for (uint32_t i = 0; i < f->x->threads.n; i++)
		if (i != event_at(f, signal)->thread && may_wait(f, i, event_at(f, signal)->object, signal))
			return true;
	return false;
}

/* Where the wait of that thread began, which never ended: nothing that it does comes behind its SAP. */
static size_t begin_of_wait(const struct finder *f, size_t blocked)
{
	const struct event *b = event_at(f, blocked);
	for (size_t i = blocked; i-- > 0;) {
		const struct event *e = event_at(f, i);
		bool begins = b->kind == EVENT_HANG ? e->kind == EVENT_UNLOCK : e->kind == EVENT_CALL && !strcmp(f->x->sites.at[e->site].what, "waits");
		if (e->thread == b->thread && begins)
			return i;
	}
	return SLICE_NONE;
}

/* The event of a note, if it has one; SLICE_NONE: it is not certain that it came before the step `until`. */
static size_t certain_step(const struct finder *f, size_t note, size_t until)
{
	const struct event *n = event_at(f, note);
	if (!(n->flags & EVENT_NOTE))
		return note;
	for (size_t i = note; i-- > 0 && event_at(f, i)->thread == n->thread && event_at(f, i)->sap == n->sap;)
		if (!(event_at(f, i)->flags & EVENT_NOTE))
			return i;
	uint64_t passed = sap_around(f, n->thread, until, true);
	return passed != UINT64_MAX && passed >= n->sap ? note : SLICE_NONE;
}

static bool wakes_one(const struct finder *f, const struct event *e)
{
	return e->kind == EVENT_SIGNAL || (e->flags & EVENT_SIGNALS && strstr(f->x->sites.at[e->site].what, "signal"));
}

/* Does its thread itself write there before the step? Then it counted there (`waiting++`), and did not look. */
static bool is_counted(const struct finder *f, size_t read, size_t until)
{
	for (size_t i = read + 1; i < until; i++)
		if (event_at(f, i)->thread == event_at(f, read)->thread && told_writes(event_at(f, i)) && events_overlap(event_at(f, i), event_at(f, read)))
			return true;
	return false;
}

/* Is it the library's own account of what goes on (a stop token's state), and not what the program waits for? */
static bool is_account(const struct event *e)
{
	return e->flags & EVENT_ACCOUNT;
}

/* Does the write begin a local variable, in the line that declares it? What lay there before was another one, of an earlier call, mostly. Names of local variables have that line: "c@33+16". */
static bool begins_variable(const struct finder *f, const struct event *write)
{
	const struct place_name *p = execution_place(f->x, write->object);
	const char *declared = p ? strchr(p->name, '@') : NULL, *line = strrchr(f->x->sites.at[write->site].where, ':');
	return declared && line && strtoul(declared + 1, NULL, 10) == strtoul(line + 1, NULL, 10);
}

/* Is what the step read no longer there, but another variable of its own thread's? */
static bool is_gone_since(const struct finder *f, size_t read)
{
	for (size_t i = read + 1; i < f->l->steps.n; i++)
		if (event_at(f, i)->thread != event_at(f, read)->thread && event_at(f, i)->kind == EVENT_WRITE && events_overlap(event_at(f, i), event_at(f, read)) && begins_variable(f, event_at(f, i)))
			return true;
	return false;
}

/* What it read last before it waited, nearby, if only in a function that was handed over (cv.wait(lock, [&] { return ready; })); and who wrote that afterwards. */
static void find_read(const struct finder *f, struct hang *h, size_t from)
{
	enum { NEAR = 6, BEYOND = 64 }; /* where the library did something in between */
	const struct event *wait = event_at(f, from), *read;
	size_t counted = SLICE_NONE, near = NEAR;
	for (size_t i = from; i-- > 0 && h->read == SLICE_NONE;) {
		const struct event *e = event_at(f, i);
		if (e->thread != wait->thread || (e->kind != EVENT_READ && e->kind != EVENT_UPDATE))
			continue;
		if (e->sap + near < wait->sap)
			break;
		if (is_account(e))
			near = BEYOND;
		else if (e->kind == EVENT_READ && is_counted(f, i, from))
			counted = counted == SLICE_NONE ? i : counted;
		else
			h->read = i;
	}
	h->read = h->read == SLICE_NONE ? counted : h->read;
	h->read = h->read != SLICE_NONE && is_gone_since(f, h->read) ? SLICE_NONE : h->read;
	read = h->read == SLICE_NONE ? NULL : event_at(f, h->read);
	for (size_t i = h->read; read && ++i < f->l->steps.n && h->wrote == SLICE_NONE;) {
		const struct event *e = event_at(f, i);
		if (e->thread != read->thread && (e->kind == EVENT_WRITE || (e->kind == EVENT_UPDATE && e->written)) && events_overlap(e, read))
			h->wrote = i;
	}
	h->unchanged = read && h->wrote == SLICE_NONE && f->complete;
	for (size_t i = f->l->needed; read && h->wrote != SLICE_NONE && i-- > h->wrote && h->is == SLICE_NONE;) {
		const struct event *e = event_at(f, i);
		if (!told_writes(e) || !events_overlap(e, read))
			continue;
		if (e->object != read->object || e->size != read->size || f->values[e->written] != f->values[read->read])
			h->is = i;
		break;
	}
}

/* Where the condition variable lies of a wait that begins at the step; else its number. Memory that is used again has several at one address, one after the other. */
static uint64_t condition_of(const struct finder *f, size_t blocked, size_t from)
{
	const struct event *wait = event_at(f, from);
	if (event_at(f, blocked)->kind == EVENT_HANG)
		return event_at(f, blocked)->object;
	for (size_t i = from; ++i < f->l->steps.n && event_at(f, i)->thread == wait->thread && event_at(f, i)->sap == wait->sap;)
		if (event_at(f, i)->flags & EVENT_WAITS)
			return event_at(f, i)->object < RT_MIRROR || event_at(f, i)->object >= RT_MIRROR + RT_MIRROR_SIZE ? event_at(f, i)->object : 0;
	return 0;
}

static size_t start_of(const struct finder *f, uint32_t thread)
{
	for (size_t i = 0; i < f->l->steps.n; i++)
		if (event_at(f, i)->thread == thread)
			return i;
	return SLICE_NONE;
}

/* A signal counts that came after the thread began, and after what it read last: before that it may have been another condition variable that lay there. */
static void find_signal(const struct finder *f, struct hang *h)
{
	size_t from = begin_of_wait(f, h->blocked);
	bool any = false;
	h->on_condition = from != SLICE_NONE;
	h->condition = h->on_condition ? condition_of(f, h->blocked, from) : 0;
	if (!h->condition)
		return;
	find_read(f, h, from);
	size_t earliest = h->read != SLICE_NONE ? h->read : start_of(f, event_at(f, h->blocked)->thread);
	for (size_t i = 0; i < f->l->steps.n; i++) {
		const struct event *e = event_at(f, i);
		if (!is_signal(e) || e->object != h->condition)
			continue;
		any = true;
		if (i > from && i < f->l->needed && wakes_one(f, e))
			h->other = i;
		if (i > earliest && i < from && e->thread != event_at(f, h->blocked)->thread)
			h->signal = i;
	}
	h->never = !any && f->complete;
	h->other = h->other != SLICE_NONE && may_wake(f, h->other) ? h->other : SLICE_NONE;
	h->lost = h->signal != SLICE_NONE && f->complete && !may_wake(f, h->signal);
	h->signal = h->signal != SLICE_NONE ? certain_step(f, h->signal, from) : SLICE_NONE;
}

/* Where the thread came back that the signal for one thread woke; nobody else may have come back since. */
static void find_woken(const struct finder *f, struct hang *h)
{
	uint64_t since;
	size_t found = SLICE_NONE;
	for (size_t i = h->other; h->other != SLICE_NONE && ++i < f->l->needed;) {
		if (!ends_wait(f, f->l->steps.at[i].event, h->condition, &since))
			continue;
		if (found != SLICE_NONE)
			return;
		found = i;
	}
	h->woke = found;
}

/* ---- who waits for something else: a futex, a number that others change ---- */

/* The last write to the place of an access behind it, if that left something else there than the thread found, or left, itself; SLICE_NONE. */
static size_t changed_since(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	uint64_t value = f->values[told_writes(e) ? e->written : e->read];
	for (size_t i = f->l->needed; i-- > step + 1;) {
		const struct event *w = event_at(f, i);
		if (told_writes(w) && events_overlap(w, e))
			return w->thread != e->thread && w->object == e->object && w->size == e->size && f->values[w->written] != value ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* Has it been something else since, of which nothing is left: what another thread wrote was overwritten by what the look had found? The last such write, and what it overwrote. */
static size_t came_back(const struct finder *f, size_t step, size_t *away)
{
	const struct event *e = event_at(f, step);
	size_t back = SLICE_NONE;
	*away = SLICE_NONE;
	for (size_t i = step + 1; i < f->l->needed; i++) {
		const struct event *w = event_at(f, i);
		if (!told_writes(w) || !events_overlap(w, e))
			continue;
		if (w->thread == e->thread || w->object != e->object || w->size != e->size)
			return SLICE_NONE;
		bool same = f->values[w->written] == f->values[e->read];
		back = same && *away != SLICE_NONE ? i : SLICE_NONE;
		*away = same ? *away : i;
	}
	return back;
}

/* What the thread says that it waits, and the other asks for behind its write, came too late for that. */
static void find_told(const struct finder *f, struct hang *h)
{
	enum { NEAR = 8 };
	const struct event *wrote = event_at(f, h->is);
	uint32_t thread = event_at(f, h->blocked)->thread;
	for (size_t i = h->is + 1; i < f->l->needed && h->told == SLICE_NONE; i++) {
		const struct event *r = event_at(f, i);
		if (r->thread != wrote->thread || !told_reads(r) || r->flags & EVENT_SYSTEM || r->sap > wrote->sap + NEAR)
			continue;
		for (size_t k = i + 1; k < h->blocked && h->told == SLICE_NONE; k++)
			if (event_at(f, k)->thread == thread && told_writes(event_at(f, k)) && events_overlap(event_at(f, k), r))
				h->looked = i, h->told = k;
	}
}

/* Who takes all that is in a list leaves an empty one, also where it was empty. */
static bool leaves_as_found(const struct finder *f, const struct event *write, const struct event *read)
{
	return write->kind == EVENT_WRITE && write->written && read->kind == EVENT_READ && write->object == read->object && write->size == read->size &&
	       f->values[write->written] == f->values[read->read];
}

/* Has the thread been there again before it waited? A header of the system that waits for another value (std::atomic::wait) looks once more, which is no look of the program's. */
static bool is_passed(const struct finder *f, size_t step, size_t until)
{
	const struct event *e = event_at(f, step);
	for (size_t i = step + 1; i < until; i++) {
		const struct event *a = event_at(f, i);
		if (a->thread == e->thread && told_accesses(a) && events_overlap(a, e) && (told_writes(a) || !(a->flags & EVENT_SYSTEM)) && !leaves_as_found(f, a, e))
			return true;
	}
	return false;
}

/* The last of what the program itself looked at, shortly before, that is no longer as the thread found it, or has not been all the time; in the function that waits, or in any. What it counted there is no look, unless there is nothing else. */
static void find_looked(const struct finder *f, struct hang *h, bool in_function, bool updates)
{
	enum { NEAR = 64 };
	size_t away;
	const struct event *b = event_at(f, h->blocked);
	for (size_t i = h->blocked; i-- > 0 && h->read == SLICE_NONE;) {
		const struct event *e = event_at(f, i);
		if (e->thread != b->thread)
			continue;
		if (e->sap + NEAR < b->sap)
			return;
		if (in_function && strcmp(f->x->sites.at[e->site].function, f->x->sites.at[b->site].function))
			continue;
		if (!told_reads(e) || (!updates && told_writes(e)) || e->flags & EVENT_SYSTEM || is_passed(f, i, h->blocked) || is_gone_since(f, i))
			continue;
		if ((h->is = changed_since(f, i)) != SLICE_NONE)
			h->read = i;
		else if (!told_writes(e) && (h->is = came_back(f, i, &away)) != SLICE_NONE)
			h->read = i, h->missed = away;
	}
}

static void find_missed(const struct finder *f, struct hang *h)
{
	if (h->on_condition || event_at(f, h->blocked)->object || h->joins != UINT32_MAX)
		return;
	for (int any = 0; any < 4 && h->read == SLICE_NONE; any++)
		find_looked(f, h, !(any & 2), any & 1);
	for (size_t i = h->read; h->read != SLICE_NONE && ++i <= h->is && h->wrote == SLICE_NONE;)
		if (told_writes(event_at(f, i)) && events_overlap(event_at(f, i), event_at(f, h->read)))
			h->wrote = i;
	if (h->read != SLICE_NONE)
		find_told(f, h);
}

static void find_freed(const struct finder *f, struct hang *h)
{
	const struct event *blocked = event_at(f, h->blocked);
	for (size_t i = h->blocked; i-- > 0 && blocked->object && h->freed == SLICE_NONE;)
		if (event_at(f, i)->kind == EVENT_CALL && event_at(f, i)->object == blocked->object && !(event_at(f, i)->flags & EVENT_NOTE) &&
		    !strcmp(f->x->sites.at[event_at(f, i)->site].what, "free"))
			h->freed = i;
}

/* Does the step take what others wait for: a lock of any kind, or the turn to run what runs once? */
static bool takes(const struct finder *f, const struct event *e)
{
	const char *what = f->x->sites.at[e->site].what;
	if (e->kind != EVENT_ORDERED)
		return e->kind == EVENT_LOCK;
	return !strcmp(what, "pthread_once") || (strstr(what, "lock") && !strstr(what, "unlock"));
}

/* What the thread that has the lock did last, with it. */
static void find_last(const struct finder *f, struct hang *h)
{
	const struct event *blocked = event_at(f, h->blocked), *taken = NULL;
	size_t from = h->blocked;
	while (from-- > 0 && blocked->object && !taken)
		if ((event_sync_class(event_at(f, from)) == SYNC_LOCK || event_at(f, from)->kind == EVENT_ORDERED) && event_at(f, from)->object == blocked->object)
			taken = event_at(f, from);
	if (!taken || !takes(f, taken) || taken->thread == blocked->thread)
		return;
	h->holder = taken->thread;
	for (size_t i = from + 1; i < f->l->steps.n; i++)
		if (event_at(f, i)->thread == taken->thread && told_accesses(event_at(f, i)))
			h->last = i;
}

static bool has_created(const struct finder *f, uint32_t thread, uint32_t other)
{
	for (size_t i = 0; i < f->l->steps.n; i++)
		if (event_at(f, i)->thread == thread && event_at(f, i)->kind == EVENT_CREATE && event_at(f, i)->object == other)
			return true;
	return false;
}

/* Who waits for a lock that another has, which waits itself, is not what matters. Of several the one counts that the thread had created: it waits for what that one does, mostly. */
static void find_wanted(const struct finder *f, hangs *all)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->n; k++) {
			uint32_t thread = event_at(f, all->at[i].blocked)->thread;
			if (all->at[k].holder == thread && (all->at[i].wanted == SLICE_NONE || has_created(f, thread, event_at(f, all->at[k].blocked)->thread)))
				all->at[i].wanted = all->at[k].blocked;
		}
}

/* Does the thread wait for a signal for ever? */
static bool waits_for_signal(const hangs *all, const struct finder *f, uint32_t thread)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].on_condition && event_at(f, all->at[i].blocked)->thread == thread)
			return true;
	return false;
}

/* The last write to the place before the step, but for the thread's own (both count there), or SLICE_NONE. */
static size_t wrote_before(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	for (size_t i = step; i-- > 0;)
		if (told_writes(event_at(f, i)) && event_at(f, i)->thread != e->thread && events_overlap(event_at(f, i), e))
			return i;
	return SLICE_NONE;
}

/* Is it written again behind the step, by anybody? Then it is not what keeps the thread waiting. */
static bool writes_behind(const struct finder *f, size_t step)
{
	for (size_t i = step + 1; i < f->l->needed; i++)
		if (told_writes(event_at(f, i)) && events_overlap(event_at(f, i), event_at(f, step)))
			return true;
	return false;
}

/* Since which SAP did the thread have the lock that it gave up to wait? 0: not known. What it had seen before that is no longer what it waits for. */
static uint64_t taken_since(const struct finder *f, size_t from)
{
	const struct event *wait = event_at(f, from);
	for (size_t i = f->x->held.n; i-- > 0;)
		if (f->x->held.at[i].thread == wait->thread && f->x->held.at[i].to == wait->sap)
			return f->x->held.at[i].from;
	return 0;
}

/* Is it an address? Those are followed, not waited for. */
static bool is_address(const struct finder *f, const struct event *read)
{
	return read->size == 8 && f->values[read->read] > UINT16_MAX;
}

/* Threads that wait for one another without a lock: each keeps something (a count of readers) that the other waits for. What is nothing (0) is rather what it would like to find, and is left out. */
static void find_taken(const struct finder *f, hangs *all, struct hang *h)
{
	enum { NEAR = 12 };
	size_t from = h->on_condition ? begin_of_wait(f, h->blocked) : SLICE_NONE;
	uint64_t taken = from != SLICE_NONE ? taken_since(f, from) : 0;
	for (size_t i = from; from != SLICE_NONE && i-- > 0;) {
		const struct event *e = event_at(f, i), *wait = event_at(f, from);
		if (e->thread != wait->thread || !told_reads(e) || e->flags & EVENT_SYSTEM)
			continue;
		if (e->sap + NEAR < wait->sap || e->sap < taken)
			break;
		size_t by = wrote_before(f, i);
		if (by == SLICE_NONE || !waits_for_signal(all, f, event_at(f, by)->thread) || writes_behind(f, i))
			continue;
		if (!f->values[e->read] || is_address(f, e))
			continue;
		h->taken = i;
		h->taker = by;
	}
}

/* What a write left in the bytes of a read that it covers; false: not in all of them. */
static bool left_there(const struct finder *f, const struct event *write, const struct event *read, uint64_t *value)
{
	uint64_t offset = read->object - write->object;
	if (read->object < write->object || offset + read->size > write->size || write->size > sizeof *value)
		return false;
	*value = f->values[write->written] >> 8 * offset;
	*value &= read->size < sizeof *value ? (UINT64_C(1) << 8 * read->size) - 1 : UINT64_MAX;
	return true;
}

/* The last write to the place of the read before the step. */
static size_t written_before(const struct finder *f, size_t read, size_t step)
{
	while (step-- > 0)
		if (told_writes(event_at(f, step)) && events_overlap(event_at(f, step), event_at(f, read)))
			return step;
	return SLICE_NONE;
}

/* Where the thread came back from a wait for the condition variable last, before the step. */
static size_t last_return(const struct finder *f, uint32_t thread, uint64_t condition, size_t step, uint64_t *since)
{
	while (step-- > 0)
		if (event_at(f, step)->thread == thread && ends_wait(f, f->l->steps.at[step].event, condition, since))
			return step;
	return SLICE_NONE;
}

/* Does the thread wait for ever for the condition variable, and has it had the lock that it gave up for that since it wrote there? */
static bool waits_since(const struct finder *f, size_t write, uint64_t condition)
{
	const struct event *w = event_at(f, write);
	for (size_t i = write; i < f->l->needed; i++) {
		size_t from = event_at(f, i)->thread == w->thread && blocks(f, event_at(f, i)) ? begin_of_wait(f, i) : SLICE_NONE;
		if (from == SLICE_NONE)
			continue;
		uint64_t taken = taken_since(f, from);
		return taken && taken <= w->sap && condition_of(f, i, from) == condition;
	}
	return false;
}

/*
 * Was the thread woken by one who had written what it looks at, and did a third change that before it came to look? Then what it was woken for was there, and is gone (a barrier that is
 * counted up anew before all have left it). What it found is no longer so, or who changed it went to wait at once: else somebody only did what it would have done (idle workers).
 */
static void find_overtaken(const struct finder *f, struct hang *h)
{
	uint64_t since, left;
	const struct event *read = h->read != SLICE_NONE ? event_at(f, h->read) : NULL;
	if (!read || read->kind != EVENT_READ || h->signal != SLICE_NONE || h->other != SLICE_NONE)
		return;
	size_t back = last_return(f, read->thread, h->condition, h->read, &since), over = written_before(f, h->read, h->read);
	if (over == SLICE_NONE || (h->is == SLICE_NONE && !waits_since(f, over, h->condition)))
		return;
	for (size_t i = back; back != SLICE_NONE && i-- > 0 && h->woken == SLICE_NONE;) {
		const struct event *e = event_at(f, i);
		if (e->thread == read->thread && e->sap < since)
			return;
		if (!is_signal(e) || e->object != h->condition || e->thread == read->thread)
			continue;
		size_t wrote = written_before(f, h->read, i);
		if (over < i || event_at(f, over)->thread == read->thread || wrote == SLICE_NONE || event_at(f, wrote)->thread != e->thread ||
		    !left_there(f, event_at(f, wrote), read, &left) || left == f->values[read->read])
			return;
		h->woken = i;
		h->over = over;
	}
}

static int interest(const struct hang *h)
{
	if (h->spins)
		return h->missed != SLICE_NONE || h->told != SLICE_NONE ? 6 : 0; /* who waits for its end is what came of it */
	if (h->freed != SLICE_NONE)
		return 7;
	if ((h->lost && h->signal != SLICE_NONE) || h->told != SLICE_NONE)
		return 6;
	if (h->wanted != SLICE_NONE)
		return 5;
	if (h->signal != SLICE_NONE && h->is != SLICE_NONE)
		return 5; /* it came between look and wait, whoever else was woken by it */
	if (h->joins != UINT32_MAX)
		return -2;
	if (h->woken != SLICE_NONE)
		return 4;
	if (h->taken != SLICE_NONE)
		return 2;
	if (h->read != SLICE_NONE && h->is == SLICE_NONE && h->on_condition)
		return h->never_written; /* a queue that is as it was again says less: idle workers */
	return h->other != SLICE_NONE ? 4 : h->read != SLICE_NONE ? 3 : h->on_condition ? 2 : h->outside ? -1 : 1;
}

static int by_interest(const void *p, const void *q)
{
	const struct hang *a = p, *b = q;
	if (interest(a) != interest(b))
		return interest(a) > interest(b) ? -1 : 1;
	return a->blocked < b->blocked ? -1 : a->blocked > b->blocked;
}

/* Does a thread wait for ever, by then, for a signal of that condition variable? */
static bool is_awaited(const struct finder *f, size_t until, uint64_t condition)
{
	for (size_t i = 0; i < until; i++) {
		size_t from = blocks(f, event_at(f, i)) ? begin_of_wait(f, i) : SLICE_NONE;
		if (from != SLICE_NONE && condition_of(f, i, from) == condition)
			return true;
	}
	return false;
}

void hang_complete(struct told *t)
{
	struct finder f = {.x = &t->x, .l = &t->l};
	for (size_t i = t->l.steps.n; i-- > t->l.needed;)
		if (is_signal(event_at(&f, i)) && is_awaited(&f, t->l.needed, event_at(&f, i)->object)) {
			t->l.needed = t->l.steps.n;
			return;
		}
}

static struct hang hang_at(size_t step)
{
	return (struct hang){.blocked = step, .signal = SLICE_NONE, .other = SLICE_NONE, .read = SLICE_NONE, .wrote = SLICE_NONE, .is = SLICE_NONE, .woke = SLICE_NONE,
			     .freed = SLICE_NONE, .last = SLICE_NONE, .wanted = SLICE_NONE, .looked = SLICE_NONE, .told = SLICE_NONE, .taken = SLICE_NONE, .taker = SLICE_NONE,
			     .missed = SLICE_NONE, .woken = SLICE_NONE, .over = SLICE_NONE, .joins = UINT32_MAX, .holder = UINT32_MAX};
}

static bool is_known(const struct finder *f, const hangs *all, uint32_t thread)
{
	for (size_t i = 0; i < all->n; i++)
		if (event_at(f, all->at[i].blocked)->thread == thread)
			return true;
	return false;
}

/* Those that have not ended, and do not wait, go round. */
static void add_spins(const struct finder *f, hangs *all, const struct told *t)
{
	for (uint32_t i = 0; i < f->x->threads.n; i++) {
		const struct execution_thread *thread = &f->x->threads.at[i];
		struct spin s;
		if (!thread->count || !(f->x->events.at[thread->first + thread->count - 1].flags & EVENT_FAILS) || is_known(f, all, i) || !spins_find(&s, t, f->values, i))
			continue;
		struct hang h = hang_at(s.read);
		h.spins = true;
		h.read = s.read;
		h.is = s.is;
		h.missed = s.missed;
		h.looked = s.looked;
		h.told = s.told;
		*vec_push(all) = h;
	}
}

hangs hang_find(const struct told *t, const uint64_t *values)
{
	struct finder f = {&t->x, &t->l, values, !t->x.lock_order_known || !t->x.notes_lost};
	hangs all = {0};
	for (size_t i = 0; i < t->l.needed; i++) {
		if (!blocks(&f, event_at(&f, i)))
			continue;
		struct hang h = hang_at(i);
		if (event_at(&f, i)->kind == EVENT_CALL && event_at(&f, i)->count && event_at(&f, i)->count <= t->x.threads.n)
			h.joins = event_at(&f, i)->count - 1;
		find_signal(&f, &h);
		h.outside = !h.on_condition && !event_at(&f, i)->object && h.joins == UINT32_MAX;
		find_woken(&f, &h);
		find_missed(&f, &h);
		find_overtaken(&f, &h);
		find_freed(&f, &h);
		find_last(&f, &h);
		*vec_push(&all) = h;
	}
	add_spins(&f, &all, t);
	find_wanted(&f, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].is == SLICE_NONE && all.at[i].other == SLICE_NONE && !all.at[i].spins) {
			find_taken(&f, &all, &all.at[i]);
			all.at[i].never_written = all.at[i].read != SLICE_NONE && wrote_before(&f, all.at[i].read) == SLICE_NONE;
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_interest);
	return all;
}
