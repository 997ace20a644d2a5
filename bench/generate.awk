# A C program with FUNCTIONS functions over shared tables, about 45 lines each: awk -v FUNCTIONS=400 -f generate.awk
# Every function walks a list under a lock, decides by what it finds, and shows a little.
function below(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return int(seed / 65536) % n }
BEGIN {
	seed = 1
	print "#include <pthread.h>\n#include <stdio.h>\n#include <string.h>"
	print "struct item { struct item *next; int key, value; char name[32]; };"
	print "static pthread_mutex_t locks[64];\nstatic struct item *tables[64];\nstatic long counters[256];"
	for (f = 0; f < FUNCTIONS; f++) {
		table = below(64); cases = 2 + below(8)
		printf "long f%d(long a, struct item *it)\n{\n\tlong s = a;\n\tint n[16];\n", f
		printf "\tfor (int i = 0; i < 16; i++)\n\t\tn[i] = (int)(a * %d + i);\n", 3 + below(90)
		printf "\tpthread_mutex_lock(&locks[%d]);\n\tfor (struct item *p = tables[%d]; p; p = p->next) {\n", table, table
		printf "\t\tif (p->key %% %d == 0)\n\t\t\ts += p->value;\n\t\telse if (p->name[0] == 'x')\n\t\t\tp->value++;\n", cases
		printf "\t\tif (s > 1000000)\n\t\t\tbreak;\n\t}\n\tpthread_mutex_unlock(&locks[%d]);\n\tswitch (a %% %d) {\n", table, cases + 1
		for (c = 0; c < cases; c++)
			printf "\tcase %d:\n\t\ts ^= n[%d] + counters[%d];\n\t\tbreak;\n", c, below(16), below(256)
		printf "\tdefault:\n\t\tcounters[%d] += s;\n\t}\n", below(256)
		printf "\tif (it && it->key > %d) {\n\t\tsnprintf(it->name, sizeof it->name, \"%%ld\", s);\n", below(100)
		printf "\t\ts += (long)strlen(it->name);\n\t}\n\treturn s + n[s & 15];\n}\n"
	}
	print "static long (*const all[])(long, struct item *) = {"
	for (f = 0; f < FUNCTIONS; f++)
		printf "f%d,%s", f, f % 12 == 11 ? "\n" : " "
	print "};\nstatic void *run(void *x)\n{\n\tlong s = 0;\n\tstruct item it = {0, 50, 1, \"\"};"
	print "\tfor (size_t i = 0; i < sizeof all / sizeof *all; i++)\n\t\ts += all[i]((long)i + (long)x, &it);"
	print "\tprintf(\"%ld\\n\", s);\n\treturn x;\n}\nint main(void)\n{\n\tpthread_t t[2];"
	print "\tfor (long i = 0; i < 2; i++)\n\t\tpthread_create(&t[i], 0, run, (void *)i);"
	print "\tfor (int i = 0; i < 2; i++)\n\t\tpthread_join(t[i], 0);\n}"
}
