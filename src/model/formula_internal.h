/* Inside the formula (formula.h): what formula.c shares with formula_sync.c. */
#ifndef RETHREAD_FORMULA_INTERNAL_H
#define RETHREAD_FORMULA_INTERNAL_H

#include "model/formula.h"

#define CLAUSE(f, ...)                                                                         \
	formula_add_clause(f, (literal[]){__VA_ARGS__},                                        \
			   sizeof(literal[]){__VA_ARGS__} / sizeof(literal))

literal formula_new_variable(struct formula *f, enum variable_kind kind, uint32_t a, uint32_t b);

/* formula_sync.c: locks, condition variables and semaphores whose order is not known. */
void formula_add_synchronization(struct formula *f);

#endif
