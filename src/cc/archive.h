/*
 * Archives as ar(1) makes them, thin ones included.
 *
 *     struct archive a;
 *     struct member m;
 *     if (archive_open(&a, path, &err)) {
 *             while (archive_next(&a, &m)) ...
 *             archive_close(&a);
 *     }
 */
#ifndef RETHREAD_CC_ARCHIVE_H
#define RETHREAD_CC_ARCHIVE_H

#include "base/base.h"

struct archive {
	char *path, *data;
	size_t size, at;
	const char *names; /* long names, or NULL */
	size_t names_size;
	bool thin;         /* members are files of their own, named from the archive's folder */
};

struct member {
	char name[4096];
	const char *data; /* NULL in a thin archive */
	size_t size;
};

bool archive_open(struct archive *a, const char *path, struct error *err);
/* False at the end, and where the archive is damaged. */
bool archive_next(struct archive *a, struct member *m);
void archive_close(struct archive *a);

#endif
