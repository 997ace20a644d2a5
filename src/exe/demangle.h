/* Names of C++ as their author would write them. */
#ifndef RETHREAD_DEMANGLE_H
#define RETHREAD_DEMANGLE_H

/* "std::allocator<char>::~allocator()" of "_ZNSaIcED1Ev"; the same name again when it is none of C++'s. For free(). */
char *demangle(const char *symbol);

/* A variable as debug information would have it: "enabled" of "_ZZ4showvE7enabled". NULL: it is no variable of C++. For free(). */
char *demangle_variable(const char *symbol);

#endif
