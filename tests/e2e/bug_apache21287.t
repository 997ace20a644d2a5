# bugs/apache21287.c: released twice: abort. What is said first: who counted between the other's count and its test.
proven "$BUGS/apache21287.c"
if [ -s out ]; then
	tr -s ' \n' ' ' <out >text
	has text 'In short: thread (1:[12]) updated object\[[0-9]+\].references \(2 -> 1\) \(apache21287.c:58\) and then asked what it was \(apache21287.c:60\): by then thread 1:[12] had updated it, too \(1 -> 0\) \(apache21287.c:58\), and it found 0'
fi
harmless "$BUGS/apache21287.c"
