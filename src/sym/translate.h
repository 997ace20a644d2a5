/*
 * LLVM bitcode to the compact code the interpreter runs (code.h), once per executable.
 */
#ifndef RETHREAD_TRANSLATE_H
#define RETHREAD_TRANSLATE_H

#include "base/base.h"

/* Bitcode is the annotated module (instrument.h). Functions the translator cannot do are kept as stubs that
 * name the reason when called; only an unreadable module is an error. */
bool translate(const void *bitcode, size_t size, const char *code_file, struct error *err);
/* The same, with an instruction for each source line that is come to (host_line). */
bool translate_with_lines(const void *bitcode, size_t size, const char *code_file, struct error *err);
/* ... for each place where a number may be made of an address (host_number). */
bool translate_with_numbers(const void *bitcode, size_t size, const char *code_file, struct error *err);
/* ... for what the branches that a thread took have chosen (host_chosen). */
bool translate_with_choices(const void *bitcode, size_t size, const char *code_file, struct error *err);

#endif
