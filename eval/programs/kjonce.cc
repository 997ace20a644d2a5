// For eval/real.sh: threads that ask for a table which the first of them makes, and count what they found under a lock of Cap'n Proto's library.
#include <kj/mutex.h>
#include <kj/string.h>
#include <kj/thread.h>
#include <kj/vector.h>
#include <stdio.h>

namespace {
constexpr int threads = 4, rounds = 20, size = 50;

struct Table {
	kj::Array<kj::String> names;
};

kj::Own<Table> make(kj::SpaceFor<Table> &space) {
	auto names = kj::heapArrayBuilder<kj::String>(size);
	for (int i = 0; i < size; i++)
		names.add(kj::str("entry ", i));
	auto table = space.construct();
	table->names = names.finish();
	return table;
}

struct Totals {
	int threads = 0;
	long letters = 0;
};
} // namespace

int main() {
	long all = 0;
	for (int round = 0; round < rounds; round++) {
		kj::Lazy<Table> lazy;
		kj::MutexGuarded<Totals> totals;
		{
			kj::Vector<kj::Own<kj::Thread>> workers;
			for (int t = 0; t < threads; t++)
				workers.add(kj::heap<kj::Thread>([&lazy, &totals]() {
					long letters = 0;
					for (auto &name : lazy.get(make).names)
						letters += name.size();
					auto locked = totals.lockExclusive();
					locked->threads++;
					locked->letters += letters;
				}));
			totals.when([](const Totals &t) { return t.threads == threads; }, [&](Totals &t) { all += t.letters; });
		}
	}
	printf("%ld letters\n", all);
	return 0;
}
