# A folder of links under the names of compilers makes what is built with them recordable.
mkdir bin
for name in cc gcc clang; do ln -s "$ROOT/build/rethread-cc" bin/$name; done
for name in c++ g++ clang++; do ln -s "$ROOT/build/rethread-c++" bin/$name; done
printf 'int main(void) { return 5; }\n' >p.c
printf '#include <string>\nint main(int n, char **) { return (int)std::string("four").size() + n; }\n' >q.cpp
for name in cc gcc clang; do PATH=$PWD/bin:$PATH $name -O1 p.c -o p.$name; done
for name in c++ g++ clang++; do PATH=$PWD/bin:$PATH $name -O1 q.cpp -o p.$name; done
for program in p.[cg]*; do
	case $program in p.c) continue ;; esac
	recordable $program
	status 5 ./$program
done
