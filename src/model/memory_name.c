/* Names of the memory models, apart from the model itself: the command line needs no more of it. */
#include "model/memory.h"

#include <string.h>

static const char *const names[] = {
	[MEMORY_SC] = "sc", [MEMORY_TSO] = "tso", [MEMORY_PSO] = "pso"};

bool memory_model_parse(const char *name, enum memory_model *m)
{
	for (int i = MEMORY_SC; i <= MEMORY_PSO; i++)
		if (!strcmp(name, names[i])) {
			*m = (enum memory_model)i;
			return true;
		}
	return false;
}

const char *memory_model_name(enum memory_model m)
{
	return names[m];
}
