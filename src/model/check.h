/*
 * The independent checker: does this total order of steps explain the execution?
 *
 * One scan. Every thread runs in program order, but for pieces of one access or call, which come in any; the known orders hold; threads start after they are created
 * and are joined after they end; when the order of synchronization is not known, locks exclude one another
 * and waits are woken (when it is known, only the operations where a lock changes hands are events, and the
 * known orders say it all); memory is simulated byte by byte, with a store buffer per thread under TSO
 * and one per thread and address under PSO; every symbol gets the value its read finds; then all conditions
 * must hold. Nothing here is shared with the parts that built or solved the formula, and nothing they
 * computed is believed but the order itself.
 */
#ifndef RETHREAD_CHECK_H
#define RETHREAD_CHECK_H

#include "model/linear.h"

/*
 * True when it does. Otherwise false and a sentence: what is violated, and where. `steps` has every event
 * once; under TSO and PSO every plain write twice, issued and visible. symbols: NULL, or where the values
 * of the symbols go (x->nsymbols of them).
 */
bool check_order(const struct execution *x, enum memory_model model, const struct step *steps, size_t n,
		 uint64_t *symbols, struct error *err);

#endif
