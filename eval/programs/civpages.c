/*
 * For eval/real.sh: a server in civetweb whose pages are taken away and put back while clients in the same process ask for them.
 * The library waits until nobody is in a handler before it takes that away. Prints how many answers came.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <civetweb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 2, REQUESTS = 8, PAGES = 6 };

struct page {
	char *text;
	size_t length;
};

static uint16_t port;

static int show(struct mg_connection *connection, void *data)
{
	const struct page *page = data;
	mg_printf(connection, "HTTP/1.0 200 OK\r\nContent-Length: %zu\r\n\r\n", page->length);
	usleep(500); /* as if it were read from a disk */
	assert(strlen(page->text) == page->length);
	mg_write(connection, page->text, page->length);
	return 200;
}

static void *client(void *answers)
{
	static const char request[] = "GET /page HTTP/1.0\r\n\r\n";
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	for (int i = 0; i < REQUESTS; i++) {
		char text[2048];
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

static struct page *make(int i)
{
	struct page *page = malloc(sizeof *page);
	page->length = 20 + (size_t)i;
	page->text = calloc(1, page->length + 1);
	memset(page->text, 'a' + i, page->length);
	return page;
}

int main(void)
{
	char where[32];
	port = (uint16_t)(20000 + getpid() % 20000);
	snprintf(where, sizeof where, "127.0.0.1:%d", port);
	const char *options[] = { "listening_ports", where, "num_threads", "3", NULL };
	struct mg_context *server = mg_start(NULL, NULL, options);
	if (!server)
		return 2;
	pthread_t threads[CLIENTS];
	int answers[CLIENTS] = { 0 }, sum = 0;
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&threads[i], NULL, client, &answers[i]);
	for (int i = 0; i < PAGES; i++) {
		struct page *page = make(i);
		mg_set_request_handler(server, "/page", show, page);
		usleep(2000);
		mg_set_request_handler(server, "/page", NULL, NULL);
		free(page->text);
		free(page);
		usleep(1000);
	}
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		sum += answers[i];
	}
	mg_stop(server);
	printf("%d answers\n", sum);
	return 0;
}
