# What `explain` prints of interleavings made by hand: which steps it shows, what it says of the reads, threads side by side or not.
printf '#include <stdlib.h>\nvolatile char word[16]; volatile enum mood { CALM = 3, CROSS = -1 } mood; int main(void) { mood = CALM; word[0] = 1; abort(); }\n' >p.c
rethread cc -g p.c -o p
status 134 rethread record -o trace ./p 2>err
# made THREADS STEPS LINES...: an interleaving of steps that say nothing, but for the LINES, "NUMBER: JSON"; explained in `out'.
made() {
	python3 - "$@" <<'P' >trace/interleaving.json
import json, sys
threads, n = sys.argv[1].split(), int(sys.argv[2])
steps = [{"thread": threads[i % len(threads)], "sap": i, "kind": "synchronization", "object": "m", "where": "p.c:2", "function": "f",
          "what": "step%d" % i, "step": i} for i in range(n)]
root = {"model": "sc", "events": n, "threads": len(threads), "switches": 3, "steps": steps, "asked": []}
for line in sys.argv[3:]:
    i, text = line.split(": ", 1)
    (root if i == "root" else steps[int(i)]).update(json.loads(text))
json.dump(root, sys.stdout)
P
	rethread explain ./trace >out
}
without() { if grep -E "$1" out; then fail "$1: $(cat out)"; fi; }
access='"object": "x", "what": "", "kind"'
# The read, the write that it saw, and what the thread had found before; of 70 steps only what matters, and the end.
made '1 1:1' 70 "10: {$access: \"read\", \"thread\": \"1\", \"value\": \"1\"}" \
	"60: {$access: \"write\", \"thread\": \"1:1\", \"value\": \"2\", \"matters\": true, \"function\": \"put\"}" \
	"68: {$access: \"read\", \"thread\": \"1\", \"value\": \"2\", \"matters\": true, \"saw\": 60}" \
	'69: {"thread": "1", "kind": "end", "object": "", "what": "", "fails": true}' 'root: {"asked": [{"step": 68}]}'
has out '^What the failure depends on:$' '^  thread 1 read x:$' '^    it found 2$' '^    which thread 1:1 had written in put$' \
	'^    since thread 1 had looked at it or written it last, another thread has written it$' '\(60 other steps\)' \
	'^  p.c:2 {22}writes x = 2$' '\(7 other steps\)' '^  p.c:2 {52}reads x = 2$' '^  p.c:2 {52}FAILS$' 'are left out; --all shows them'
without 'step[0-9]'
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1 found x = 2 \(p.c:2\), which thread 1:1 had written \(p.c:2\)\.'
# Nobody has written it since the thread looked: then nothing is said of that.
made '1 1:1' 70 "62: {$access: \"read\", \"thread\": \"1\", \"value\": \"2\"}" \
	"60: {$access: \"write\", \"thread\": \"1:1\", \"value\": \"2\", \"function\": \"put\"}" \
	"68: {$access: \"read\", \"thread\": \"1\", \"value\": \"2\", \"saw\": 60}" 'root: {"asked": [{"step": 68}]}'
has out '^    it found 2$'
without 'since thread'
# Where nothing is asked, the end is shown; a short one is shown whole.
made '1 1:1' 70
has out '^In short: no single cause stands out\.$' '\(39 other steps\)' 'step39 m$' 'step69 m$'
same "$(grep -c 'step[0-9]* m$' out)" 31
made '1 1:1' 20 'root: {"asked": [{"step": 99}]}'
same "$(grep -c 'step[0-9]* m$' out)" 20
without 'left out'
# More threads than there is room for side by side have headings.
made '1 1:1 1:2 1:3 1:4' 5
same "$(grep -c '^thread 1' out)" 5
made '1 1:1 1:2 1:3' 5
same "$(grep -c '^thread 1' out)" 0
# Characters and enumerations as the source has them; what they have no name for stays a number.
made '1 1:1' 5 "1: {$access: \"write\", \"object\": \"word\", \"value\": \"57313996465516\", \"size\": 8}" "2: {$access: \"write\", \"object\": \"word+8\", \"value\": \"1\", \"size\": 8}" \
	"3: {$access: \"update\", \"object\": \"mood\", \"value\": \"3 -> -1\", \"size\": 4}" "4: {$access: \"read\", \"object\": \"mood\", \"value\": \"5\", \"size\": 4}"
has out 'writes word = "left 4"$' 'writes word\+8 = 1$' 'updates mood: CALM -> CROSS$' 'reads mood = 5$'
# The insides of a container are called by what it is, in the first sentence.
made '1 1:1' 5 "1: {$access: \"read\", \"object\": \"std::_Rb_tree_node_base._M_right\", \"thread\": \"1\", \"value\": \"NULL\"}" "2: {$access: \"write\", \"object\": \"std::_Rb_tree_node_base._M_right\", \"thread\": \"1:1\", \"value\": \"1\"}" \
	"3: {$access: \"read\", \"object\": \"std::_Rb_tree_node_base._M_right\", \"thread\": \"1\", \"value\": \"1\"}" 'root: {"between": {"first": 1, "other": 2, "second": 3}}'
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1 read a node of a map or set \(p.c:2\); before it read it again \(p.c:2\), thread 1:1 changed it \(p.c:2\)\.' 'thread 1 read std::_Rb_tree_node_base._M_right: NULL'
# Of a container the first sentence names no insides; and those that were there before the thread began are not shown where something else is, the others last.
made '1 1:1' 6 "1: {$access: \"write\", \"object\": \"jobs._M_map\", \"thread\": \"1\", \"value\": \"5\"}" "2: {$access: \"write\", \"object\": \"jobs._M_cur\", \"thread\": \"1\", \"value\": \"7\"}" \
	"0: {\"thread\": \"1\"}" "3: {$access: \"read\", \"object\": \"jobs._M_map\", \"thread\": \"1:1\", \"value\": \"5\", \"saw\": 1}" \
	"4: {$access: \"read\", \"object\": \"jobs._M_cur\", \"thread\": \"1:1\", \"value\": \"7\", \"saw\": 2}" 'root: {"asked": [{"step": 3}, {"step": 4}]}'
has out '^In short: thread 1:1 found jobs \(p.c:2\) as thread 1 had left it \(p.c:2\)\.$' 'read jobs._M_map:' 'read jobs._M_cur:'
made '1 1:1' 7 "1: {\"thread\": \"1:1\"}" "2: {$access: \"write\", \"object\": \"jobs._M_cur\", \"thread\": \"1\", \"value\": \"7\"}" "0: {$access: \"write\", \"object\": \"jobs._M_map\", \"thread\": \"1\", \"value\": \"5\"}" \
	"3: {$access: \"read\", \"object\": \"jobs._M_map\", \"thread\": \"1:1\", \"value\": \"5\", \"saw\": 0}" "4: {$access: \"read\", \"object\": \"jobs._M_cur\", \"thread\": \"1:1\", \"value\": \"7\", \"saw\": 2}" \
	"5: {$access: \"read\", \"thread\": \"1:1\", \"value\": \"9\", \"saw\": -1}" 'root: {"asked": [{"step": 3}, {"step": 4}, {"step": 5}]}'
without 'read jobs._M_map:'
same "$(grep -o 'thread 1:1 read .*:$' out | tr '\n' ' ')" 'thread 1:1 read x: thread 1:1 read jobs._M_cur: '
# Two parts of a container from before and after a change.
made '1 1:1' 6 "1: {$access: \"read\", \"object\": \"all._M_start\", \"thread\": \"1\", \"value\": \"5\"}" "2: {$access: \"write\", \"object\": \"all._M_start\", \"thread\": \"1:1\", \"value\": \"7\"}" \
	"3: {$access: \"write\", \"object\": \"all._M_finish\", \"thread\": \"1:1\", \"value\": \"8\"}" "4: {$access: \"read\", \"object\": \"all._M_finish\", \"thread\": \"1\", \"value\": \"8\", \"saw\": 3}" \
	'root: {"stale": {"first": 1, "other": 2, "second": 4, "also": 3}}'
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1 read all \(p.c:2\) while thread 1:1 changed it \(p.c:2\): one part of it is from before, another from after that\.'
made '1 1:1' 5 "1: {$access: \"write\", \"object\": \"std::_Stop_state_t#3._M_value\", \"thread\": \"1:1\", \"value\": \"1\"}" \
	"3: {$access: \"read\", \"object\": \"std::_Stop_state_t#3._M_value\", \"thread\": \"1\", \"value\": \"1\", \"saw\": 1}" 'root: {"asked": [{"step": 3}]}'
has out '^In short: thread 1 found the state of a stop token \(p.c:2\) as thread 1:1 had left it \(p.c:2\)\.$'
