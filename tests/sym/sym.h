/*
 * What the programs of these tests may call: marks that mean something to the interpreter.
 *
 * sym_input(n) is the n-th number of $SYM_INPUTS; interpreted, it is also symbol n. sym_output(v) prints v;
 * interpreted, its expression is kept and evaluated for every alternative input (harness.c).
 */
#ifndef SYM_H
#define SYM_H

#ifdef __cplusplus
extern "C" {
#endif
int sym_input(int n);
long sym_input_long(int n);
void sym_output(long v);
#ifdef __cplusplus
}
#endif

#endif
