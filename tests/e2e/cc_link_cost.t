# What a link takes grows with the program, not faster: the pass alone, of N and of 4 N functions, and the code that it makes.
pass() { # pass SOURCE [MODE]: a line for each step in SOURCE.times
	clang-19 -O1 -g -pthread -flto -c "$1.c" -o "$1.o"
	RETHREAD_PASS=${2:-record} RETHREAD_PASS_TIMES=1 RETHREAD_PASS_REPORT=$1.report clang-19 -O1 -flto -fuse-ld=lld -pthread \
		-Wl,--load-pass-plugin="$ROOT/build/librethread_pass.so" -Wl,--lto-emit-llvm "$1.o" -o "$1.bc" 2>"$1.times"
}
size_after() { sed -n "s/.* \([0-9]*\) instructions  $2\$/\1/p" "$1.times"; }
seconds() { awk '{ sum += $2 } END { printf "%d\n", sum * 1000 }' "$1.times"; }
program() { # program N
	awk -v n="$1" 'BEGIN {
		print "#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *next, *other; long key, count; char *text; };"
		print "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstruct node *heads[64];"
		for (i = 0; i < n; i++) {
			printf "__attribute__((noinline)) static long f%d(struct node *n, long k)\n{\n\tlong sum = 0;\n", i
			printf "\tfor (struct node *p = heads[(k + %d) & 63]; p; p = p->next)\n", i
			printf "\t\tif (p->key == k + %d)\n\t\t\tsum += p->other->count;\n\t\telse if (p->text[%d] == (char)k)\n\t\t\tp->count++;\n", i, i % 8
			printf "\tif (k %% %d == 3) {\n\t\tpthread_mutex_lock(&lock);\n\t\tn->other = heads[sum & 63];\n", i % 5 + 4
			print "\t\theads[sum & 63] = n;\n\t\tpthread_mutex_unlock(&lock);\n\t}"
			if (i) printf "\tsum += f%d(n->next, k / 2);\n", int(i / 2)
			if (i > 1) printf "\tif (n->other->key > sum)\n\t\tsum += f%d(n->other, k - 1);\n", i - 1
			print "\treturn sum;\n}"
		}
		print "__attribute__((noinline)) static long often(struct node *n, long k)\n{\n\tlong sum = n->other->count;"
		for (i = 0; i < 60; i++) printf "\tsum = sum * %d + (k ^ sum >> %d);\n", i + 3, i % 9 + 2
		print "\treturn sum;\n}\nstatic void *work(void *p)\n{\n\tstruct node *n = calloc(1, sizeof *n);"
		print "\tn->other = n;\n\tfor (long i = 0; i < 99; i++)\n\t\tfor (long j = 0; j < i; j++)\n\t\t\tfor (long k = 0; k < j; k++)\n\t\t\t\tn->count += often(n, i * j ^ k);"
		printf "\tn->key = f%d(n, 7);\n\treturn p;\n}\n", n - 1
		print "int main(void)\n{\n\tpthread_t t;\n\tpthread_create(&t, NULL, work, NULL);\n\twork(NULL);\n\treturn pthread_join(t, NULL);\n}"
	}'
}
program 500 >few.c && pass few
program 2000 >many.c && pass many
[ "$(seconds many)" -le $((10 * $(seconds few) + 200)) ] || fail "$(seconds few) ms and $(seconds many) ms: $(paste few.times many.times)"
# Most of its functions have a second version, but not all: that would be too much code.
copied=$(llvm-nm-19 many.bc | grep -c '\.quick$')
[ "$copied" -gt 1000 ] && [ "$copied" -lt 1950 ] || fail "$copied of 2000 functions are copied"
# Those come first that are asked most, also where it is their callers that have the loops.
llvm-nm-19 many.bc >many.names
has many.names ' often\.quick$'

# Large functions of a large program's twin are not optimised any further.
for name in few many; do
	pass $name twin
	llvm-dis-19 $name.bc -o $name.ll
done
grep '^attributes.*optnone' many.ll
! grep '^attributes.*optnone' few.ll

# Where there are many values, recording one is a call.
{
	printf '#include <pthread.h>\n#include <stdlib.h>\nstruct node { struct node *next[400]; };\nstruct node *head;\n'
	printf 'static void *work(void *p)\n{\n\tstruct node *n = head;\n'
	for i in $(seq 400); do echo "	n = n->next[$i - 1];"; done
	printf '\thead = n->next[7];\n\treturn p;\n}\nint main(void)\n{\n\tpthread_t t;\n\thead = calloc(1, sizeof *head);\n'
	printf '\tpthread_create(&t, NULL, work, NULL);\n\twork(NULL);\n\treturn pthread_join(t, NULL);\n}\n'
} >long.c && pass long
branches=$(size_after long 'recorded branches') values=$(size_after long 'recorded values')
[ "$values" -le $((6 * branches)) ] || fail "$branches instructions, with values $values"

# rethread cc -v says it, too.
echo 'int main(void) { return 0; }' >small.c
rethread cc -v -o small small.c 2>err
has err '^rethread: +[0-9.]+ s +[0-9]+ instructions  known branches$'
