/* A ring of Concurrency Kit between one producer and one consumer: ring TIME_NS CPUS spsc|mpsc
 * prints nanoseconds per element. */
#include "common.h"
#include <ck_ring.h>

#define SIZE 1024

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];

#define PRODUCE(name, enqueue) \
	static long name(void *arg) \
	{ \
		(void)arg; \
		long n = 0; \
		for (; !stopped(); n++) \
			while (!enqueue(&ring, buffer, (void *)(n + 1)) && !stopped()) \
				; \
		return n; \
	}

#define CONSUME(name, dequeue) \
	static long name(void *arg) \
	{ \
		(void)arg; \
		long n = 0; \
		void *v; \
		while (!stopped()) \
			if (dequeue(&ring, buffer, &v) && (long)v != ++n) \
				abort(); \
		return n; \
	}

PRODUCE(produce_spsc, ck_ring_enqueue_spsc)
PRODUCE(produce_mpsc, ck_ring_enqueue_mpsc)
CONSUME(consume_spsc, ck_ring_dequeue_spsc)
CONSUME(consume_mpsc, ck_ring_dequeue_mpsc)

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	use_cpus(argv[2]);
	ck_ring_init(&ring, SIZE);
	bool many = !strcmp(argv[3], "mpsc");
	struct worker w[2] = {
		{.work = many ? consume_mpsc : consume_spsc},
		{.work = many ? produce_mpsc : produce_spsc},
	};
	double took = together(w, 2, atof(argv[1]));
	printf("%.6f ", per(took, w[0].count));
	return finish();
}
