"""lines.py SOURCE < (rethread dump --lines all --json): every thread that left a file lines.NAME passed the lines in it.

Compares the lines of SOURCE that consist of the note `L;`, repetitions of one line counting once: code that was unrolled
is one line. Exit status 1 and both lists when they differ."""
import json
import os
import sys

source = open(sys.argv[1]).read().split("\n")


def notes(entries):
	out, starts = [], []
	for e in entries:
		if "repeat" in e:
			start = starts[-e["repeat"]]
			out += out[start:] * (e["times"] - 1)
			starts.append(len(out))
			continue
		starts.append(len(out))
		if os.path.basename(e["file"]) == os.path.basename(sys.argv[1]) and source[e["line"] - 1].strip() == "L;":
			out.append(e["line"])
	return out


def once(lines):
	return [l for i, l in enumerate(lines) if not i or lines[i - 1] != l]


checked = 0
for thread in json.load(sys.stdin)["threads"]:
	file = "lines." + thread["name"]
	if not os.path.exists(file):
		continue
	said = once([int(l) for l in open(file)])
	seen = once(notes(thread["lines"]["lines"]))
	if said != seen:
		sys.exit("thread %s\nnoted   %s\ndecoded %s" % (thread["name"], said, seen))
	checked += len(said)
print(checked)
