# Names of the runtimes do not collide with those of a program, global ones included.
cat >p.cc <<'E'
#include <cstdio>
#include <mutex>
int rt_self = 1, rt_log = 2, rt_real = 3, twin_self = 4, engine = 5;
extern "C" int rt_object_find(int v) { return v + rt_self; }
extern "C" int schedule_load(int v) { return v + twin_self; }
extern "C" int gate_await(int v) { return v + engine; }
extern "C" int heap_start(int v) { return v + rt_log + rt_real; }
int main(int argc, char **) {
	std::mutex m;
	std::lock_guard<std::mutex> l(m);
	std::printf("%d\n", rt_object_find(argc) + schedule_load(argc) + gate_await(argc) + heap_start(argc));
}
E
rethread c++ -O2 p.cc -o p
recordable p
same "$(./p)" 19
same "$(rethread record ./p)" 19
