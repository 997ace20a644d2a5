/*
 * The compiler wrapper: `rethread cc` and `rethread c++`.
 *
 * What compiles only is handed to clang as it is, with the options that make fat objects in front of the
 * user's own. For a link, clang is asked what it would do (-###), the compilations among the jobs are
 * run, and the linker is run twice with our pass: for the recorded program and for its twin. The
 * annotated bitcode and the twin then become sections of the program. Shared libraries keep their bitcode too (shared.h), and
 * programs that use them get their code (substitute.h). What cannot be instrumented (-static, no bitcode at all, ...) is
 * linked as clang would. Partial links make objects with bitcode (relocatable.h).
 *
 * Environment: RETHREAD_CC and RETHREAD_CXX name another clang than clang-19 and clang++-19 (same
 * version: the pass is loaded into its linker); RETHREAD_LIBDIR the folder of the runtimes (base.h);
 * RETHREAD_KEEP_SHARED the libraries that stay shared (shared.h).
 */
#ifndef RETHREAD_CC_H
#define RETHREAD_CC_H

#include "base/base.h"

/* argv[0] is ignored, argv[1..] are the user's arguments. Returns the exit status. */
int cc_main(int argc, char **argv, bool cxx);

#endif
