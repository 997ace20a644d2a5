/*
 * For eval/real.sh: a server in libmicrohttpd, a thread for each connection, and its clients in one process. All answers are one
 * response, whose references the library counts. Prints how many answers came.
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 3, REQUESTS = 2 };

static struct MHD_Response *response;
static struct sockaddr_in address = {.sin_family = AF_INET};

static enum MHD_Result answer(void *data, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
			      const char *upload, size_t *size, void **state)
{
	(void)data, (void)url, (void)method, (void)version, (void)upload, (void)size, (void)state;
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static void *client(void *answers)
{
	static const char request[] = "GET / HTTP/1.0\r\n\r\n";
	for (int i = 0; i < REQUESTS; i++) {
		char text[512];
		ssize_t all = 0, n;
		int s = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(s, (struct sockaddr *)&address, sizeof address) && write(s, request, sizeof request - 1) > 0)
			while ((n = read(s, text, sizeof text)) > 0)
				all += n;
		close(s);
		*(int *)answers += all > 0;
	}
	return answers;
}

int main(void)
{
	pthread_t threads[CLIENTS];
	int answers[CLIENTS] = {0}, sum = 0;
	uint16_t port = (uint16_t)(20000 + getpid() % 20000);
	address.sin_port = htons(port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	response = MHD_create_response_from_buffer(2, "ok", MHD_RESPMEM_MUST_COPY);
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, port,
						     NULL, NULL, answer, NULL, MHD_OPTION_END);
	if (!daemon)
		return 2;
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, &answers[i]);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		sum += answers[i];
	}
	MHD_stop_daemon(daemon);
	MHD_destroy_response(response);
	printf("%d answers\n", sum);
	return 0;
}
