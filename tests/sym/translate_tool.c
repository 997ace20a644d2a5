/* usage: translate_tool BITCODE CODE [FUNCTION|-]: translates; then prints the code of the function, or of all. */
#include "sym/code.h"
#include "sym/translate.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct error err;
	char *data;
	size_t size;
	struct code c;
	if (argc < 3)
		die(EXIT_USAGE, "usage: translate_tool BITCODE CODE [FUNCTION|-]");
	if (!read_file(argv[1], &data, &size, &err) || !translate(data, size, argv[2], &err) ||
	    !code_load(&c, argv[2], &err))
		die(EXIT_ERROR, "%s", err.text);
	for (uint32_t i = 0; argc > 3 && i < c.nfunctions; i++)
		if (!strcmp(argv[3], "-") || !strcmp(argv[3], c.strings + c.functions[i].name))
			code_dump(&c, i, stdout);
	free(data);
	code_release(&c);
	return 0;
}
