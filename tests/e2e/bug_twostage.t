# bugs/twostage.c: two-stage access, 16 threads. What is said first: who passed whom between the two.
proven "$BUGS/twostage.c"
if [ -s out ]; then
	tr -s ' \n' ' ' <out >text
	has text 'In short: thread (1:[0-9]+) wrote drawn = [0-9]+ \(twostage.c:36\) before thread (1:[0-9]+) did .*, but came to published \(twostage.c:54\) after it: thread \2 had'
fi
harmless "$BUGS/twostage.c"
