# A reader splits text into lines by memchr (std::string_view::find) while another thread appends to it: each call may look at all that there is, none of which has to be guessed.
cat >journal.cpp <<'P'
#include <atomic>
#include <cassert>
#include <cstring>
#include <string_view>
#include <thread>
#include <unistd.h>
static char text[1 << 13];
static std::atomic<size_t> length{0};
static void append(int n)
{
	static const std::string_view line = "the quick brown fox\n";
	size_t at = length;
	length = at + line.size(); /* bug: it is not there yet */
	if (n == 250)
		usleep(30000);
	memcpy(text + at, line.data(), line.size());
}
int main()
{
	std::thread reader([] {
		int lines = 0;
		usleep(10000);
		for (std::string_view all(text, length); !all.empty(); lines++) {
			size_t end = all.find('\n');
			assert(end != all.npos);
			all.remove_prefix(end + 1);
		}
	});
	for (int i = 0; i <= 250; i++) {
		append(i);
		if (i == 248)
			usleep(5000);
	}
	reader.join();
}
P
rethread c++ -std=c++17 -O2 -g -pthread journal.cpp -o journal
status 134 rethread record ./journal 2>err
has err 'end != all.npos'
rethread reproduce --engine solve --budget 15 --json figures >out 2>&1 || fail "not inferred: $(cat out)"
rethread replay -n 10 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 10/10$'
guesses=$(sed -n 's/.*"assumptions": \([0-9]*\).*/\1/p' figures)
[ "$guesses" -lt 2000 ] || fail "$guesses guesses"
