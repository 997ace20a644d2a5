#include "cc/exported.h"

#include <rethread/instrument.h>

#include <string.h>

static const char *const exported[] = {
#define X(name) #name,
#include <rethread/interposed.def>
#undef X
	RT_LIBRARY_MARK, "__assert_fail",
	"sigaction", "signal", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
};
enum { NEXPORTED = sizeof exported / sizeof *exported };

/* As in src/rt/exports.def. */
static const char *const heap[] = {
	"malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign", "malloc_usable_size",
};

const char *exported_symbol(size_t i)
{
	return i < NEXPORTED ? exported[i] : NULL;
}

bool exported_is_ours(const char *symbol)
{
	for (size_t i = 0; i < NEXPORTED; i++)
		if (!strcmp(exported[i], symbol))
			return true;
	for (size_t i = 0; i < sizeof heap / sizeof *heap; i++)
		if (!strcmp(heap[i], symbol))
			return true;
	return false;
}
