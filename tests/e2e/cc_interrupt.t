# Temporary files go also when the user interrupts: run.sh checks that TMPDIR is empty afterwards.
for i in 1 2 3 4 5 6; do echo "int f$i(int x) { return x * $i; }" >f$i.c; done
echo 'int main(void) { return 0; }' >main.c
for after in 0.02 0.05 0.1; do
	timeout -s INT $after rethread cc -O2 *.c -o p || true
	timeout -s TERM $after rethread cc -O2 *.c -o p || true
done
rethread cc -O2 *.c -o p
./p
