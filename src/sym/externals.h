/*
 * Classes of external functions (design §4, Inputs): what the executor does with a call of one. Names that are
 * not in the table are called as they are.
 */
#ifndef RETHREAD_EXTERNALS_H
#define RETHREAD_EXTERNALS_H

enum external_class {
	EXTERNAL_OTHER,
	EXTERNAL_ENDS,   /* does not return: the thread's path ends with it */
	EXTERNAL_SLEEPS, /* only passes time: answered with 0 */
	EXTERNAL_OUTPUT, /* prints; its arguments influence nothing */
};

/* NULL (an unknown address) is EXTERNAL_OTHER. */
enum external_class external_class(const char *name);

#endif
