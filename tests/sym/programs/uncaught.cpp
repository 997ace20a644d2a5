/* An exception nobody catches: ends as natively, without cleanups. */
#include <cstdio>
#include <stdexcept>

struct guard { ~guard() { std::printf("cleanup\n"); } };

__attribute__((noinline)) static void fail(int n)
{
	guard g;
	if (n)
		throw std::runtime_error("nobody");
}

int main(int argc, char **)
{
	std::printf("begin\n");
	std::fflush(stdout);
	fail(argc);
	return 0;
}
