# explain --html: one page, well-formed and without anything from elsewhere, with what explain says and a picture of the steps.
cat >well_formed.py <<'P'
import html.parser, sys

class Page(html.parser.HTMLParser):
    open_tags, counts, text = [], {}, []
    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        for name, value in attributes:
            assert name not in ("src", "href"), f"{name}={value}"
        if tag != "meta":
            self.open_tags.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
    def handle_endtag(self, tag):
        assert self.open_tags and self.open_tags.pop() == tag, tag
    def handle_data(self, data):
        self.text.append(data)

page = Page()
page.feed(open(sys.argv[1]).read())
page.close()
assert not page.open_tags, page.open_tags
print(" ".join(f"{tag}={n}" for tag, n in sorted(page.counts.items())))
print("".join(page.text))
P
cat >lost.cpp <<'P'
#include <cassert>
#include <chrono>
#include <thread>
template <typename T> struct Counter { T sum{}; };
static Counter<long> count;
static void add() { long now = count.sum; std::this_thread::sleep_for(std::chrono::milliseconds(5)); count.sum = now + 1; }
int main()
{
	std::thread a(add), b(add);
	a.join();
	b.join();
	assert(count.sum > 1 && "not <both> & lost");
}
P
rethread c++ -O2 -g -pthread lost.cpp -o lost
rethread record --until-failure --runs 100 -q -- ./lost >/dev/null 2>&1 && fail "it did not fail"
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread explain >said
rethread explain --html page.html >out 2>&1 || fail "$(cat out)"
[ ! -s out ] || fail "it says something: $(cat out)"
python3 well_formed.py page.html >page || fail "not well-formed: $(cat page)"
has page 'svg=1 ' 'not <both> & lost' '^In short: ' 'thread 1:1' 'thread 1:2' 'count.sum = 1' 'FAILS'
# What is said in words is the same, and each step that is shown has a row.
sed -n '/^In short/,/^An interleaving/p' said | sed '$d' >words
grep -qF "$(head -1 words)" page
rows=$(sed -n '/^An interleaving/,$p' said | grep -cE '^  .*(reads|writes|start|create|ends|join|FAILS)')
has page "circle=$rows "
# A file that cannot be written is an error.
status 4 rethread explain --html /nonexistent/page.html 2>err
has err 'cannot write /nonexistent/page.html'
