# A trace that is being recorded is not removed, and who removes it all the same does not change how the program ends.
cat >p.c <<'P'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	puts("ready");
	fflush(stdout);
	while (access("go", F_OK))
		usleep(1000);
	return 7;
}
P
rethread cc -O1 p.c -o p
begin() { # ARGUMENTS OF record...: in the background, as $pid
	rm -f go out
	rethread record "$@" ./p >out 2>err &
	pid=$!
	for i in $(seq 200); do ! grep -q ready out 2>/dev/null || return 0; sleep 0.05; done
	fail "not ready"
}
end() { # STATUS
	local got=0
	touch go
	wait $pid || got=$?
	same "$got" "$1"
}
touch go
status 7 rethread record -q ./p
begin
rethread rm --all 2>removed
has removed 'is being recorded, and stays'
same "$(rethread ls | wc -l)" 1
status 4 rethread rm "$(rethread ls | cut -d' ' -f1)" 2>removed
has removed 'is being recorded: end that first'
end 7
has err 'exit status 7'
rethread dump >dumped
rethread rm --all
same "$(rethread ls | wc -l)" 0
# Who is killed holds nothing any more.
begin
kill -KILL $pid
end 137
rethread rm --all
same "$(rethread ls | wc -l)" 0
begin -o trace
rm -r trace
end 7
has err 'there is no trace of this run'
