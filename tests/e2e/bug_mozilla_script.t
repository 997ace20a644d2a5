# bugs/mozilla_script.cpp: C++ objects and strings; a script is destroyed between the check and its use.
proven "$BUGS/mozilla_script.cpp"
harmless "$BUGS/mozilla_script.cpp"
