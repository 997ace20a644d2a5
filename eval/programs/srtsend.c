/* Messages from one thread to another through the library's sockets. Exits 1 when one is wrong, or when the sender's buffer does not become empty. */
#include "srt.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = 300, LONGEST = 3000 };

static SRTSOCKET new_socket(void)
{
	SRTSOCKET s = srt_create_socket();
	SRT_TRANSTYPE type = SRTT_FILE;
	int yes = 1;
	srt_setsockflag(s, SRTO_TRANSTYPE, &type, sizeof type);
	srt_setsockflag(s, SRTO_MESSAGEAPI, &yes, sizeof yes);
	return s;
}

static void *receives(void *listener)
{
	static char text[LONGEST];
	SRTSOCKET s = srt_accept((SRTSOCKET)(long)listener, NULL, NULL);
	long bytes = 0;
	for (int i = 0; i < MESSAGES; i++) {
		int n = srt_recvmsg(s, text, sizeof text);
		if (n != 1 + i * 37 % LONGEST || text[n - 1] != (char)i) {
			fprintf(stderr, "message %d has %d bytes\n", i, n);
			exit(1);
		}
		bytes += n;
	}
	printf("%d messages, %ld bytes\n", MESSAGES, bytes);
	return NULL;
}

int main(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	static char text[LONGEST];
	int length = sizeof address, tries = 0;
	size_t blocks = 1;
	pthread_t t;
	srt_startup();
	SRTSOCKET listener = new_socket(), s = new_socket();
	if (srt_bind(listener, (struct sockaddr *)&address, sizeof address) || srt_listen(listener, 1) ||
	    srt_getsockname(listener, (struct sockaddr *)&address, &length))
		return 2;
	pthread_create(&t, NULL, receives, (void *)(long)listener);
	if (srt_connect(s, (struct sockaddr *)&address, sizeof address))
		return 2;
	for (int i = 0; i < MESSAGES; i++) {
		memset(text, i, sizeof text);
		if (srt_sendmsg(s, text, 1 + i * 37 % LONGEST, -1, 1) < 0)
			return 2;
	}
	pthread_join(t, NULL);
	while (srt_getsndbuffer(s, &blocks, NULL) > 0 && tries++ < 100)
		usleep(10000);
	if (blocks)
		fprintf(stderr, "%zu blocks were never sent\n", blocks);
	srt_close(s);
	srt_close(listener);
	srt_cleanup();
	return blocks != 0;
}
