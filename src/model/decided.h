/*
 * What the path decides of values: a compare-and-swap that succeeded writes the new value, whatever it may have been compared with, and one that failed
 * writes what it read, which is nothing (event_writes).
 */
#ifndef RETHREAD_DECIDED_H
#define RETHREAD_DECIDED_H

#include "model/execution.h"

/* Choices in what events write whose condition is one of the execution's, or the opposite of one, become what is chosen. Guesses do not count. */
void execution_decide(struct execution *x);

#endif
