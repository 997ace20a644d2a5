/*
 * An allocator from a library of its own (jemalloc and the like, linked or preloaded) locks and asks the kernel for memory by functions
 * that are interposed. None of that is the program's: the twin has another allocator.
 */
#ifndef RETHREAD_RT_ALLOCATOR_H
#define RETHREAD_RT_ALLOCATOR_H

#pragma GCC visibility push(hidden)

/* Its calls of functions that the runtime interposes go to the real ones from now on. Before constructors run. */
void rt_allocator_detach(void);

#pragma GCC visibility pop

#endif
