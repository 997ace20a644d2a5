/* Signal handlers of the target: run where the log can say it, and recorded (handlers.c). */
#ifndef RETHREAD_RT_HANDLERS_H
#define RETHREAD_RT_HANDLERS_H

#include <signal.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)
/* Handlers that are installed from now on; after rt_failure_install. */
void rt_handlers_start(void);

/* inputs.c: the calling thread runs the handler now. */
struct rt_self;
void rt_input_signal(struct rt_self *self, const siginfo_t *info, uint32_t place);
/* The branches of the handler that the thread's last input is about are not in the log. */
void rt_input_signal_lost(struct rt_self *self, uint32_t place);
/* A call that made a process (vfork.c); errno stays as it is. */
void rt_input_forked(struct rt_self *self, uint16_t function, pid_t result);
#pragma GCC visibility pop

#endif
