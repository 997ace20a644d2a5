/*
 * What the program calls the container that has a piece of memory of which only a library knows what lies there (src/instrument/holders.h).
 *
 *     struct holders *h = holders_new(&report, v);
 *     const char *name = holders_name(h, site, "bank.cpp:24");    // "Bank.accounts"
 *     holders_free(h);
 */
#ifndef RETHREAD_HOLDERS_CLI_H
#define RETHREAD_HOLDERS_CLI_H

#include "exe/report.h"
#include "exe/variables.h"

#include <jansson.h>

struct holders;

/* All have to live as long. Where one variable only that the interleaving knows is the structure, it gives the name: "b.accounts". */
struct holders *holders_new(const struct report *report, struct variables *v, const json_t *interleaving);
void holders_free(struct holders *h);

/* Of what a site accesses; in a function of the library, of what that is called on in the line `where`, if that is one container only. NULL: it is not known. */
const char *holders_name(struct holders *h, uint64_t site, const char *where);
/* By the name that holders_name gave: bytes of each element of a std::vector of numbers; 0: of anything else. */
uint64_t holders_element(const struct holders *h, const char *name);
/* Is that no container, but the variable itself that is accessed: a std::atomic? */
bool holders_itself(const struct holders *h, const char *name);

#endif
