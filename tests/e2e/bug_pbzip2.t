# bugs/pbzip2.cpp: C++, a crash: main frees the queue and its mutex while a consumer comes back to them.
proven "$BUGS/pbzip2.cpp"
harmless "$BUGS/pbzip2.cpp"
