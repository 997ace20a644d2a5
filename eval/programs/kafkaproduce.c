/* Threads that hand messages to a producer of the library's, which sends them to its own mock of a broker. Exits 1 when not all are delivered. */
#include "rdkafka.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITERS = 3, MESSAGES = 100 };

static rd_kafka_t *kafka;
static int delivered;

static void reports(rd_kafka_t *k, const rd_kafka_message_t *message, void *opaque)
{
	(void)k, (void)opaque;
	delivered += !message->err;
}

static void *writes(void *number)
{
	char text[32];
	for (int i = 0; i < MESSAGES; i++) {
		int n = snprintf(text, sizeof text, "%ld-%d", (long)number, i);
		rd_kafka_producev(kafka, RD_KAFKA_V_TOPIC("lines"), RD_KAFKA_V_PARTITION(0), RD_KAFKA_V_VALUE(text, (size_t)n),
				  RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
	}
	return NULL;
}

int main(void)
{
	char error[512];
	pthread_t t[WRITERS];
	rd_kafka_conf_t *conf = rd_kafka_conf_new();
	rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", error, sizeof error);
	rd_kafka_conf_set(conf, "linger.ms", "1", error, sizeof error);
	rd_kafka_conf_set(conf, "log_level", "0", error, sizeof error);
	rd_kafka_conf_set_dr_msg_cb(conf, reports);
	kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
	if (!kafka)
		return 2;
	for (long i = 0; i < WRITERS; i++)
		pthread_create(&t[i], NULL, writes, (void *)i);
	for (int i = 0; i < WRITERS; i++)
		pthread_join(t[i], NULL);
	rd_kafka_flush(kafka, 4000);
	printf("%d of %d messages delivered, %d left\n", delivered, WRITERS * MESSAGES, rd_kafka_outq_len(kafka));
	if (delivered != WRITERS * MESSAGES || rd_kafka_outq_len(kafka))
		return 1;
	rd_kafka_destroy(kafka);
	return 0;
}
