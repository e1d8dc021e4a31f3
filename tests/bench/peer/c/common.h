/* What the peers have in common: threads that are pinned, start together, and stop when the time is over. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define MAX_THREADS 64

static int cpus[MAX_THREADS]; /* those that may be used, in order */
static int cpu_count;

static _Alignas(128) atomic_bool stop;
static _Alignas(128) atomic_bool start;
static _Alignas(128) atomic_int ready;
static _Alignas(128) atomic_long lost; /* how often threads lost their processor; once is the stop, which has to run somewhere */

static inline bool stopped(void) { return atomic_load_explicit(&stop, memory_order_relaxed); }

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* The list is as in "0,1,5". */
static void use_cpus(char *list)
{
	for (char *c = strtok(list, ","); c && cpu_count < MAX_THREADS; c = strtok(NULL, ","))
		cpus[cpu_count++] = atoi(c);
}

static void pin(int thread)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpus[thread % cpu_count], &set);
	sched_setaffinity(0, sizeof set, &set);
}

static long switches(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* A worker counts what it does until stopped(). */
struct worker {
	long (*work)(void *arg);
	void *arg;
	void (*enter)(void), (*leave)(void); /* around the work, not timed */
	int thread;
	long count;
	pthread_t id;
};

static void *worker_main(void *p)
{
	struct worker *w = p;
	pin(w->thread);
	if (w->enter)
		w->enter();
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&start))
		sched_yield();
	long before = switches();
	w->count = w->work(w->arg);
	atomic_fetch_add(&lost, switches() - before);
	if (w->leave)
		w->leave();
	return NULL;
}

/* Runs the workers for about that time and returns how long it was. */
static double together(struct worker *w, int n, double length_ns)
{
	for (int i = 0; i < n; i++) {
		w[i].thread = i;
		if (pthread_create(&w[i].id, NULL, worker_main, &w[i]))
			exit(1);
	}
	while (atomic_load(&ready) < n)
		sched_yield();
	struct timespec t = {length_ns / 1e9, (long)length_ns % 1000000000};
	double began = now_ns();
	atomic_store(&start, true);
	nanosleep(&t, NULL);
	double took = now_ns() - began;
	atomic_store(&stop, true);
	for (int i = 0; i < n; i++)
		pthread_join(w[i].id, NULL);
	return took;
}

/* Nanoseconds per operation; a worker that never got to run did one, to have a finite figure. */
static double per(double took, double count) { return took / (count < 1 ? 1 : count); }

/* Ends the program's only line of output. */
static int finish(void)
{
	printf("%d\n", atomic_load(&lost) > 1);
	return 0;
}
