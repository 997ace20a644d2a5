/*
 * Ways in which memory gets from one thread to another. In each of them thread 0 makes something and lets it go; thread 1 finds it,
 * and changes it through a pointer that might as well lead to memory of its own; then thread 0 looks at what it kept.
 */
#define _GNU_SOURCE
#include "ir.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define WAY static __attribute__((noinline)) void
static pthread_barrier_t barrier;
static void turn(void) { pthread_barrier_wait(&barrier); }
static int never(void) { return opaque(0) != 0; }

static long sum;
static __thread long own_sum;

/* One's own memory, of which thread 1 could be speaking. */
static int *own_int(void)
{
	int *p = malloc(sizeof *p);
	*p = 1;
	return p;
}
static char *own_text(void)
{
	char *p = malloc(32);
	p[0] = 'o';
	return p;
}

/* ---------------------------------------------------------------- members --------------------- */

struct leaf { int *p; long n; };
struct twig { long a; struct leaf leaf; struct twig *next; };
struct branch { struct twig *first; struct { struct leaf in[3]; } group; };
static int *global_pointer;
static struct branch global_branch;

WAY by_global(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0)
		global_pointer = mine;
	turn();
	if (id == 1) {
		int *p = never() ? spare : global_pointer;
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

WAY by_members(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0) {
		struct twig *t = calloc(1, sizeof *t);
		t->leaf.p = mine;
		t->next = global_branch.first;
		global_branch.first = t;
		global_branch.group.in[opaque(1)].p = mine;
	}
	turn();
	if (id == 1) {
		struct twig *t = global_branch.first;
		struct leaf leaf = {spare, 1};
		if (!never())
			leaf = t->leaf;
		*leaf.p += 1;
		int *p = global_branch.group.in[opaque(1)].p;
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

/* The structure itself goes by memory of which nothing is known, and is assigned to one's own: one word, two, many. */
struct word { int *p; };
struct words { int *p; long n; };
struct many { long a[10]; int *p; long b[10]; };
static pthread_key_t key_word, key_words, key_many;
static void *keep[3];

WAY by_assignment(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	struct word *w = malloc(sizeof *w);
	struct words *ws = malloc(sizeof *ws);
	struct many *m = calloc(1, sizeof *m);
	w->p = ws->p = m->p = spare;
	if (id == 0) {
		struct word *one = malloc(sizeof *one);
		struct words *two = malloc(sizeof *two);
		struct many *more = calloc(1, sizeof *more);
		one->p = two->p = more->p = mine;
		keep[0] = one, keep[1] = two, keep[2] = more;
	}
	turn();
	if (id == 1) {
		pthread_setspecific(key_word, keep[0]);
		pthread_setspecific(key_words, keep[1]);
		pthread_setspecific(key_many, keep[2]);
		struct word *fw = pthread_getspecific(key_word);
		struct words *fws = pthread_getspecific(key_words);
		struct many *fm = pthread_getspecific(key_many);
		*w = *fw;
		*w->p += 1;
		*ws = *fws;
		*ws->p += 1;
		*m = *fm;
		*m->p += 1;
	}
	turn();
	own_sum += *mine;
}

static __attribute__((noinline)) struct words pass(struct words w, struct many m, int first) { return first ? w : (struct words){m.p, 1}; }
WAY by_value(int id)
{
	int spare_place = 1, *spare = &spare_place;
	static struct words box;
	int *mine = own_int();
	if (id == 0)
		box = pass((struct words){mine, 1}, (struct many){.p = mine}, (int)opaque(1));
	turn();
	if (id == 1) {
		struct many m = {.p = spare};
		struct words w = pass(box, m, (int)opaque(1));
		*w.p += 1;
	}
	turn();
	own_sum += *mine;
}

/* ---------------------------------------------------------------- numbers and bytes ----------- */

struct numbers { int64_t signed_one; uintptr_t tagged; uintptr_t mixed; };
union pun { uintptr_t n; int *p; char c[8]; };
static struct numbers *numbers;
static union pun *puns;

WAY by_number(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int(), *other = own_int();
	if (id == 0) {
		struct numbers *n = malloc(sizeof *n);
		n->signed_one = (int64_t)mine;
		n->tagged = (uintptr_t)mine | 1;
		n->mixed = (uintptr_t)mine ^ (uintptr_t)other;
		numbers = n;
		union pun *u = malloc(3 * sizeof *u);
		u[0].p = mine, u[1].n = (uintptr_t)mine;
		memcpy(u[2].c, &mine, sizeof mine);
		puns = u;
		keep[0] = other;
	}
	turn();
	if (id == 1) {
		int *p = never() ? spare : (int *)numbers->signed_one;
		*p += 1;
		p = never() ? spare : (int *)(numbers->tagged & ~(uintptr_t)1);
		*p += 1;
		p = never() ? spare : (int *)(numbers->mixed ^ (uintptr_t)keep[0]);
		*p += 1;
		union pun u;
		u.p = spare;
		if (!never()) u.n = puns[0].n;
		*u.p += 1;
		u.p = spare;
		if (!never()) memcpy(u.c, puns[1].c, sizeof u.c);
		*u.p += 1;
		p = never() ? spare : puns[2].p;
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

static __attribute__((noinline)) void copy_chars(void *to, const void *from, size_t n)
{
	for (size_t i = n; i--;) {
		((char *)to)[i] = ((const char *)from)[i];
		if (never())
			break;
	}
}
typedef long __attribute__((may_alias)) word_t;
static __attribute__((noinline)) void copy_longs(void *to, const void *from, size_t n)
{
	for (size_t i = n / sizeof(word_t); i--;) {
		((word_t *)to)[i] = ((const word_t *)from)[i];
		if (never())
			break;
	}
}
static struct words copied;
static int *copied_pointer;

WAY by_copying(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	struct words w = {mine, 1};
	struct words *heap = malloc(sizeof *heap);
	heap->p = spare;
	if (id == 0) {
		copy_chars(&copied_pointer, &mine, sizeof mine);
		copy_longs(&copied, &w, sizeof w);
	}
	turn();
	if (id == 1) {
		int *p = spare;
		copy_chars(&p, &copied_pointer, sizeof p);
		*p += 1;
		copy_longs(heap, &copied, sizeof *heap);
		*heap->p += 1;
	}
	turn();
	own_sum += *mine;
}

/* From memory of which nothing is known, byte by byte: into a variable. */
WAY by_unknown_bytes(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0) {
		int **box = malloc(sizeof *box);
		*box = mine;
		keep[0] = box;
	}
	turn();
	if (id == 1) {
		pthread_setspecific(key_word, keep[0]);
		int *p = spare;
		copy_chars(&p, pthread_getspecific(key_word), sizeof p);
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

/* A structure is copied byte by byte. */
WAY by_bytes_of_structure(int id)
{
	static struct leaf box;
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	struct leaf *leaf = malloc(sizeof *leaf);
	leaf->p = id == 0 ? mine : spare;
	if (id == 0)
		copy_chars(&box, leaf, sizeof box);
	turn();
	if (id == 1) {
		struct leaf *own = malloc(sizeof *own);
		own->p = spare;
		copy_chars(own, &box, sizeof *own);
		*own->p += 1;
	}
	turn();
	own_sum += *mine;
}

/* A structure that begins like another, without being one. */
struct base { long kind; int *p; };
struct derived { long kind; int *p; long more; };
static struct base *bases;
WAY by_likeness(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0) {
		struct derived *d = malloc(sizeof *d);
		d->p = mine;
		bases = (struct base *)d;
	}
	turn();
	if (id == 1) {
		struct base *b = malloc(sizeof *b);
		b->p = spare;
		if (!never()) b = bases;
		*b->p += 1;
	}
	turn();
	own_sum += *mine;
}

WAY by_divided_number(int id)
{
	static uintptr_t box;
	char *raw = malloc(64);
	int *mine = (int *)(((uintptr_t)raw + 15) / opaque(16) * 16);
	*(int *)raw = 1;
	if (id == 0)
		box = (uintptr_t)mine;
	turn();
	if (id == 1)
		*(int *)box += 1;
	turn();
	own_sum += raw[0] + raw[16];
}

/* ---------------------------------------------------------------- through the kernel ---------- */

struct message { long kind; int *p; long end; };
static int ends[2];

WAY by_pipe(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	struct message m = {1, mine, 2};
	struct message *heap = malloc(sizeof *heap);
	heap->p = spare;
	if (id == 0) {
		if (write(ends[1], &mine, sizeof mine) < 0 || write(ends[1], &m, sizeof m) < 0 || write(ends[1], &m.p, sizeof m.p) < 0)
			abort();
		struct iovec v = {&m.p, sizeof m.p};
		if (writev(ends[1], &v, 1) < 0)
			abort();
	}
	turn();
	if (id == 1) {
		int *p = spare;
		if (read(ends[0], &p, sizeof p) < 0)
			abort();
		*p += 1;
		if (read(ends[0], heap, sizeof *heap) < 0)
			abort();
		*heap->p += 1;
		heap->p = spare;
		if (read(ends[0], &heap->p, sizeof heap->p) < 0)
			abort();
		*heap->p += 1;
		heap->p = spare;
		struct iovec v = {&heap->p, sizeof heap->p};
		if (readv(ends[0], &v, 1) < 0)
			abort();
		*heap->p += 1;
	}
	turn();
	own_sum += *mine;
}

/* ---------------------------------------------------------------- library functions ----------- */

struct parser { long line; char *at; char *end; };
static char *texts[8];

WAY by_results(int id)
{
	char spare_text[32] = "spare", *other = spare_text;
	char *copy = own_text(), *token = own_text(), *ended = own_text(), *line = own_text(), *appended = own_text(), *at = own_text();
	char *found = own_text();
	if (id == 0) {
		char *save;
		texts[0] = strcpy(copy, opaque(1) ? "some text" : "none");
		strcpy(token, "a b c");
		texts[1] = strtok_r(token, " ", &save);
		texts[2] = save;
		strcpy(ended, "12 34");
		struct parser *p = malloc(sizeof *p);
		p->at = own_text();
		strtol(ended, &p->at, 10);
		texts[3] = p->at;
		FILE *f = fmemopen("line\nline\n", 10, "r");
		texts[4] = fgets(line, 16, f);
		fclose(f);
		texts[5] = strcat(appended, "");
		texts[6] = stpcpy(at, "at");
		strcpy(found, "x=y");
		texts[7] = strstr(found, opaque(1) ? "=" : "x");
	}
	turn();
	if (id == 1) {
		char *t = never() ? other : texts[0];
		t[0]++;
		t = never() ? other : texts[1];
		t[0]++;
		t = never() ? other : texts[2];
		t[0]++;
		t = never() ? other : texts[3];
		t[0]++;
		t = never() ? other : texts[4];
		t[0]++;
		t = never() ? other : texts[5];
		t[0]++;
		t = never() ? other : texts[6];
		t[0]++;
		t = never() ? other : texts[7];
		t[0]++;
	}
	turn();
	own_sum += copy[0];
	own_sum += token[0];
	own_sum += token[2];
	own_sum += ended[2];
	own_sum += line[0];
	own_sum += appended[0];
	own_sum += at[2];
	own_sum += found[1];
}

/* What the library writes into a member leads to what others have. */
WAY by_out_parameters(int id)
{
	int spare_place = 1, *spare = &spare_place;
	static char text[32] = "12 34", spelt[32];
	int *mine = own_int();
	struct parser *p = malloc(sizeof *p);
	struct message *m = malloc(sizeof *m);
	p->at = own_text();
	p->end = own_text();
	m->p = spare;
	if (id == 0) {
		snprintf(spelt, sizeof spelt, "%p", (void *)mine);
		keep[1] = mine;
	}
	turn();
	if (id == 1) {
		strtol(text, &p->at, 10);
		p->at[0] = 'x';
		char *rest = text;
		p->end = strsep(&rest, "x");
		p->end[0]++;
		sscanf(spelt, "%p", (void **)&m->p);
		*m->p += 1;
		int *q = spare;
		sscanf(spelt, "%p", (void **)&q);
		*q += 1;
	}
	turn();
	own_sum += *mine;
	own_sum += text[2] + text[0];
}

static int numbers_of_all[4] = {4, 3, 2, 1};
static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;
	return *x - *y;
}
WAY by_callbacks(int id)
{
	int a[2] = {(int)opaque(1), 2};
	own_sum += compare(&a[0], &a[1]);
	if (id == 0) {
		numbers_of_all[0] = 9;
		qsort(numbers_of_all, 4, sizeof *numbers_of_all, compare);
	}
	turn();
	if (id == 1) {
		int seven = 9;
		int *found = bsearch(&seven, numbers_of_all, 4, sizeof *numbers_of_all, compare);
		if (found)
			*found += 1;
	}
	turn();
	own_sum += numbers_of_all[3];
}

/* ---------------------------------------------------------------- calls ----------------------- */

static int *published[4];
static void publish_a(int *p) { published[0] = p; }
static void publish_b(int *p) { published[1] = p; }
static void keep_it(int *p) { own_sum += *p; }
static void (*const const_table[])(int *) = {publish_a, keep_it};
static void (*table[])(int *) = {keep_it, publish_b};
struct ops { long x; void (*put)(int *); void *(*get)(void *, size_t); };
static void *allocate(void *to, size_t n) { (void)to; return calloc(1, n); }
static void publish_d(int *p) { published[3] = p; }
static void publish_rest(int n, ...)
{
	va_list l;
	va_start(l, n);
	for (int i = 0; i < n; i++)
		published[2] = va_arg(l, int *);
	va_end(l);
}

WAY by_tables(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *a = own_int(), *b = own_int(), *c = own_int();
	struct ops *o = malloc(sizeof *o);
	o->get = allocate;
	o->put = never() ? keep_it : publish_d;
	int *d = o->get(NULL, sizeof *d), *kept = o->get(NULL, sizeof *d);
	*kept = 1;
	if (id == 0) {
		const_table[opaque(0)](a);
		table[opaque(1)](b);
		publish_rest((int)opaque(2), kept, c);
		o->put(d);
	}
	turn();
	if (id == 1) {
		int *p = never() ? spare : published[0];
		*p += 1;
		p = never() ? spare : published[1];
		*p += 1;
		p = never() ? spare : published[2];
		*p += 1;
		p = never() ? spare : published[3];
		*p += 1;
	}
	turn();
	own_sum += *a;
	own_sum += *b;
	own_sum += *c;
	own_sum += *d;
}

/* ---------------------------------------------------------------- allocators ------------------ */

struct header { struct header *next, *prev; long size; int *tag; };
static struct header *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Says that nobody else has it, and keeps it. */
static __attribute__((malloc, noinline)) void *traced(size_t n)
{
	struct header *h = calloc(1, sizeof *h + n);
	pthread_mutex_lock(&lock);
	h->next = all;
	h->size = (long)n;
	if (all)
		all->prev = h;
	all = h;
	pthread_mutex_unlock(&lock);
	return h + 1;
}
static __attribute__((noinline)) void untraced(void *p)
{
	struct header *h = (struct header *)p - 1;
	pthread_mutex_lock(&lock);
	if (h->prev)
		h->prev->next = h->next;
	if (h->next)
		h->next->prev = h->prev;
	if (all == h)
		all = h->next;
	pthread_mutex_unlock(&lock);
}

WAY by_traced_blocks(int id)
{
	int *mine = traced(sizeof *mine), *tag = own_int();
	*mine = 1;
	((struct header *)mine)[-1].tag = tag;
	turn();
	if (id == 1)
		for (struct header *h = all; h; h = h->next) {
			int *p = (int *)(h + 1);
			*p += 1;
			*h->tag += 1;
		}
	turn();
	own_sum += *mine;
	own_sum += *tag;
	untraced(mine);
}

struct block { struct block *next; int value; };
static struct block *free_blocks;
static __attribute__((malloc, noinline)) struct block *take(void)
{
	pthread_mutex_lock(&lock);
	struct block *b = free_blocks;
	if (b)
		free_blocks = b->next;
	pthread_mutex_unlock(&lock);
	return b ? b : malloc(sizeof *b);
}
static void give_back(struct block *b)
{
	pthread_mutex_lock(&lock);
	b->next = free_blocks;
	free_blocks = b;
	pthread_mutex_unlock(&lock);
}
WAY by_free_list(int id)
{
	if (id == 0) {
		struct block *b = take();
		b->value = 1;
		give_back(b);
	}
	turn();
	if (id == 1) {
		struct block *b = take();
		b->value = 2;
		own_sum += b->value;
	}
	turn();
}

static int **grown;
WAY by_grown_array(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0)
		for (int i = 0; i < 20; i++) {
			grown = realloc(grown, sizeof *grown * (size_t)(i + 1));
			grown[i] = mine;
		}
	turn();
	if (id == 1) {
		int **copy = malloc(sizeof *copy * 20);
		copy[3] = spare;
		memmove(copy, grown, sizeof *copy * 20);
		*copy[3] += 1;
	}
	turn();
	own_sum += *mine;
}

/* ---------------------------------------------------------------- shapes of structures -------- */

struct hack { long n; int *flexible[]; };
struct packed { char c; int *p; } __attribute__((packed));
struct bits { unsigned a : 3, b : 5; int *p; };
static struct hack *hack;
static struct packed *packed;
static struct bits *bits;
static _Atomic(int *) atomic_pointer;
static __thread int local_to_thread;
static int *of_thread;

WAY by_shapes(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0) {
		hack = malloc(sizeof *hack + 4 * sizeof *hack->flexible);
		hack->flexible[opaque(2)] = mine;
		packed = malloc(sizeof *packed);
		packed->p = mine;
		bits = malloc(sizeof *bits);
		bits->a = 1;
		bits->p = mine;
		atomic_store(&atomic_pointer, mine);
		of_thread = &local_to_thread;
	}
	turn();
	if (id == 1) {
		int *p = never() ? spare : hack->flexible[opaque(2)];
		*p += 1;
		p = never() ? spare : packed->p;
		*p += 1;
		p = never() ? spare : bits->p;
		*p += 1;
		bits->b = 2;
		p = never() ? spare : atomic_load(&atomic_pointer);
		*p += 1;
		p = never() ? spare : of_thread;
		*p += 1;
	}
	turn();
	own_sum += *mine;
	own_sum += bits->a;
	own_sum += local_to_thread;
}

static jmp_buf environment;
static int *jumped;
WAY by_jump(int id)
{
	int *volatile mine = own_int();
	if (id == 0 && !setjmp(environment)) {
		jumped = mine;
		longjmp(environment, 1);
	}
	turn();
	if (id == 1)
		*jumped += 1;
	turn();
	own_sum += *mine;
}

static int *signalled;
static __thread int *to_handler;
static void handler(int signal) { (void)signal; signalled = to_handler; }
WAY by_signal(int id)
{
	int spare_place = 1, *spare = &spare_place;
	int *mine = own_int();
	if (id == 0) {
		struct sigaction a = {.sa_handler = handler};
		sigaction(SIGUSR1, &a, NULL);
		to_handler = mine;
		raise(SIGUSR1);
	}
	turn();
	if (id == 1) {
		int *p = never() ? spare : signalled;
		*p += 1;
	}
	turn();
	own_sum += *mine;
}

/* ---------------------------------------------------------------- threads --------------------- */

struct start { struct { int id; int *count; } inner; struct start *other; };
static int *results[2];

static void *worker(void *argument)
{
	struct start *s = argument;
	int id = s->inner.id;
	by_global(id);
	by_members(id);
	by_assignment(id);
	by_value(id);
	by_number(id);
	by_copying(id);
	by_unknown_bytes(id);
	by_bytes_of_structure(id);
	by_likeness(id);
	by_divided_number(id);
	by_pipe(id);
	by_results(id);
	by_out_parameters(id);
	by_callbacks(id);
	by_tables(id);
	by_traced_blocks(id);
	by_free_list(id);
	by_grown_array(id);
	by_shapes(id);
	by_jump(id);
	by_signal(id);
	turn();
	if (id == 1)
		*s->other->inner.count += 1;
	turn();
	int *result = own_int();
	*result += *s->inner.count;
	__atomic_fetch_add(&sum, own_sum, __ATOMIC_SEQ_CST);
	if (id)
		pthread_exit(result);
	return result;
}

int main(void)
{
	pthread_t threads[2];
	struct start starts[2];
	int counts[2] = {0};
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_key_create(&key_word, NULL);
	pthread_key_create(&key_words, NULL);
	pthread_key_create(&key_many, NULL);
	if (pipe(ends))
		abort();
	for (int i = 0; i < 2; i++)
		starts[i] = (struct start){{i, &counts[i]}, &starts[!i]};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, &starts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], (void **)&results[i]);
	*results[0] += 1;
	printf("%d %d %d %d\n", counts[0], counts[1], *results[0], *results[1]);
	printf("%ld\n", sum);
	return 0;
}
