# What comes from standard input is in the log: read, stdio and C++ streams; the replay needs no input.
cat >p.c <<'P'
#include "race.h"
int main(void)
{
	char *line = NULL, buffer[8], word[20];
	size_t room = 0;
	long a, b;
	double d;
	assert(getline(&line, &room, stdin) > 0);
	both(atol(line), 9);
	int c = getc(stdin);
	ungetc(c, stdin);
	both(c - '0', 10);
	assert(fread(buffer, 1, 2, stdin) == 2);
	both(buffer[0] - '0', buffer[1] - '0');
	assert(fscanf(stdin, "%ld %19s %ld,%lf", &a, word, &b, &d) == 4);
	both(a, b + (long)d + (long)strlen(word));
	assert(scanf("%ld", &a) == 1);
	both(a, a);
	while (getline(&line, &room, stdin) > 0)
		both(strtol(line, 0, 10), (long)strlen(line) % 20);
	assert(feof(stdin));
	free(line);
	return judge();
}
P
printf '31\n7914 word 25,3.5\n22 \n17\n12%150s\n' x >stdin
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced stdin ./p
rethread dump >dump
has dump 'input (getline|__getdelim) = 3, .*"31' 'input fread = 2, 2 bytes "79"' 'input (__isoc99_)?fscanf = 4, .*"word'
followed stdin ./p

cat >q.c <<'P'
#include "race.h"
int main(void)
{
	char b[7];
	for (ssize_t n; (n = read(0, b, sizeof b)) > 0;)
		both(b[0] % 32, b[n - 1] % 32);
	return judge();
}
P
printf 'some text that is read in pieces of seven bytes' >stdin
rethread cc -O1 -g -I"$ROOT/tests/e2e" q.c -o q
reproduced stdin ./q
followed stdin ./q

cat >r.cc <<'P'
#include "race.h"
#include <chrono>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
int main(int, char **argv)
{
	std::random_device device;
	std::mt19937 chance(device());
	for (long n; std::cin >> n;)
		both(n, (long)(chance() % 20));
	std::ifstream file(argv[1]);
	for (std::string word; std::getline(file, word);)
		both((long)word.size() % 20, std::chrono::system_clock::now().time_since_epoch().count() % 20);
	return judge();
}
P
printf '12 7 21 15 9 3 14 20\n' >stdin
rethread c++ -O2 -g -I"$ROOT/tests/e2e" r.cc -o r
reproduced stdin ./r q.c
followed stdin ./r q.c
