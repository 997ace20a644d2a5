#include "cc/archive.h"

#include <ar.h>
#include <string.h>

static const char thin_magic[] = "!<thin>\n";

bool archive_open(struct archive *a, const char *path, struct error *err)
{
	*a = (struct archive){.at = SARMAG};
	if (!read_file(path, &a->data, &a->size, err))
		return false;
	a->thin = a->size >= SARMAG && !memcmp(a->data, thin_magic, SARMAG);
	if (a->thin || (a->size >= SARMAG && !memcmp(a->data, ARMAG, SARMAG))) {
		a->path = xstrdup(path);
		return true;
	}
	free(a->data);
	return fail(err, "%s is no archive", path);
}

void archive_close(struct archive *a)
{
	free(a->path);
	free(a->data);
}

/* Up to the first '/' or `end'; a name of a long name's table may contain folders and ends in "/\n". */
static void copy_name(struct member *m, const char *from, size_t room, const char *end)
{
	const char *stop = memmem(from, room, end, strlen(end));
	size_t n = stop ? (size_t)(stop - from) : room;
	snprintf(m->name, sizeof m->name, "%.*s", (int)n, from);
}

static void read_name(const struct archive *a, const struct ar_hdr *h, struct member *m)
{
	size_t offset = strtoul(h->ar_name + 1, NULL, 10);
	if (h->ar_name[0] != '/')
		copy_name(m, h->ar_name, sizeof h->ar_name, "/");
	else if (offset < a->names_size)
		copy_name(m, a->names + offset, a->names_size - offset, "/\n");
	else
		m->name[0] = 0;
}

bool archive_next(struct archive *a, struct member *m)
{
	for (;;) {
		const struct ar_hdr *h = (const struct ar_hdr *)(a->data + a->at);
		if (a->at > a->size || a->size - a->at < sizeof *h || memcmp(h->ar_fmag, ARFMAG, 2))
			return false;
		char digits[sizeof h->ar_size + 1] = "";
		memcpy(digits, h->ar_size, sizeof h->ar_size);
		size_t size = strtoul(digits, NULL, 10), begin = a->at + sizeof *h;
		bool names = !memcmp(h->ar_name, "// ", 3);
		bool table = names || !memcmp(h->ar_name, "/ ", 2) || !memcmp(h->ar_name, "/SYM64/", 7);
		bool inside = table || !a->thin;
		if (inside && size > a->size - begin)
			return false;
		a->at = begin + (inside ? size + (size & 1) : 0);
		if (names) {
			a->names = a->data + begin;
			a->names_size = size;
		}
		if (table)
			continue;
		read_name(a, h, m);
		m->data = inside ? a->data + begin : NULL;
		m->size = size;
		return true;
	}
}
