/*
 * Local variables that are no more: another thread still has a reference to one whose scope has ended, or whose function has returned. In the recorded run something else lay there by then,
 * which it found or overwrote: often what no other thread can reach, of which nothing is in the log. Here each variable of a function has a place of its own, so that does not
 * happen. Nothing is proven where a thread may have done that: the executor does not know for certain which of the two came first.
 */
#include "sym/engine.h"

#include <string.h>

/* A variable of a frame that still is, out of its scope. */
struct over {
	uint64_t start, size;
	const char *name; /* "queue@12" or "" */
};

static struct {
	vec(struct over) over; /* those of frames that are left go when their place is needed again */
	char text[200];
} gone;

void host_scope(struct ithread *t, uint64_t own, uint64_t size, const char *name, bool begins)
{
	bool below;
	size_t kept = 0;
	if (!gone.over.n && begins)
		return;
	for (size_t i = 0; i < gone.over.n; i++) {
		const struct over *o = &gone.over.at[i];
		bool left = ithread_is_on_stack(t, o->start, &below) && below;
		if (!left && (o->start >= own + size || own >= o->start + o->size))
			gone.over.at[kept++] = *o;
	}
	gone.over.n = kept;
	if (!begins)
		*vec_push(&gone.over) = (struct over){ own, size, name };
}

static void describe(struct ethread *t, const struct ethread *of, const char *name, bool write)
{
	struct position p;
	interp_place(engine.interp, ithread_own_place(t->interp, 0), &p);
	const char *slash = p.file ? strrchr(p.file, '/') : NULL, *file = slash ? slash + 1 : p.file ? p.file : "?";
	int named = (int)strcspn(name, "@");
	if (!*gone.text)
		snprintf(gone.text, sizeof gone.text, "thread %s %s %.*s%sa local variable of thread %s%s (%.60s:%u) that may have been no more", t->name, write ? "wrote" : "read", named, name,
			 named ? ", " : "", of->name, named ? "," : "", file, p.line);
}

void gone_access(struct ethread *t, uint64_t address, bool write)
{
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *of = engine.threads.at[i];
		bool below;
		if (!of->interp || !ithread_is_on_stack(of->interp, address, &below))
			continue;
		const char *name = below ? "" : NULL;
		for (size_t k = 0; k < gone.over.n && !name; k++)
			if (address - gone.over.at[k].start < gone.over.at[k].size)
				name = gone.over.at[k].name;
		if (of != t && name)
			describe(t, of, name, write);
		return;
	}
}

const char *gone_text(void)
{
	return gone.text;
}
