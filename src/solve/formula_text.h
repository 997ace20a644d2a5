/* The constraints of an execution in words, for a reader who wants to check them by hand: `--explain-formula`. */
#ifndef RETHREAD_FORMULA_TEXT_H
#define RETHREAD_FORMULA_TEXT_H

#include "model/problem.h"

#include <stdio.h>

/*
 * Path, bug and what else is required of values; the order of synchronization; what each read that matters may see;
 * memory order. Events are named THREAD#SAP, as in schedules; symbols are s0, s1, ...
 */
void formula_text(FILE *out, const struct problem *p);

#endif
