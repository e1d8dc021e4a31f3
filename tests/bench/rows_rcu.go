package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/barriergen/barriergen/primitives/membarrier"
	"github.com/barriergen/barriergen/primitives/rcu"
	"github.com/barriergen/barriergen/tests/bench/measure"
	"github.com/barriergen/barriergen/tests/bench/peer"
)

const membarrierSource = "Linux commit 5b25b13ab08f (sys_membarrier, 2015): 10 s, 6 readers, 2 writers"

// rcuRows are readers and writers in the flavours of userspace RCU.
func rcuRows(peers *peer.Set) measure.Experiment {
	readers, writers := shares(len(measure.CPUs))
	c := func(name, program string) measure.Side {
		return peers.Side(name, program, strconv.Itoa(readers), strconv.Itoa(writers))
	}
	return measure.Experiment{
		Name: "Readers and writers of userspace RCU",
		About: fmt.Sprintf("Readers enter a section, follow a pointer, compare what it points to and leave, as fast as they can; writers replace the "+
			"object, wait for a grace period and use the old one again. %d reading and %d writing threads, each on a processor of its own; "+
			"reads and writes of all of them in the same time. liburcu's read sides are inlined. "+
			"There is no signal-based flavour in Go: the runtime owns all signal handlers, and what os/signal delivers reaches some "+
			"goroutine, not the thread that was to be interrupted.", readers, writers),
		Metrics: []measure.Metric{{Name: "reads", Unit: "1/s"}, {Name: "writes", Unit: "1/s"}},
		Length:  500 * time.Millisecond,
		Sides: []measure.Side{
			fencedSide("one fence", readFenced),
			fencedSide("two fences", readTwoFences),
			fencedSide("three fences", readThreeFences),
			membarrierSide("membarrier", readMembarrier),
			membarrierSide("membarrier, run-time check", readChecked),
			quiescentSide("quiescent-state"),
			c("liburcu-mb", peer.RCUFenced),
			c("liburcu-memb (run-time check)", peer.RCUChecked),
			c("liburcu-memb, call assumed", peer.RCUAssumed),
			c("liburcu-signal", peer.RCUSignal),
			c("liburcu-qsbr", peer.RCUQuiescent),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "membarrier readers / readers with two fences", Over: "membarrier", Under: "two fences",
				PeerOver: "liburcu-memb, call assumed", PeerUnder: "liburcu-mb", Goal: measure.AtLeast(9952759104.0 / 1701557485),
				Published: &measure.Published{Over: 9952759104, Under: 1701557485, Unit: "reads", Source: membarrierSource},
				Note: "This is the comparison that was published: a reader with a fence at each end of its section. There a read took 35 ns with fences and 6 without. " +
					"It depends on what a fence costs against the rest of the section: ours is a locked instruction; the peer's is MFENCE, dearer, and it has a third one.",
			},
			{
				Name: "membarrier readers / readers with one fence", Over: "membarrier", Under: "one fence",
				Note: "Against our own fenced flavour, whose sections end with a release store instead of a fence. The published figure is not about this one.",
			},
			{
				Name: "membarrier readers / readers with three fences", Over: "membarrier", Under: "three fences",
				Note: "As many fences as liburcu's reader has today.",
			},
			{
				Name: "membarrier readers / liburcu-mb readers", Over: "membarrier", Under: "liburcu-mb",
				Note: "Across languages: liburcu's three MFENCE against no fence.",
			},
			{
				Name: "membarrier readers / liburcu-memb readers", Over: "membarrier", Under: "liburcu-memb (run-time check)", Goal: measure.AtLeast(0.9),
				Note: "liburcu as it is installed. Both writers call membarrier all the time, and every call interrupts the readers: who has more grace periods in the " +
					"same time has fewer reads.",
			},
			{
				Name: "membarrier readers / liburcu-memb readers, call assumed", Over: "membarrier", Under: "liburcu-memb, call assumed",
				Note: "liburcu built without its run-time check.",
			},
			{
				Name: "membarrier readers / with a run-time check", Over: "membarrier", Under: "membarrier, run-time check",
				PeerOver: "liburcu-memb, call assumed", PeerUnder: "liburcu-memb (run-time check)",
				Published: &measure.Published{Over: 9952759104, Under: 7970328887, Unit: "reads", Source: membarrierSource},
			},
			{
				Name: "membarrier writers / writers with fenced readers", Metric: 1, Over: "membarrier", Under: "two fences",
				PeerOver: "liburcu-memb, call assumed", PeerUnder: "liburcu-mb",
				Published: &measure.Published{Over: 425, Under: 3129842, Unit: "writes", Source: membarrierSource},
				Note:      "The published writers waited for the call that is not expedited.",
			},
			{
				Name: "quiescent-state readers / membarrier readers", Over: "quiescent-state", Under: "membarrier",
				PeerOver: "liburcu-qsbr", PeerUnder: "liburcu-memb, call assumed",
			},
			{
				Name: "signal-based readers / fenced readers", PeerOver: "liburcu-signal", PeerUnder: "liburcu-mb",
				Published: &measure.Published{Over: 9830061167, Under: 1701557485, Unit: "reads", Source: membarrierSource},
				Note:      "liburcu only; see above.",
			},
		},
	}
}

// decisionRows are readers alone, undisturbed by grace periods.
func decisionRows(peers *peer.Set) measure.Experiment {
	p := newPublished()
	d := rcu.NewMembarrier()
	r, fenced := d.Register(), rcu.NewFenced().Register()
	period := uint64(1)<<63 | 1<<12
	bare := &undecided{word: 1, period: &period}
	return measure.Experiment{
		Name: "What a reader costs that nobody disturbs",
		About: "One reader and no writer. The body of the section: load the pointer, load what it points to, compare. \"decided in the word\" is rcu.Membarrier, " +
			"which has one test for nested sections, for readers that are not registered and for those that have to execute a fence. \"nothing to decide\" " +
			"has the same instructions and no fallback. \"run-time check\" tests a variable at each place of a fence.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{
			measure.Loop("nothing to decide", func(n int) { loopUndecided(p, bare, n) }),
			measure.Loop("decided in the word", func(n int) { loopMembarrier(p, r, n) }),
			measure.Loop("run-time check", func(n int) { loopChecked(p, r, n) }),
			measure.Loop("one fence", func(n int) { loopFenced(p, fenced, n) }),
			measure.Loop("two fences", func(n int) { loopTwoFences(p, fenced, n) }),
			peers.Side("liburcu-mb", peer.RCUFenced, "1", "0"),
			peers.Side("liburcu-memb (run-time check)", peer.RCUChecked, "1", "0"),
			peers.Side("liburcu-memb, call assumed", peer.RCUAssumed, "1", "0"),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "decided in the word / nothing to decide", Over: "decided in the word", Under: "nothing to decide", Goal: measure.AtMost(1.02),
				Note: "The word is tested for nested sections anyhow; the reader that has to execute a fence is one more of the values that fail the test.",
			},
			{
				Name: "run-time check / nothing to decide", Over: "run-time check", Under: "nothing to decide",
				PeerOver: "liburcu-memb (run-time check)", PeerUnder: "liburcu-memb, call assumed",
				Published: &measure.Published{Over: 9952759104, Under: 7970328887, Unit: "reads, inverted", Source: membarrierSource},
			},
			{
				Name: "two fences / decided in the word", Over: "two fences", Under: "decided in the word",
				PeerOver: "liburcu-mb", PeerUnder: "liburcu-memb, call assumed",
				Note: "What readers gain while nobody writes, and nobody's membarrier call interrupts them.",
			},
			{Name: "one fence / decided in the word", Over: "one fence", Under: "decided in the word"},
			{
				Name: "decided in the word / liburcu-memb (run-time check)", Over: "decided in the word", Under: "liburcu-memb (run-time check)",
				Note: "Time per read, against liburcu as it is installed.",
			},
		},
	}
}

// noMembarrier says why the kernel does not have the call; empty if it has.
func noMembarrier() string {
	if err := membarrier.Register(); err != nil {
		return err.Error()
	}
	return ""
}

// callRows are the system call itself.
func callRows() measure.Experiment {
	issue := func(c membarrier.Command) func() {
		return func() {
			if err := membarrier.Issue(c); err != nil {
				panic(err)
			}
		}
	}
	sides := []measure.Side{
		latencyOf("membarrier, private expedited", nil, issue(membarrier.PrivateExpedited)),
		latencyOf("membarrier, global", nil, issue(membarrier.Global)),
	}
	for i := range sides {
		sides[i].Missing = noMembarrier()
	}
	return measure.Experiment{
		Name:    "The membarrier system call",
		About:   "One call after the other, while no other thread of the process has something to do.",
		Metrics: measure.Latency, Length: 100 * time.Millisecond, Sides: sides,
		Comparisons: []measure.Comparison{
			{
				Name: "global, not expedited", Over: "membarrier, global",
				Published: &measure.Published{Over: 33e6, Unit: "ns", Source: "Linux commit 5b25b13ab08f (sys_membarrier, 2015): 33 ms a call, not expedited"},
			},
			{Name: "global / private expedited", Over: "membarrier, global", Under: "membarrier, private expedited"},
		},
	}
}
