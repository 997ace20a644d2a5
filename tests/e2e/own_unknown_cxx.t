# Containers and objects of a thread's own, filled with what others have: branches on that are recorded (lines with "unknown").
cat >p.cpp <<'P'
#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <pthread.h>
#include <sstream>
#include <string>
#include <vector>
static int shared = 5, turns;
static int numbers[8] = {4, 8, 1, 9, 2, 7, 3, 6};
static std::string text = "a text that is too long to be held in place";
static long total[2];
static __attribute__((noinline)) long weigh(long n) { __asm__ volatile("" : "+r"(n)); return n; }
struct Shape { virtual ~Shape() = default; virtual long size() const = 0; };
struct Square : Shape { int side; Square(int s) : side(s) {} long size() const override {
	if (side > 3) return weigh(side); /* unknown */
	return 1; } };
struct Dot : Shape { long size() const override { return weigh(1); } };
static __attribute__((noinline)) long containers() {
	long sum = 0;
	std::vector<int> v(numbers, numbers + 8);
	if (v[3] > 8) sum = weigh(sum + 1); /* unknown */
	std::sort(v.begin(), v.end());
	if (v[0] == 1) sum = weigh(sum + 2); /* unknown */
	std::string s = text;
	s += "!";
	if (s[2] == 't') sum = weigh(sum + 3); /* unknown */
	std::map<int, std::string> m;
	for (int i = 0; i < 4; i++) m[numbers[i]] = s;
	if (m.begin()->first == 1) sum = weigh(sum + 4); /* unknown */
	auto p = std::make_unique<std::pair<int, int>>(3, shared);
	if (p->second > 4) sum = weigh(sum + 5); /* unknown */
	std::ostringstream o;
	o << shared;
	if (o.str()[0] == '5') sum = weigh(sum + 6); /* unknown */
	return sum;
}
static __attribute__((noinline)) long objects() {
	long sum = 0;
	std::vector<std::unique_ptr<Shape>> shapes;
	for (int i = 0; i < 6; i++) {
		if (numbers[i] % 2) shapes.emplace_back(new Square(numbers[i])); /* unknown */
		else shapes.emplace_back(new Dot);
	}
	for (auto &s : shapes) sum += s->size();
	return sum;
}
static void *work(void *x) {
	total[x != nullptr] = containers() + objects();
	turns++;
	return x;
}
int main() {
	pthread_t t;
	pthread_create(&t, nullptr, work, &shared);
	numbers[7]++;
	shared += turns > 1000;
	text[0] = 'A';
	work(nullptr);
	pthread_join(t, nullptr);
	assert(total[0] == 1 || turns == 7);
}
P
rethread c++ -O2 -g -w -pthread p.cpp -o p
rethread analyze p >out
grep -n 'unknown \*/' p.cpp | cut -d: -f1 >wanted
grep -E '^ +[0-9]+ .*branches:.*[0-9]+ known' out | sed -E 's/^ +([0-9]+) .*/\1/' >known
! grep -xFf wanted known || { sed -n "$(grep -xFf wanted known | sed 's/$/p/')" p.cpp; false; }
status 134 rethread record -q ./p
rethread reproduce >out
has out 'reproduced and proven by replay'
