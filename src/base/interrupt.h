/*
 * Commands that make temporary files or start processes: a user who interrupts them (SIGINT, SIGTERM, SIGHUP) finds none left.
 *
 *     interrupt_catch();
 *     ...                      waits look at interrupt_signal() when they come back early, and end what they wait for
 *     remove what was made;
 *     interrupt_end();         dies by the signal, if one came
 */
#ifndef RETHREAD_INTERRUPT_H
#define RETHREAD_INTERRUPT_H

/* From now on the signals do nothing but to be noted. Those that were ignored, as by nohup, stay so. */
void interrupt_catch(void);
/* They end the process again: for children, before they go on with other code. Not needed before an exec. */
void interrupt_release(void);
/* The last one that came, 0 for none. */
int interrupt_signal(void);
/* End by that signal; returns when none came. */
void interrupt_end(void);

#endif
