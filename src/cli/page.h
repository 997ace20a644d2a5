/* `explain --html`: what it says and a picture of the interleaving, as one page that needs nothing else. */
#ifndef RETHREAD_CLI_PAGE_H
#define RETHREAD_CLI_PAGE_H

#include "base/base.h"

#include <jansson.h>

struct page {
	const char *title;   /* of the window: program and failure */
	const char *said;    /* what explain prints before the steps */
	const char *figures; /* the sentence about the interleaving */
	const char *program; /* for source lines */
	const json_t *root;
	bool all;            /* every step */
};

/* False when the file could not be written. */
bool page_write(const struct page *p, const char *file, struct error *err);

#endif
