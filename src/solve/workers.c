#include "solve/workers.h"

#include <unistd.h>

size_t workers_for(unsigned asked, size_t useful)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = asked ? asked : processors < 1 ? 1 : (size_t)processors;
	n = n < MOST_WORKERS ? n : MOST_WORKERS;
	n = n < useful ? n : useful;
	return n ? n : 1;
}
