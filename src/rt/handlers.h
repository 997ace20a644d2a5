/* Signal handlers of the target keep their branches out of the interrupted thread's path. */
#ifndef RETHREAD_RT_HANDLERS_H
#define RETHREAD_RT_HANDLERS_H

#pragma GCC visibility push(hidden)
/* Handlers that are installed from now on; after rt_failure_install. */
void rt_handlers_start(void);
#pragma GCC visibility pop

#endif
