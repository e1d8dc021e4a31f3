// Package memmodel finds out what a small concurrent program can do on a machine: it searches the program's executions under
// an axiomatic memory model, written in cat, and reports every final state, or whether a condition can be met, or an execution
// that shows why:
//
//	m, err := models.Load("x86tso")
//	s := memmodel.Search{Model: m}
//	res, err := s.Run(program, observe, cond)
//
// Programs come from the front ends of package litmus, or are built by hand; models from package models, or from cat.Compile.
//
// # How it searches
//
// Each thread is run in all ways, reading any value that some thread can write there. Ways of different threads are put
// together as long as each value that is read has a writer left, and as many writers as read-modify-writes that read it. For
// each combination, reads-from and coherence are chosen location by location, and only choices are built that keep coherence
// and atomicity, if the model has these axioms in the usual form. What is left goes through the model's code, in three parts:
// what depends on program order and dependencies only is computed once for all executions with the same events, what depends on
// reads-from once for each choice of it, and only the rest for each coherence order. An execution with a final state that is
// known already is not looked at again.
//
// The search is exponential in the number of reads with several possible values, and in the number of writes to one location
// by different threads (their orders). Store buffering with n threads has 2^n combinations of values, one execution for each.
// With a fence in each thread it takes about, in microseconds on one core of a current server:
//
//	threads          2   3   4   5   6    7    8
//	events           8  12  16  20  24   28   32
//	all states       4   5   9  17  34   82  151
//
// Limits bound the search; one that would go beyond returns a LimitError, which is no verdict.
package memmodel
