# A CMake project: the compilers' names are all it takes, also where it asks for LTO itself, which needs an ar that knows it.
command -v cmake >/dev/null || { echo "NOTE: there is no cmake here"; exit 0; }
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.16)
project(x C)
find_package(Threads REQUIRED)
include(CheckIPOSupported)
check_ipo_supported()
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(part STATIC part.c)
add_executable(p main.c)
target_link_libraries(p part Threads::Threads)
C
echo 'int part(void) { return 5; }' >part.c
echo 'int part(void); int main(void) { return part(); }' >main.c
cmake -DCMAKE_C_COMPILER=rethread-cc -B b >log 2>&1 || fail "$(cat log)"
cmake --build b >log 2>&1 || fail "$(cat log)"
recordable b/p
status 5 rethread record b/p 2>err
has err 'exit status 5'
