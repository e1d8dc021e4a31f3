/* Locks of Concurrency Kit.
 *	lock TIME_NS CPUS halves             nanoseconds per lock and per unlock of a ticket lock, each in a loop
 *	lock TIME_NS CPUS ticket|mcs THREADS nanoseconds per lock and unlock together, all threads at one lock */
#include "common.h"
#include <ck_spinlock.h>

#define LOCKS 256 /* so that taking them in a loop stays in the first-level cache */

static ck_spinlock_ticket_t locks[LOCKS];

static _Alignas(128) ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static _Alignas(128) ck_spinlock_mcs_t mcs = CK_SPINLOCK_MCS_INITIALIZER;
static _Alignas(128) long counter;

static long ticket_worker(void *arg)
{
	(void)arg;
	long n = 0;
	for (; !stopped(); n++) {
		ck_spinlock_ticket_lock(&ticket);
		counter++;
		ck_spinlock_ticket_unlock(&ticket);
	}
	return n;
}

static long mcs_worker(void *arg)
{
	(void)arg;
	_Alignas(128) ck_spinlock_mcs_context_t node;
	long n = 0;
	for (; !stopped(); n++) {
		ck_spinlock_mcs_lock(&mcs, &node);
		counter++;
		ck_spinlock_mcs_unlock(&mcs, &node);
	}
	return n;
}

static void halves(double length)
{
	double locking = 0, unlocking = 0, n = 0, began = now_ns();
	pin(0);
	long before = switches();
	do {
		double t = now_ns();
		for (int i = 0; i < LOCKS; i++)
			ck_spinlock_ticket_lock(&locks[i]);
		double u = now_ns();
		for (int i = 0; i < LOCKS; i++)
			ck_spinlock_ticket_unlock(&locks[i]);
		double v = now_ns();
		locking += u - t;
		unlocking += v - u;
		n += LOCKS;
	} while (now_ns() - began < length);
	if (switches() != before)
		atomic_store(&lost, 2);
	printf("%.6f %.6f ", locking / n, unlocking / n);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	use_cpus(argv[2]);
	if (!strcmp(argv[3], "halves")) {
		halves(atof(argv[1]));
		return finish();
	}
	int threads = argc == 5 ? atoi(argv[4]) : 0;
	if (threads < 1 || threads > MAX_THREADS)
		return 2;
	static struct worker w[MAX_THREADS];
	for (int i = 0; i < threads; i++)
		w[i].work = strcmp(argv[3], "mcs") ? ticket_worker : mcs_worker;
	double took = together(w, threads, atof(argv[1])), n = 0;
	for (int i = 0; i < threads; i++)
		n += w[i].count;
	if (counter != (long)n)
		abort();
	printf("%.6f ", per(took, n));
	return finish();
}
