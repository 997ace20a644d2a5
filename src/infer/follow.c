#include "infer/follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* SAP `sap` of `thread` comes after SAP `other_sap` of `other`. */
struct after {
	uint32_t thread, other;
	uint64_t sap, other_sap;
};

struct run {
	const struct rt_order *order;
	uint32_t thread;
	uint64_t last; /* of its SAPs, the one that others come after (part_calls) */
	bool again;    /* it begins in the middle of a SAP, with others before it */
};

/* A SAP that others came in between of. */
struct parted {
	uint32_t thread;
	uint64_t sap;
};

struct builder {
	const struct trace *t;
	struct schedule *s;
	vec(struct run) runs; /* of all threads */
	vec(struct after) all;
	vec(struct parted) parted;
};

/* -------------------------------------------------- orders ------------------------------- */

static void add_after(struct builder *b, uint32_t thread, uint64_t sap, uint32_t other, uint64_t other_sap)
{
	if (thread != other && other_sap)
		*vec_push(&b->all) = (struct after){thread, other, sap, other_sap};
}

static void collect_runs(struct builder *b)
{
	for (uint32_t i = 0; i < b->t->nthreads; i++)
		for (size_t k = 0; k < b->t->threads[i].norder; k++)
			*vec_push(&b->runs) = (struct run){&b->t->threads[i].order[k], i, 0, false};
}

/* By location, then version; reads of a version behind the write that made it. */
static int by_version(const void *p, const void *q)
{
	const struct rt_order *a = ((const struct run *)p)->order, *b = ((const struct run *)q)->order;
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	uint64_t va = a->version + (a->kind == RT_ORDER_WRITE ? a->count - 1 : 0);
	uint64_t vb = b->version + (b->kind == RT_ORDER_WRITE ? b->count - 1 : 0);
	if (va != vb)
		return va < vb ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind > b->kind ? -1 : 1; /* WRITE before READ */
	return 0;
}

/* How many runs from here on are of one location. */
static size_t same_location(const struct builder *b, size_t i)
{
	const struct run *r = &b->runs.at[i];
	size_t n = 1;
	while (i + n < b->runs.n && r[n].order->location == r->order->location)
		n++;
	return n;
}

/*
 * A call of a library may use a location, let others use it, and use it again: it is parted. Those in between come
 * before its end, so what it used before, there and elsewhere, is ordered by the SAP before it.
 */
static int by_sap(const void *p, const void *q)
{
	const struct parted *a = p, *b = q;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->sap < b->sap ? -1 : a->sap > b->sap;
}

static void find_parted(struct builder *b, struct run *r, size_t n, uint64_t *previous)
{
	memset(previous, 0, b->t->nthreads * sizeof *previous);
	for (size_t i = 0; i < n; i++) {
		r[i].last = r[i].order->last;
		r[i].again = previous[r[i].thread] && previous[r[i].thread] == r[i].order->first;
		if (r[i].again)
			*vec_push(&b->parted) = (struct parted){r[i].thread, r[i].order->first};
		previous[r[i].thread] = r[i].last;
	}
}

static void part_calls(struct builder *b)
{
	uint64_t *previous = xcalloc(b->t->nthreads, sizeof *previous);
	for (size_t i = 0, n; i < b->runs.n; i += n) {
		n = same_location(b, i);
		if (b->runs.at[i].order->location)
			find_parted(b, &b->runs.at[i], n, previous);
	}
	free(previous);
	if (!b->parted.n)
		return;
	qsort(b->parted.at, b->parted.n, sizeof *b->parted.at, by_sap);
	for (size_t i = 0; i < b->runs.n; i++) {
		struct run *r = &b->runs.at[i];
		struct parted key = {r->thread, r->last};
		bool ends_again = r->again && r->order->first == r->last;
		if (r->last && !ends_again && bsearch(&key, b->parted.at, b->parted.n, sizeof key, by_sap))
			r->last--;
	}
}

/* The runs of one location, in order. */
static bool order_location(struct builder *b, const struct run *r, size_t n, struct error *err)
{
	const struct run *write = NULL; /* the last one */
	size_t reads = 0;               /* where its reads begin */
	uint64_t nreads = 0;
	for (size_t i = 0; i < n; i++) {
		const struct rt_order *o = r[i].order;
		if (o->kind == RT_ORDER_READ) {
			if (write)
				add_after(b, r[i].thread, o->first, write->thread, write->last);
			if (!write || write->thread != r[i].thread)
				nreads += o->count;
			continue;
		}
		if (o->kind == RT_ORDER_WRITE && o->value != nreads)
			return fail(err, "the log is not complete: version %" PRIu64 " of location %u had %u reads, of which "
					 "%" PRIu64 " are in it", o->version - 1, o->location, o->value, nreads);
		if (write)
			add_after(b, r[i].thread, o->first, write->thread, write->last);
		for (size_t k = reads; k < i; k++)
			add_after(b, r[i].thread, o->first, r[k].thread, r[k].last);
		write = &r[i];
		reads = i + 1;
		nreads = 0;
	}
	return true;
}

/* Who has begun a step on an object and not done it comes after all that was done on it. */
static void order_pending(struct builder *b, const struct run *r, size_t n)
{
	for (uint32_t i = 0; n && i < b->t->nthreads; i++) {
		const struct rt_thread *info = &b->t->threads[i].info;
		if (info->waits_for == r->order->location)
			for (size_t k = 0; k < n; k++)
				add_after(b, i, info->sync_done + 1, r[k].thread, r[k].order->last);
	}
}

static bool order_locations(struct builder *b, struct error *err)
{
	if (b->runs.n)
		qsort(b->runs.at, b->runs.n, sizeof *b->runs.at, by_version);
	part_calls(b);
	for (size_t i = 0, n; i < b->runs.n; i += n) {
		const struct run *r = &b->runs.at[i];
		n = same_location(b, i);
		if (!r->order->location)
			continue;
		if (!order_location(b, r, n, err))
			return false;
		order_pending(b, r, n);
	}
	return true;
}

/* An entry as one of two kinds that are counted over all threads: place `at` of the process. */
struct counted {
	uint64_t at, sap;
	uint32_t thread;
};
typedef vec(struct counted) counted_list;

static int by_place(const void *p, const void *q)
{
	const struct counted *a = p, *b = q;
	return a->at < b->at ? -1 : a->at > b->at;
}

/*
 * Every entry of kind `later`, whose `version` is a count, comes after those of kind `earlier` whose place is not beyond
 * it: the latest one of each thread, where that is another than last time.
 */
static void order_counted(struct builder *b, uint32_t later, const counted_list *earlier)
{
	uint32_t nthreads = b->t->nthreads;
	uint64_t *latest = xcalloc(nthreads, sizeof *latest), *told = xcalloc(nthreads, sizeof *told);
	for (uint32_t i = 0; i < nthreads; i++) {
		size_t next = 0;
		memset(latest, 0, nthreads * sizeof *latest);
		memset(told, 0, nthreads * sizeof *told);
		for (size_t k = 0; k < b->t->threads[i].norder; k++) {
			const struct rt_order *o = &b->t->threads[i].order[k];
			if (o->kind != later)
				continue;
			for (; next < earlier->n && earlier->at[next].at <= o->version; next++)
				latest[earlier->at[next].thread] = earlier->at[next].sap;
			for (uint32_t u = 0; u < nthreads; u++)
				if (latest[u] > told[u])
					add_after(b, i, o->first, u, told[u] = latest[u]);
		}
	}
	free(latest);
	free(told);
}

/* A call comes after those that had ended when it began; what is heard after whatever may have been its cause. */
static void order_calls(struct builder *b)
{
	counted_list ended = {0}, wakes = {0};
	for (size_t i = 0; i < b->runs.n; i++) {
		const struct rt_order *o = b->runs.at[i].order;
		if (o->kind == RT_ORDER_CALL && o->last)
			*vec_push(&ended) = (struct counted){o->last, o->first, b->runs.at[i].thread};
		if (o->kind == RT_ORDER_WAKE)
			*vec_push(&wakes) = (struct counted){o->version, o->first, b->runs.at[i].thread};
	}
	if (ended.n)
		qsort(ended.at, ended.n, sizeof *ended.at, by_place);
	if (wakes.n)
		qsort(wakes.at, wakes.n, sizeof *wakes.at, by_place);
	order_counted(b, RT_ORDER_CALL, &ended);
	order_counted(b, RT_ORDER_HEAR, &wakes);
	vec_free(&ended);
	vec_free(&wakes);
}

/*
 * Who was alone comes after all that others had done, and they go on after it. A thread that did nothing more has nothing
 * to wait with, but for the one that failed in what it did next.
 */
static void order_alone(struct builder *b)
{
	const struct trace *t = b->t;
	for (uint32_t i = 0; i < t->nthreads; i++) {
		const struct rt_order *alone = NULL;
		for (size_t k = 0; k < t->threads[i].norder; k++) {
			const struct rt_order *o = &t->threads[i].order[k];
			if (o->kind == RT_ORDER_ALONE)
				alone = o;
			if (o->kind == RT_ORDER_AFTER && o->value < t->nthreads)
				add_after(b, i, o->first, o->value, o->version);
			if (o->kind != RT_ORDER_SEEN || !alone || o->value >= t->nthreads)
				continue;
			uint64_t next = o->version + o->count;
			bool goes_on = t->threads[o->value].info.sync_done >= next || o->value == t->failure.thread;
			add_after(b, i, o->first, o->value, o->version);
			if (alone->last && goes_on)
				add_after(b, o->value, next, i, alone->last);
		}
	}
}

static void force_results(struct builder *b)
{
	for (size_t i = 0; i < b->runs.n; i++) {
		const struct rt_order *o = b->runs.at[i].order;
		if (o->kind != RT_ORDER_RESULT && o->kind != RT_ORDER_SIGNAL)
			continue;
		struct schedule_point p = {.sap = o->first, .result = (int32_t)o->value};
		snprintf(p.thread, sizeof p.thread, "%s", b->t->threads[b->runs.at[i].thread].name);
		if (o->kind == RT_ORDER_RESULT) {
			*vec_push(&b->s->results) = p;
		} else {
			p.when = o->version;
			*vec_push(&b->s->signals) = p;
		}
	}
}

/* -------------------------------------------------- what is implied ---------------------- */

/*
 * The orders played through: every thread goes on as far as what it waits for has been played. A row of a clock is kept
 * for each SAP that somebody waits for.
 */
struct play {
	struct builder *b;
	uint32_t nthreads;
	size_t *first;        /* by thread: its orders in b->all, sorted; nthreads + 1 entries */
	size_t *at;           /* by thread: the next one */
	uint64_t *clock;      /* by thread: a row */
	struct kept {
		uint64_t sap;
		size_t row;
	} **kept;             /* by thread: SAPs that are waited for, growing */
	size_t *nkept, *next_kept;
	vec(uint64_t) rows;
};

static int by_thread(const void *p, const void *q)
{
	const struct after *a = p, *b = q;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->sap != b->sap)
		return a->sap < b->sap ? -1 : 1;
	if (a->other != b->other)
		return a->other < b->other ? -1 : 1;
	return a->other_sap > b->other_sap ? -1 : a->other_sap < b->other_sap; /* the latest first */
}

static int by_kept_sap(const void *p, const void *q)
{
	const struct kept *a = p, *b = q;
	return a->sap < b->sap ? -1 : a->sap > b->sap;
}

static void play_init(struct play *p, struct builder *b)
{
	uint32_t n = b->t->nthreads;
	*p = (struct play){.b = b, .nthreads = n};
	if (b->all.n)
		qsort(b->all.at, b->all.n, sizeof *b->all.at, by_thread);
	p->first = xcalloc(n + 1, sizeof *p->first);
	p->at = xcalloc(n + 1, sizeof *p->at);
	p->clock = xcalloc((size_t)n * n, sizeof *p->clock);
	p->kept = xcalloc(n, sizeof *p->kept);
	p->nkept = xcalloc(n, sizeof *p->nkept);
	p->next_kept = xcalloc(n, sizeof *p->next_kept);
	for (size_t i = 0; i < b->all.n; i++) {
		p->first[b->all.at[i].thread + 1]++;
		p->nkept[b->all.at[i].other]++;
	}
	for (uint32_t t = 0; t < n; t++) {
		p->first[t + 1] += p->first[t];
		p->at[t] = p->first[t];
		p->kept[t] = xcalloc(p->nkept[t] + 1, sizeof **p->kept);
		p->nkept[t] = 0;
	}
	for (size_t i = 0; i < b->all.n; i++) {
		uint32_t u = b->all.at[i].other;
		p->kept[u][p->nkept[u]++].sap = b->all.at[i].other_sap;
	}
	for (uint32_t t = 0; t < n; t++) {
		size_t kept = 0;
		qsort(p->kept[t], p->nkept[t], sizeof **p->kept, by_kept_sap);
		for (size_t i = 0; i < p->nkept[t]; i++)
			if (!kept || p->kept[t][kept - 1].sap != p->kept[t][i].sap)
				p->kept[t][kept++] = p->kept[t][i];
		p->nkept[t] = kept;
	}
}

static void play_release(struct play *p)
{
	for (uint32_t t = 0; t < p->nthreads; t++)
		free(p->kept[t]);
	free(p->first);
	free(p->at);
	free(p->clock);
	free(p->kept);
	free(p->nkept);
	free(p->next_kept);
	vec_free(&p->rows);
}

/* Keep the clock for the SAPs below `sap` that somebody waits for: they are played now. */
static bool keep_below(struct play *p, uint32_t thread, uint64_t sap)
{
	bool any = false;
	const uint64_t *clock = p->clock + (size_t)thread * p->nthreads;
	size_t *next = &p->next_kept[thread];
	for (; *next < p->nkept[thread] && p->kept[thread][*next].sap < sap; (*next)++) {
		struct kept *k = &p->kept[thread][*next];
		k->row = p->rows.n;
		for (uint32_t u = 0; u < p->nthreads; u++)
			*vec_push(&p->rows) = u == thread ? k->sap : clock[u];
		any = true;
	}
	return any;
}

static const struct kept *find_kept(const struct play *p, uint32_t thread, uint64_t sap)
{
	struct kept key = {.sap = sap};
	return bsearch(&key, p->kept[thread], p->nkept[thread], sizeof key, by_kept_sap);
}

static void add_wait(struct play *p, const struct after *a)
{
	struct schedule_wait w = {.sap = a->sap, .other_sap = a->other_sap};
	snprintf(w.thread, sizeof w.thread, "%s", p->b->t->threads[a->thread].name);
	snprintf(w.other, sizeof w.other, "%s", p->b->t->threads[a->other].name);
	*vec_push(&p->b->s->waits) = w;
}

/* Plays the thread's orders as far as it gets; false when it got nowhere. */
static bool play_thread(struct play *p, uint32_t thread)
{
	uint64_t *clock = p->clock + (size_t)thread * p->nthreads;
	bool any = false;
	for (;;) {
		bool last = p->at[thread] == p->first[thread + 1];
		const struct after *a = last ? NULL : &p->b->all.at[p->at[thread]];
		any |= keep_below(p, thread, last ? UINT64_MAX : a->sap);
		if (last)
			return any;
		const struct kept *k = find_kept(p, a->other, a->other_sap);
		if ((size_t)(k - p->kept[a->other]) >= p->next_kept[a->other])
			return any;
		if (clock[a->other] < a->other_sap) {
			add_wait(p, a);
			for (uint32_t u = 0; u < p->nthreads; u++)
				if (p->rows.at[k->row + u] > clock[u])
					clock[u] = p->rows.at[k->row + u];
		}
		p->at[thread]++;
		any = true;
	}
}

static bool leave_out_implied(struct builder *b, struct error *err)
{
	struct play p;
	play_init(&p, b);
	for (bool any = true; any;) {
		any = false;
		for (uint32_t t = 0; t < p.nthreads; t++)
			any |= play_thread(&p, t);
	}
	bool ok = true;
	for (uint32_t t = 0; t < p.nthreads && ok; t++)
		if (p.at[t] != p.first[t + 1]) {
			const struct after *a = &b->all.at[p.at[t]];
			ok = fail(err, "the log contradicts itself: access %" PRIu64 " of thread %s comes after access %" PRIu64
				       " of thread %s, and the other way round", a->sap, b->t->threads[a->thread].name,
				  a->other_sap, b->t->threads[a->other].name);
		}
	play_release(&p);
	return ok;
}

/* -------------------------------------------------- where threads end -------------------- */

/* Does the failure come from threads that wait for each other, or for ever? Then nobody is held by the schedule. */
static bool is_hang(const struct trace *t)
{
	return t->failure.kind == RT_FAIL_DEADLOCK || t->failure.kind == RT_FAIL_TIMEOUT;
}

/*
 * By thread, how far it came: what others came after has happened, although the process may have ended before the thread could
 * say that it was done (a release is in the log before it happens).
 */
static uint64_t *last_done(const struct builder *b)
{
	uint64_t *last = xcalloc(b->t->nthreads, sizeof *last);
	for (uint32_t i = 0; i < b->t->nthreads; i++)
		last[i] = b->t->threads[i].info.sync_done;
	for (size_t i = 0; i < b->all.n; i++)
		if (b->all.at[i].other_sap > last[b->all.at[i].other])
			last[b->all.at[i].other] = b->all.at[i].other_sap;
	return last;
}

/*
 * A thread was being created. If the log does not have it yet, it had done nothing, and does nothing: the name it would have is
 * behind that of the creator's last one.
 */
static void stop_child(struct builder *b, uint32_t creator)
{
	uint32_t children = 0;
	for (uint32_t i = 1; i < b->t->nthreads; i++)
		if (b->t->threads[i].info.parent == creator && b->t->threads[i].info.child > children)
			children = b->t->threads[i].info.child;
	struct schedule_point p = {.sap = 1};
	snprintf(p.thread, sizeof p.thread, "%.50s:%u", b->t->threads[creator].name, children + 1);
	*vec_push(&b->s->stops) = p;
}

/* Threads that had not ended go no further than they did; the one that fails, or leaves by exit, does. */
static void stop_threads(struct builder *b)
{
	const struct trace *t = b->t;
	bool fails = t->failure.kind == RT_FAIL_ASSERT || t->failure.kind == RT_FAIL_SIGNAL;
	uint32_t leaves = t->header.exits ? t->header.exits - 1 : 0;
	uint64_t *last = last_done(b);
	for (uint32_t i = 0; i < t->nthreads; i++) {
		const struct rt_thread *info = &t->threads[i].info;
		bool creates = info->waits_for == RT_OBJECT_THREAD;
		bool fails_here = fails && i == t->failure.thread;
		struct schedule_point p = {.sap = (fails_here ? info->sync_done : last[i]) + 1 + creates};
		snprintf(p.thread, sizeof p.thread, "%s", t->threads[i].name);
		if (creates)
			stop_child(b, i);
		bool goes_on = t->failure.kind == RT_FAIL_TIMEOUT && !info->ended && !info->waits_for && last[i];
		/* Of a bad exit status nothing tells where it came from: a debugger stops at the last thing that the thread does. */
		bool ends_badly = i == leaves && last[i] && !fails && !is_hang(t);
		if (goes_on || ends_badly)
			p.sap = last[i];
		if (fails_here || goes_on || ends_badly)
			*vec_push(&b->s->fails) = p;
		else if (!info->ended && !(i == leaves && !fails) && !(is_hang(t) && info->waits_for))
			*vec_push(&b->s->stops) = p;
	}
	free(last);
}

bool follow(const struct trace *t, struct schedule *s, struct error *err)
{
	*s = (struct schedule){.model = MEMORY_SC};
	struct builder b = {.t = t, .s = s};
	if (trace_ends_early(t))
		return fail(err, "the log of %s ends early (%s), so the order of accesses is not known to its end", t->dir,
			    trace_ends_early(t));
	collect_runs(&b);
	bool ok = order_locations(&b, err);
	if (ok) {
		order_calls(&b);
		order_alone(&b);
		force_results(&b);
		stop_threads(&b);
		ok = leave_out_implied(&b, err);
	}
	vec_free(&b.runs);
	vec_free(&b.all);
	vec_free(&b.parted);
	if (!ok)
		schedule_release(s);
	return ok;
}
