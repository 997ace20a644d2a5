/* What `rethread reproduce` and `rethread infer` are asked for. */
#ifndef RETHREAD_REQUEST_H
#define RETHREAD_REQUEST_H

#include "base/base.h"

struct request {
	bool prove;       /* reproduce: replay the candidates */
	const char *trace;
	const char *engine;
	double budget;    /* seconds */
	uint64_t memory;  /* bytes; 0: as the machine allows */
	const char *model; /* "sc", "tso", "pso" or NULL: sc first, then tso */
	const char *json; /* figures go there, or NULL */
	const char *smt2; /* formula goes there, or NULL */
	bool explain;     /* ... and in words to standard output */
	bool no_time;     /* do not believe time stamps */
	bool verbose;
	uint64_t seed;    /* of the search */
	unsigned workers; /* threads that solve at a time; 0: as many as there are processors */
};

/* From the command line; argv[0] is the command. Wrong usage ends the program with a sentence and status 2. */
struct request request_parse(int argc, char **argv);

#endif
