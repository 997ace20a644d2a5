/*
 * rays THREADS SIZE: a picture of SIZE by SIZE points of some balls above a floor, with shadows and mirrors. Threads, which lie in a vector, take turns at its rows; the scene is objects with
 * virtual functions, which were made before there were threads. Prints how bright it is.
 */
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

struct vec {
	double x, y, z;
	vec operator+(vec o) const { return {x + o.x, y + o.y, z + o.z}; }
	vec operator-(vec o) const { return {x - o.x, y - o.y, z - o.z}; }
	vec operator*(double k) const { return {x * k, y * k, z * k}; }
	double dot(vec o) const { return x * o.x + y * o.y + z * o.z; }
	vec unit() const { return *this * (1 / std::sqrt(dot(*this))); }
};

struct ray {
	vec from, to;
};

struct hit {
	double far;
	vec at, normal;
	double color;
};

struct shape {
	virtual ~shape() = default;
	virtual std::optional<hit> meet(const ray &r) const = 0;
};

struct ball : shape {
	vec center;
	double radius, color;
	ball(vec center, double radius, double color) : center(center), radius(radius), color(color) {}
	std::optional<hit> meet(const ray &r) const override
	{
		vec o = r.from - center;
		double b = o.dot(r.to), d = b * b - (o.dot(o) - radius * radius);
		if (d < 0)
			return {};
		double far = -b - std::sqrt(d);
		if (far < 1e-4)
			return {};
		vec at = r.from + r.to * far;
		return hit{far, at, (at - center).unit(), color};
	}
};

struct ground : shape {
	double height;
	explicit ground(double height) : height(height) {}
	std::optional<hit> meet(const ray &r) const override
	{
		if (std::fabs(r.to.y) < 1e-6)
			return {};
		double far = (height - r.from.y) / r.to.y;
		if (far < 1e-4)
			return {};
		vec at = r.from + r.to * far;
		bool odd = ((int)std::floor(at.x) + (int)std::floor(at.z)) & 1;
		return hit{far, at, {0, 1, 0}, odd ? 0.9 : 0.2};
	}
};

class scene {
	std::vector<std::unique_ptr<shape>> shapes;
	vec light{5, 8, -5};

	std::optional<hit> nearest(const ray &r) const
	{
		std::optional<hit> best;
		for (auto &s : shapes) {
			auto h = s->meet(r);
			if (h && (!best || h->far < best->far))
				best = h;
		}
		return best;
	}

public:
	void add(std::unique_ptr<shape> s) { shapes.push_back(std::move(s)); }
	double look(const ray &r, int depth) const
	{
		auto h = nearest(r);
		if (!h)
			return 0.1;
		vec to_light = (light - h->at).unit();
		double bright = std::max(0.0, h->normal.dot(to_light));
		if (nearest({h->at, to_light}))
			bright *= 0.3;
		double color = h->color * (0.2 + 0.8 * bright);
		if (!depth)
			return color;
		vec mirrored = r.to - h->normal * (2 * r.to.dot(h->normal));
		return 0.8 * color + 0.2 * look({h->at, mirrored}, depth - 1);
	}
};

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2, size = argc > 2 ? atoi(argv[2]) : 300;
	scene s;
	s.add(std::make_unique<ground>(-1));
	for (int i = 0; i < 12; i++)
		s.add(std::make_unique<ball>(vec{i % 4 * 1.5 - 2, i / 4 * 0.9 - 0.5, 3 + i * 0.4}, 0.6, 0.3 + i * 0.05));
	std::vector<float> picture((size_t)size * (size_t)size);
	std::atomic<int> row{0};
	std::vector<std::thread> threads;
	for (int t = 0; t < n; t++)
		threads.emplace_back([&] {
			for (int y; (y = row.fetch_add(1)) < size;)
				for (int x = 0; x < size; x++) {
					vec to = vec{(x - size / 2.0) / size, (size / 2.0 - y) / size, 1}.unit();
					picture[(size_t)y * (size_t)size + (size_t)x] = (float)s.look({{0, 0.5, -4}, to}, 3);
				}
		});
	for (auto &t : threads)
		t.join();
	double sum = 0;
	for (float f : picture)
		sum += f;
	printf("%.3f\n", sum);
}
