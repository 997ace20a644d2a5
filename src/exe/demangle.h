/* Names of C++ functions as their author would write them. */
#ifndef RETHREAD_DEMANGLE_H
#define RETHREAD_DEMANGLE_H

/* "std::allocator<char>::~allocator()" of "_ZNSaIcED1Ev"; the same name again when it is none of C++'s. For free(). */
char *demangle(const char *symbol);

#endif
