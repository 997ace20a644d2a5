#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
std::map<std::string, int> m;
static thread_local int tl = 3;
int f(int x)
{
	if (x % 7 == 3)
		throw std::runtime_error("x");
	return x * tl;
}
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < 1000; i++) {
		try {
			s += f(i);
		} catch (std::exception &e) {
			s -= e.what()[0];
		}
		switch (i % 13) {
		case 1:
			s++;
			break;
		case 2:
		case 3:
			s += 2;
			break;
		case 9:
			s *= 3;
			break;
		case 7:
			m["a"]++;
			break;
		case 12:
			m[std::to_string(i)]++;
		}
	}
	std::vector<std::thread> v;
	for (int i = 0; i < 3; i++)
		v.emplace_back([&, i] {
			tl = i;
			for (int k = 0; k < 100; k++)
				if (k % 3 == i)
					(void)f(7 * k);
		});
	for (auto &t : v)
		t.join();
	std::cout << s << " " << m.size() << " " << m["a"] << "\n";
}
