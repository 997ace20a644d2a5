/*
 * std::string: what libstdc++ does to it in functions of its own, for programs compiled as C++17 or older; with C++20 these are the
 * program's own already. Programs get them here instead, as bitcode like their own code (src/cc/link.c), so that strings that
 * threads share without a lock are inferred like any other structure. The library itself keeps its own: they are not exported
 * (--exclude-libs).
 */
#include <string>

template class std::basic_string<char>;
