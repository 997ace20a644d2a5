/* What the first sentences of `explain` are made of (in_short.h). Texts that are returned live until the next few calls. */
#ifndef RETHREAD_WORDS_H
#define RETHREAD_WORDS_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>

struct words {
	char *text; /* NULL: nothing was said yet */
};

__attribute__((format(printf, 2, 3))) void say(struct words *w, const char *format, ...);

/* " (bank.c:33)"; "" where that is not known. */
const char *at(const json_t *step);
/* What it is about; of the insides of containers, whose they are. */
const char *object_of(const json_t *step);
/* " = 7", with what stands before and behind it; "" where that is not known, or is the library's own affair. */
const char *value_of(const json_t *step, const char *before, const char *behind);
/* " to 7": what a write or an update leaves; "" as above. */
const char *left_by(const json_t *step);
bool is_kind(const json_t *step, const char *kind);
/* The step that the object has under the key, or NULL. */
json_t *step_of(const json_t *root, const json_t *of, const char *key);

#endif
