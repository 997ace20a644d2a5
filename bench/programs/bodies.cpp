/*
 * bodies THREADS STEPS: two hundred bodies that attract one another; each step has threads of its own. Prints where one of them ends.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct body {
	double x, y, z, vx, vy, vz;
};

static void attract(std::vector<body> &all, size_t first, size_t step)
{
	for (size_t i = first; i < all.size(); i += step) {
		double ax = 0, ay = 0, az = 0;
		for (size_t k = 0; k < all.size(); k++) {
			if (i == k)
				continue;
			double dx = all[k].x - all[i].x, dy = all[k].y - all[i].y, dz = all[k].z - all[i].z;
			double square = dx * dx + dy * dy + dz * dz + .01, force = 1 / (square * sqrt(square));
			ax += dx * force;
			ay += dy * force;
			az += dz * force;
		}
		all[i].vx += ax * 1e-3;
		all[i].vy += ay * 1e-3;
		all[i].vz += az * 1e-3;
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2, steps = argc > 2 ? atoi(argv[2]) : 1000;
	std::vector<body> all(200);
	for (size_t i = 0; i < all.size(); i++)
		all[i] = {(double)(i * 7919 % 211), (double)(i * 104729 % 199), (double)(i * 1299709 % 193), 0, 0, 0};
	for (int s = 0; s < steps; s++) {
		std::vector<std::thread> running;
		for (int i = 0; i < threads; i++)
			running.emplace_back([&all, i, threads] { attract(all, (size_t)i, (size_t)threads); });
		for (std::thread &t : running)
			t.join();
		for (body &b : all) {
			b.x += b.vx;
			b.y += b.vy;
			b.z += b.vz;
		}
	}
	printf("%.6f\n", all[0].x);
}
