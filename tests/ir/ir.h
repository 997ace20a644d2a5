/* What the test programs call; defined in support.c and the two runtimes, outside of the module. */
#ifndef IR_H
#define IR_H
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Note that this point was reached: the truth the decoded path is compared with. K is a constant,
 * and stays one: calls of it are not merged.
 */
__attribute__((nomerge)) void mark(int k);
/* First thing in the start routine of a thread, with the routine's name. */
void ir_thread_start(const char *routine);
/* The program has executed n sites, this call included. */
void ir_expect(unsigned long n);
/* A value the optimiser knows nothing about. */
long opaque(long v);

#ifdef __cplusplus
}
#endif
#endif
