/* Readers and writers of liburcu in one flavour: rcu TIME_NS CPUS READERS WRITERS
 * prints reads and writes a second. With 0 writers: nanoseconds per read, and 0. */
#include "common.h"
#define _LGPL_SOURCE /* inlined read sides, which is what others are compared with */
#include HEADER

#define JOIN(a, b) a##b
#define NAME(flavour, f) JOIN(flavour, f)
#define U(f) NAME(FLAVOUR, f)

struct cell { _Alignas(128) long v; };

static struct cell first = {8};
static _Alignas(128) struct cell *current = &first;

static long reader(void *arg)
{
	(void)arg;
	long n = 0;
	while (!stopped()) {
		U(_read_lock)();
		struct cell *c = rcu_dereference(current);
		if (c->v != 8)
			abort();
		U(_read_unlock)();
		n++;
#ifdef QUIESCENT
		if (n % 1024 == 0)
			U(_quiescent_state)();
#endif
	}
	return n;
}

static long writer(void *arg)
{
	struct cell *spare = arg;
	long n = 0;
	for (; !stopped(); n++) {
		spare->v = 8;
		struct cell *old = rcu_xchg_pointer(&current, spare);
		U(_synchronize_rcu)();
		old->v = 0;
		spare = old;
	}
	return n;
}

static void enter(void) { U(_register_thread)(); }
static void leave(void) { U(_unregister_thread)(); }

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	use_cpus(argv[2]);
	int readers = atoi(argv[3]), writers = atoi(argv[4]), n = readers + writers;
	if (n > MAX_THREADS)
		return 2;
	static struct worker w[MAX_THREADS];
	static struct cell spare[MAX_THREADS];
	for (int i = 0; i < n; i++)
		w[i] = i < readers ? (struct worker){.work = reader, .enter = enter, .leave = leave}
				   : (struct worker){.work = writer, .arg = &spare[i]};
	double took = together(w, n, atof(argv[1]));
	double count[2] = {0, 0};
	for (int i = 0; i < n; i++)
		count[i >= readers] += w[i].count;
	if (writers == 0)
		printf("%.6f ", per(took, count[0] / readers));
	else
		printf("%.6f %.6f ", count[0] * 1e9 / took, count[1] * 1e9 / took);
	return finish();
}
