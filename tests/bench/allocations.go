package main

import (
	"context"
	"testing"
	"time"

	"github.com/barriergen/barriergen/primitives/postedintr"
	"github.com/barriergen/barriergen/primitives/rcu"
	"github.com/barriergen/barriergen/primitives/ring"
	"github.com/barriergen/barriergen/primitives/seqlock"
	"github.com/barriergen/barriergen/primitives/spinlock"
	"github.com/barriergen/barriergen/primitives/srcu"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

// allocationRows count allocations of what must not make any.
func allocationRows() measure.Experiment {
	var (
		fenced     = rcu.NewFenced().Register()
		membarrier = rcu.NewMembarrier().Register()
		quiescent  = rcu.NewQuiescent().Register()
		domain     = srcu.New()
		fast       = domain.RegisterFast()
		ticket     spinlock.Ticket
		parking    spinlock.Parking
		queued     spinlock.Queued
		mcs        spinlock.MCS
		node       spinlock.MCSNode
		value      seqlock.Value[[4]uint64]
		spsc       = ring.NewSPSC[uint64](ringSize)
		mpsc       = ring.NewMPSC[uint64](ringSize)
		posted     = postedintr.New()
		irr        [4]uint64
	)
	e := measure.Experiment{
		Name:    "Allocations on read-side, lock and ring paths",
		About:   "Allocations of one pass, without contention.",
		Metrics: []measure.Metric{{Name: "allocations"}}, Length: loopLength,
	}
	for _, path := range []struct {
		name string
		pass func()
	}{
		{"rcu.FencedReader", func() { fenced.ReadLock(); fenced.ReadUnlock() }},
		{"rcu.MembarrierReader", func() { membarrier.ReadLock(); membarrier.ReadUnlock() }},
		{"rcu.QuiescentReader", func() { quiescent.ReadLock(); quiescent.ReadUnlock(); quiescent.Quiescent() }},
		{"srcu.Domain", func() { domain.ReadUnlock(domain.ReadLock()) }},
		{"srcu.FastReader", func() { fast.ReadUnlock(fast.ReadLock()) }},
		{"srcu.Synchronize, idle", domain.Synchronize},
		{"srcu.SynchronizeExpedited, idle", domain.SynchronizeExpedited},
		{"spinlock.Ticket", func() { ticket.Lock(); ticket.Unlock() }},
		{"spinlock.Parking", func() { parking.Lock(); parking.Unlock() }},
		{"spinlock.Queued", func() { queued.Lock(); queued.Unlock() }},
		{"spinlock.MCS", func() { mcs.Lock(&node); mcs.Unlock(&node) }},
		{"seqlock.Value", func() { value.Store(value.Load()) }},
		{"ring.SPSC", func() { spsc.Push(1); spsc.Pop() }},
		{"ring.MPSC", func() { mpsc.Push(1); mpsc.Pop() }},
		{"postedintr.Descriptor", func() { posted.Post(7); posted.Sync(&irr) }},
	} {
		e.Sides = append(e.Sides, measure.Side{Name: path.name, Run: func(context.Context, time.Duration) (measure.Sample, error) {
			return measure.Sample{Values: []float64{testing.AllocsPerRun(100, path.pass)}}, nil
		}})
		e.Comparisons = append(e.Comparisons, measure.Comparison{Name: path.name + ", allocations", Over: path.name, Goal: measure.AtMost(0)})
	}
	return e
}
