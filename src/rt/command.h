/*
 * A process that becomes another program by exec: what it is called as now. `rethread record` knows only how it started the first, and
 * inference and replay need the arguments and the environment of the one that the log is of.
 */
#ifndef RETHREAD_RT_COMMAND_H
#define RETHREAD_RT_COMMAND_H

#pragma GCC visibility push(hidden)

/* Writes DIR/command.PID (docs/FORMAT.md), with the log open. What cannot be written is left out. */
void rt_command_write(void);

#pragma GCC visibility pop

#endif
