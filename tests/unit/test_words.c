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
	words_pair(there, own);
	assert_int_equal(words_own(there), own);
	words_pair(there + 3, own + 3);
	assert_int_equal(words_own(there + 3), own + 3);
	words_pair(there, (uint64_t)here);
	assert_int_equal(words_own(there), (uint64_t)here);
}

/* A ticket and a price; a thread is guessed to have drawn another ticket. */
static void test_numbers_stay(void **unused)
{
	(void)unused;
	uint64_t recorded = 1000ull << 32 | 3, guessed = 1000ull << 32 | 5;
	errno = 7;
	words_pair(recorded, guessed);
	assert_int_equal(words_own(recorded), recorded);
	assert_int_equal(errno, 7);
}

static void test_letters_stay(void **unused)
{
	(void)unused;
	uint64_t recorded = 0, guessed = 0;
	memcpy(&recorded, "name-1", 6);
	memcpy(&guessed, "name-2", 6);
	words_pair(recorded, guessed);
	assert_int_equal(words_own(recorded), recorded);
}

/* The twin's heap is reserved in one piece, and opened as it is used. */
static void test_what_is_only_reserved_is_no_address(void **unused)
{
	(void)unused;
	char *p = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	words_pair(there + 64, (uint64_t)p);
	assert_int_equal(words_own(there + 64), there + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_changed),
		cmocka_unit_test(test_numbers_stay),
		cmocka_unit_test(test_letters_stay),
		cmocka_unit_test(test_what_is_only_reserved_is_no_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
