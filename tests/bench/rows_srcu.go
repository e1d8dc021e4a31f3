package main

import (
	"time"

	"github.com/barriergen/barriergen/primitives/membarrier"
	"github.com/barriergen/barriergen/primitives/rcu"
	"github.com/barriergen/barriergen/primitives/srcu"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// readUnlockRows are what may stand behind the end of a section.
func readUnlockRows() measure.Experiment {
	d := srcu.New()
	r := d.RegisterFast()
	return measure.Experiment{
		Name: "The fence after SRCU's ReadUnlock",
		About: "An empty section, again and again: ReadLock and ReadUnlock are one locked instruction each on amd64. The published figures are cycles of a whole " +
			"vmcall round trip, of which this is a part, so the differences are what compares, not the ratios.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{
			measure.Loop("ReadLock, ReadUnlock", func(n int) { sections(d, n) }),
			measure.Loop("… AfterSRCUReadUnlock", func(n int) { sectionsThenAfter(d, n) }),
			measure.Loop("… a second full fence", func(n int) { sectionsThenFull(d, n) }),
			measure.Loop("FastReader, … AfterReadUnlock", func(n int) { fastSectionsThenAfter(r, n) }),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "a second full fence / AfterSRCUReadUnlock", Over: "… a second full fence", Under: "… AfterSRCUReadUnlock",
				Published: &measure.Published{Over: 1407, Under: 1357, Unit: "cycles", Source: "KVM mailing list, 2013, smp_mb__after_srcu_read_unlock"},
			},
			{
				Name: "AfterSRCUReadUnlock / nothing", Over: "… AfterSRCUReadUnlock", Under: "ReadLock, ReadUnlock",
				Note: "Empty: both loops are the same instructions.",
			},
			{
				Name: "FastReader with its real fence / Domain with an empty one", Over: "FastReader, … AfterReadUnlock", Under: "… AfterSRCUReadUnlock",
				Note: "A reader without a fence of its own, and then one fence, against a reader with two locked instructions.",
			},
		},
	}
}

// idleRows are grace periods that have nobody to wait for.
func idleRows() measure.Experiment {
	fenced, fast := srcu.New(), srcu.New()
	fast.RegisterFast()
	urcu, urcuFenced := rcu.NewMembarrier(), rcu.NewFenced()
	urcu.Register()
	urcuFenced.Register()
	loop := func(name string, call func()) measure.Side {
		return measure.Loop(name, func(n int) {
			for range n {
				call()
			}
		})
	}
	const call = "membarrier(2)"
	direct := loop(call, membarrier.Heavy[membarrier.Asymmetric])
	direct.Missing = noMembarrier()
	const note = "An idle grace period is this one call and a look at each reader; the call's own time varies with what else the machine does."
	return measure.Experiment{
		Name:    "Grace periods of idle domains",
		About:   "Synchronize in a loop, no reader in a section. The kernel's call is the expedited one, issued directly.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
		Sides: []measure.Side{
			loop("srcu, fenced readers", fenced.Synchronize),
			loop("srcu, fenced readers, expedited", fenced.SynchronizeExpedited),
			loop("srcu, a FastReader", fast.Synchronize),
			loop("rcu.Membarrier", urcu.Synchronize),
			loop("rcu.Fenced", urcuFenced.Synchronize),
			direct,
		},
		Comparisons: []measure.Comparison{
			{Name: "idle Synchronize of srcu, ns", Over: "srcu, fenced readers", Goal: measure.AtMost(1000), Note: "A fence and a look at each counter."},
			{Name: "idle SynchronizeExpedited of srcu, ns", Over: "srcu, fenced readers, expedited", Goal: measure.AtMost(1000), Note: "As Synchronize."},
			{Name: "idle Synchronize of srcu with a FastReader / one call", Over: "srcu, a FastReader", Under: call, Goal: measure.AtMost(1.3), Note: note},
			{Name: "idle Synchronize of rcu.Membarrier / one call", Over: "rcu.Membarrier", Under: call, Goal: measure.AtMost(1.3), Note: note},
		},
	}
}

const (
	lightAbout = " One reader, on a processor of its own, enters a section for some hundred nanoseconds, then rests ten times as long."
	busyAbout  = " One reader, on a processor of its own, is in sections ten times as long as between them."
)

// loadedRows are grace periods with a reader at work.
func loadedRows(l load, kind, about string) measure.Experiment {
	fenced, fast := srcu.New(), srcu.New()
	fencedReader, fastReader := l.reader(fenced), l.fastReader(fast)
	return measure.Experiment{
		Name:    "Latency of SRCU's grace periods, " + kind,
		About:   "One grace period after the other, each timed." + about,
		Metrics: measure.Latency, Length: 100 * time.Millisecond,
		Sides: []measure.Side{
			latencyOf("Synchronize", fencedReader, fenced.Synchronize),
			latencyOf("SynchronizeExpedited", fencedReader, fenced.SynchronizeExpedited),
			latencyOf("Synchronize, a FastReader", fastReader, fast.Synchronize),
			latencyOf("SynchronizeExpedited, a FastReader", fastReader, fast.SynchronizeExpedited),
			latencyOf("the shortest sleep", nil, func() { time.Sleep(1) }),
		},
		Comparisons: []measure.Comparison{
			{Name: "the shortest sleep / SynchronizeExpedited, medians", Over: "the shortest sleep", Under: "SynchronizeExpedited"},
			{Name: "Synchronize / SynchronizeExpedited, medians", Over: "Synchronize", Under: "SynchronizeExpedited"},
			{Name: "Synchronize / SynchronizeExpedited, 99 %", Metric: 1, Over: "Synchronize", Under: "SynchronizeExpedited"},
		},
	}
}

// timerRows ask whether an expedited grace period ever waits for a timer.
func timerRows() measure.Experiment {
	d := srcu.New()
	const side = "SynchronizeExpedited"
	return measure.Experiment{
		Name: "Does an expedited grace period wait for a timer?",
		About: "How many percent of the calls took at least as long as the median of the shortest sleeps, time.Sleep(1), measured just before." +
			lightAbout,
		Metrics: []measure.Metric{{Name: "as slow as a sleep", Unit: "%"}}, Length: 100 * time.Millisecond,
		Sides: []measure.Side{timerShare(side, light.reader(d), d.SynchronizeExpedited)},
		Comparisons: []measure.Comparison{{
			Name: "expedited grace periods as slow as a sleep, %", Over: side, Goal: measure.AtMost(1),
			Note: "A call is also that slow if the thread of the reader loses its processor inside a section.",
		}},
	}
}

// registrationRows are what a guest's boot does.
func registrationRows() measure.Experiment {
	sync, expedited := (*srcu.Domain).Synchronize, (*srcu.Domain).SynchronizeExpedited
	delayed := func(d *srcu.Domain) {
		time.Sleep(fixedDelay)
		d.SynchronizeExpedited()
	}
	return measure.Experiment{
		Name: "1,000 registrations",
		About: "As when a guest boots: 1,000 times, replace a list that readers walk and wait for a grace period; in sequence, and by 50 goroutines at a time, which share " +
			"grace periods. \"a fixed delay\" is what was wrong in 2017, here a sleep of a millisecond before each expedited grace period: the throughput of many callers hides most of it." + lightAbout,
		Metrics: append([]measure.Metric{{Name: "all", Unit: "ms"}}, measure.Latency...),
		Sides: []measure.Side{
			registering("in sequence, Synchronize", 1, sync),
			registering("in sequence, SynchronizeExpedited", 1, expedited),
			registering("in sequence, a fixed delay", 1, delayed),
			registering("50 at a time, Synchronize", callers, sync),
			registering("50 at a time, SynchronizeExpedited", callers, expedited),
			registering("50 at a time, a fixed delay", callers, delayed),
		},
		Comparisons: []measure.Comparison{
			{
				Name: "in sequence, a fixed delay / expedited", Over: "in sequence, a fixed delay", Under: "in sequence, SynchronizeExpedited",
				Published: &measure.Published{Over: 40, Under: 5, Unit: "s", Source: "KVM mailing list, 2017: boot of a guest with and without the delay"},
				Note:      "Published is a whole boot, of which the registrations are a part.",
			},
			{Name: "50 at a time, a fixed delay / expedited", Over: "50 at a time, a fixed delay", Under: "50 at a time, SynchronizeExpedited"},
			{Name: "in sequence, Synchronize / expedited", Over: "in sequence, Synchronize", Under: "in sequence, SynchronizeExpedited"},
		},
	}
}
