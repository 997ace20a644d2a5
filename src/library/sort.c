/*
 * Sorting and searching as glibc does it, as bitcode like the program's own code (src/cc/link.c): what the comparison said decides what
 * is compared and moved next, so with the sort outside of the program the path would not tell how a comparison came out that depends
 * on something that races, and what it moves would be no SAPs. A merge sort that compares the same pairs in the same order
 * as glibc's up to 2.36. Weak: a program that brings its own keeps it.
 */
#define __NO_INLINE__ 1 /* bsearch is defined here, not in the header */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

enum {
	ON_STACK = 1024,  /* bytes of scratch that need no memory of the heap */
	MOST_DIRECT = 32, /* larger elements are sorted as pointers, and moved once */
};

typedef int (*order)(const void *a, const void *b, void *argument);
typedef int (*plain_order)(const void *a, const void *b);

/* How one sort goes: elements of `size` bytes; `scratch` has room for all of them. */
struct sort {
	size_t size;
	order compare;
	void *argument;
	char *scratch;
	int indirect; /* elements are pointers to what is compared */
};

void qsort_r(void *base, size_t n, size_t size, order compare, void *argument);
void qsort(void *base, size_t n, size_t size, plain_order compare);
void *bsearch(const void *key, const void *base, size_t n, size_t size, plain_order compare);

static void copy(char *to, const char *from, size_t size)
{
	if (size == sizeof(uint64_t))
		memcpy(to, from, sizeof(uint64_t));
	else if (size == sizeof(uint32_t))
		memcpy(to, from, sizeof(uint32_t));
	else
		memcpy(to, from, size);
}

static int compare(const struct sort *s, const char *a, const char *b)
{
	if (s->indirect)
		return s->compare(*(void *const *)a, *(void *const *)b, s->argument);
	return s->compare(a, b, s->argument);
}

static void merge_sort(const struct sort *s, char *base, size_t n)
{
	if (n <= 1)
		return;
	size_t left = n / 2, right = n - left;
	char *a = base, *b = base + left * s->size, *to = s->scratch;
	merge_sort(s, a, left);
	merge_sort(s, b, right);
	while (left > 0 && right > 0) {
		if (compare(s, a, b) <= 0) {
			copy(to, a, s->size);
			a += s->size;
			left--;
		} else {
			copy(to, b, s->size);
			b += s->size;
			right--;
		}
		to += s->size;
	}
	if (left > 0)
		memcpy(to, a, left * s->size);
	memcpy(base, s->scratch, (n - right) * s->size);
}

/* Sorts pointers to the elements, then moves each element once, around the cycles of the permutation. */
static void sort_by_pointers(struct sort *s, char *base, size_t n, size_t size)
{
	char **at = (char **)(s->scratch + n * sizeof *at), *spare = (char *)(at + n);
	for (size_t i = 0; i < n; i++)
		at[i] = base + i * size;
	s->indirect = 1;
	s->size = sizeof *at;
	merge_sort(s, (char *)at, n);
	for (size_t i = 0; i < n; i++) {
		char *home = base + i * size, *from = at[i];
		if (from == home)
			continue;
		memcpy(spare, home, size);
		size_t k = i;
		do {
			size_t next = (size_t)(from - base) / size;
			at[k] = base + k * size;
			memcpy(base + k * size, from, size);
			k = next;
			from = at[k];
		} while (from != home);
		at[k] = base + k * size;
		memcpy(base + k * size, spare, size);
	}
}

static void swap(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = a[i];
		a[i] = b[i];
		b[i] = c;
	}
}

static void sift_down(const struct sort *s, char *base, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(s, base + child * s->size, base + (child + 1) * s->size) < 0)
			child++;
		if (compare(s, base + at * s->size, base + child * s->size) >= 0)
			return;
		swap(base + at * s->size, base + child * s->size, s->size);
	}
}

/* Without scratch, when there is no memory. */
static void heap_sort(const struct sort *s, char *base, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(s, base, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(base, base + i * s->size, s->size);
		sift_down(s, base, 0, i);
	}
}

WEAK void qsort_r(void *base, size_t n, size_t size, order compare_, void *argument)
{
	_Alignas(16) char small[ON_STACK];
	size_t room = size > MOST_DIRECT ? 2 * n * sizeof(void *) + size : n * size;
	char *large = room < sizeof small ? NULL : malloc(room);
	struct sort s = {.size = size, .compare = compare_, .argument = argument, .scratch = large ? large : small};
	if (!large && room >= sizeof small)
		heap_sort(&s, base, n);
	else if (size > MOST_DIRECT)
		sort_by_pointers(&s, base, n, size);
	else
		merge_sort(&s, base, n);
	free(large);
}

WEAK void qsort(void *base, size_t n, size_t size, plain_order compare_)
{
	/* The third parameter is not looked at: as glibc itself does it. */
	qsort_r(base, n, size, (order)(void (*)(void))compare_, NULL);
}

WEAK void *bsearch(const void *key, const void *base, size_t n, size_t size, plain_order compare_)
{
	for (size_t low = 0, high = n; low < high;) {
		size_t middle = (low + high) / 2;
		const char *at = (const char *)base + middle * size;
		int c = compare_(key, at);
		if (c == 0)
			return (void *)(uintptr_t)at;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
