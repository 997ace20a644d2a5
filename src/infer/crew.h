/*
 * Engines at work side by side, each in a process of its own. The first one that comes to a result ends the others; one that
 * takes too much time or memory, or crashes, ends alone.
 */
#ifndef RETHREAD_CREW_H
#define RETHREAD_CREW_H

#include "base/base.h"

#include <sys/types.h>

enum { CREW_MOST = 2 };

struct crew_member {
	const char *engine;
	double after;   /* it begins so many seconds after the first, or as soon as no other is at work */
	double seconds; /* and may take so long */
	/* In its process; ends that with a status of base.h. Standard output goes to dir/out. */
	void (*run)(void *data, const struct crew_member *self);
	char *dir;      /* for its files; made and removed here */
	pid_t pid;      /* > 0 while it works */
	bool beside;    /* when it began, another was at work */
	bool started, ended;
	int code;       /* then */
};

struct crew {
	struct crew_member members[CREW_MOST];
	size_t n;
	double budget;   /* seconds, for the messages */
	uint64_t memory; /* bytes that all may take together */
	void *data;
	double begun;
	bool none;       /* one says that no interleaving explains the log */
};

/*
 * The status for the user; *decided is the member whose result counts. Interrupted by a signal: its status, after all is tidy.
 */
int crew_work(struct crew *c, struct crew_member **decided);
void crew_release(struct crew *c);

/* Half of what the machine has to give now. */
uint64_t crew_memory_default(void);

#endif
