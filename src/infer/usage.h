/* How `rethread reproduce` and `rethread infer` are used: for `rethread help`, and for the program that runs them. */
#ifndef RETHREAD_USAGE_H
#define RETHREAD_USAGE_H

#define REPRODUCE_ARGUMENTS                                                                                               \
	"[TRACE] [--engine E] [--budget SEC] [--memory SIZE] [--memory-model sc|tso|pso]\n"                               \
	"                          [--workers N] [--seed N] [--no-time] [--json FILE] [--smt2 FILE]\n"                    \
	"                          [--explain-formula] [-v]"

#define REPRODUCE_DETAILS                                                                                                 \
	"  --engine E         auto (default): solve, then search; solve; search; follow\n"                                \
	"  --budget SEC       time for all of it (default 300)\n"                                                         \
	"  --memory SIZE      what the engines may take together, like 4G (default: half of what is free)\n"              \
	"  --memory-model M   sc, tso or pso (default: sc, then tso)\n"                                                   \
	"  --workers N        threads that solve at a time (default: as many as there are processors)\n"                  \
	"  --seed N           of engine search: another number, other attempts (default 1)\n"                             \
	"  --no-time          do not believe the log's time stamps\n"                                                     \
	"  --json FILE        figures\n"                                                                                  \
	"  --smt2 FILE        the formula, as SMT-LIB2\n"                                                                 \
	"  --explain-formula  the constraints in words, with source lines\n"                                              \
	"  -v, --verbose      say more about what is done\n"                                                              \
	"\n"                                                                                                              \
	"Exit status: 0 reproduced, 1 proven that no interleaving explains the log, 2 wrong usage,\n"                     \
	"3 the budget ended, 4 an error or something that inference does not model, 5 reproduced,\n"                     \
	"but not in every replay.\n"

#endif
