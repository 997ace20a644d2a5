/* The margin of time stamps on this machine, for the recorder's option `margin`. */
#ifndef RETHREAD_CLI_MARGIN_H
#define RETHREAD_CLI_MARGIN_H

#include <rethread/trace.h>

/* In units of rdtsc; takes well under a millisecond. A generous constant when it cannot be measured. */
uint64_t margin_measure(void);

#endif
