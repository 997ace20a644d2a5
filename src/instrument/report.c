/* The sites by source line and the totals, as text: what `rethread analyze` prints. */
#include "instrument/pass.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "DIRECTORY/FILE:LINE FUNCTION KIND"; "?" without debug information. */
static void write_site(FILE *f, LLVMValueRef site, const char *kind)
{
	unsigned length = 0;
	size_t name_length;
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(site));
	const char *file = LLVMGetDebugLocFilename(site, &length);
	if (file && length)
		fprintf(f, "%.*s:%u", (int)length, file, LLVMGetDebugLocLine(site));
	else
		fputs("?:0", f);
	fprintf(f, " %s %s\n", LLVMGetValueName2(function, &name_length), kind);
}

void report_write(const char *path, LLVMModuleRef m, const struct numbering *n)
{
	(void)m;
	FILE *f = fopen(path, "w");
	if (!f)
		pass_die("cannot write %s: %s", path, strerror(errno));
	for (size_t i = 0; i < n->sites.n; i++)
		write_site(f, n->sites.at[i], site_kind_names[n->kinds[i]]);
	fprintf(f,
		"total functions %u\ntotal branches %zu\ntotal known %u\ntotal sites %zu\n"
		"total accesses %u\ntotal shared %u\n",
		n->nfunctions, n->branches.n, n->nknown, n->sites.n, n->naccesses, n->nshared);
	bool ok = !ferror(f);
	if (fclose(f) != 0 || !ok)
		pass_die("cannot write %s: %s", path, strerror(errno));
}
