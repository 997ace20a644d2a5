/* Addresses that a program sends itself through the kernel (src/replay/words.c): only what leads somewhere is one. */
#include "replay/words.c"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

void *twin_pages(size_t size)
{
	return calloc(1, size);
}

uint64_t rt_image_load_address(void)
{
	return 0x400000;
}

uint64_t rt_image_relative(uint64_t address)
{
	(void)address;
	return 0;
}

static const uint64_t there = 0x7f1234567890; /* an address of the recorded run */

static void test_addresses_are_changed(void **unused)
{
	(void)unused;
	uint64_t here[2], own = (uint64_t)&here[1];
	words_pair(there, own, 10);
	assert_int_equal(words_own(there, 20), own);
	words_pair(there + 3, own + 3, 10);
	assert_int_equal(words_own(there + 3, 20), own + 3);
	words_pair(there, (uint64_t)here, 10);
	assert_int_equal(words_own(there, 20), (uint64_t)here);
}

/* Memory that was given out again: it counts when it was sent and heard, not when this run comes to it. */
static void test_what_was_sent_before(void **unused)
{
	(void)unused;
	uint64_t blocks[3], own = (uint64_t)blocks, again = there + 128;
	words_pair(again, own + 16, 30);
	words_pair(again, own, 10);
	words_pair(again, own + 8, 20);
	words_pair(again, own + 8, 25);
	assert_int_equal(words_own(again, 5), again);
	assert_int_equal(words_own(again, 10), own);
	assert_int_equal(words_own(again, 19), own);
	assert_int_equal(words_own(again, 29), own + 8);
	assert_int_equal(words_own(again, 1000), own + 16);
}

/* A ticket and a price; a thread is guessed to have drawn another ticket. */
static void test_numbers_stay(void **unused)
{
	(void)unused;
	uint64_t recorded = 1000ull << 32 | 3, guessed = 1000ull << 32 | 5;
	errno = 7;
	words_pair(recorded, guessed, 10);
	assert_int_equal(words_own(recorded, 20), recorded);
	assert_int_equal(errno, 7);
}

static void test_letters_stay(void **unused)
{
	(void)unused;
	uint64_t recorded = 0, guessed = 0;
	memcpy(&recorded, "name-1", 6);
	memcpy(&guessed, "name-2", 6);
	words_pair(recorded, guessed, 10);
	assert_int_equal(words_own(recorded, 20), recorded);
}

/* The twin's heap is reserved in one piece, and opened as it is used. */
static void test_what_is_only_reserved_is_no_address(void **unused)
{
	(void)unused;
	char *p = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	words_pair(there + 64, (uint64_t)p, 10);
	assert_int_equal(words_own(there + 64, 20), there + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_changed),
		cmocka_unit_test(test_what_was_sent_before),
		cmocka_unit_test(test_numbers_stay),
		cmocka_unit_test(test_letters_stay),
		cmocka_unit_test(test_what_is_only_reserved_is_no_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
