// For eval/real.sh: a server with cpp-httplib's pool of threads and its clients in one process. Prints how many answers came.
#include <httplib.h>

#include <cassert>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

int main()
{
	httplib::Server server;
	server.new_task_queue = [] { return new httplib::ThreadPool(3); };
	server.set_keep_alive_max_count(1);
	server.Get(R"(/square/(\d+))", [](const httplib::Request &request, httplib::Response &response) {
		int n = std::stoi(request.matches[1]);
		response.set_content(std::to_string(n * n), "text/plain");
	});
	int port = server.bind_to_any_port("127.0.0.1");
	std::thread listener([&] { server.listen_after_bind(); });
	std::vector<std::thread> clients;
	std::vector<int> right(3);
	for (int c = 0; c < 3; c++)
		clients.emplace_back([&, c] {
			httplib::Client client("127.0.0.1", port);
			for (int i = 1; i <= 3; i++)
				if (auto answer = client.Get("/square/" + std::to_string(i)))
					right[c] += answer->body == std::to_string(i * i);
		});
	for (auto &c : clients)
		c.join();
	server.stop();
	listener.join();
	std::printf("%d answers\n", right[0] + right[1] + right[2]);
}
