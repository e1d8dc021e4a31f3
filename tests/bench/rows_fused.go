package main

import (
	"unsafe"

	"github.com/barriergen/barriergen/primitives/atomics"
	"github.com/barriergen/barriergen/tests/bench/fused"
	"github.com/barriergen/barriergen/tests/bench/fused/onebyone"
	"github.com/barriergen/barriergen/tests/bench/measure"
)

var ringIndex, ringEvent, doorbell word32

// word32 is an operand with its cache line to itself.
type word32 struct {
	_ [128]byte
	v uint32
	_ [128]byte
}

// fusedRows are sequences as one assembly function each, against the same sequences one primitive after the other.
func fusedRows() measure.Experiment {
	e := measure.Experiment{
		Name: "Fused functions",
		About: "Sequences of the examples, each as one function: of assembly, and of Go with the primitives one after the other. barriergen fuse takes the assembly only " +
			"where its table of costs says that it is cheaper: of these on amd64 for PublishDevice, and for Pop and Push, whose primitives are calls there. The other ratios are below 1 where that was right.",
		Metrics: measure.NsPerOp, Length: loopLength, Patience: patience,
	}
	index, event := &ringIndex.v, &ringEvent.v
	head, arena := atomics.NewUint128(atomics.Pair{Lo: 8}), unsafe.Pointer(&[3]uint64{1: 16})
	for _, s := range []struct {
		name          string
		onebyone, asm func(n int)
		goal          *measure.Goal
		note          string
	}{
		{name: "ClearFlag", onebyone: clearFlagOneByOne, asm: clearFlagFused},
		{name: "Publish", onebyone: func(n int) { publishOneByOne(index, event, n) }, asm: func(n int) { publishFused(index, event, n) }},
		{name: "Doze", onebyone: func(n int) { dozeOneByOne(index, event, n) }, asm: func(n int) { dozeFused(index, event, n) }},
		{name: "PublishDevice", onebyone: func(n int) { publishDeviceOneByOne(index, event, n) }, asm: func(n int) { publishDeviceFused(index, event, n) },
			goal: measure.AtLeast(1.3), note: "Two calls of three and a store fence are saved; MFENCE must stay, and it is most of the time."},
		{name: "Pop and Push", onebyone: func(n int) { popPushOneByOne(head, arena, n) }, asm: func(n int) { popPushFused(head, arena, n) },
			goal: measure.AtLeast(1.3), note: "Two calls of four are saved, and with them the way of 16-byte values through memory."},
	} {
		plain, asm := s.name+", one by one", s.name+", fused"
		e.Sides = append(e.Sides, measure.Loop(plain, s.onebyone), measure.Loop(asm, s.asm))
		e.Comparisons = append(e.Comparisons, measure.Comparison{Name: s.name + ": one by one / fused", Over: plain, Under: asm, Goal: s.goal, Note: s.note})
	}
	return e
}

//go:noinline
func clearFlagOneByOne(n int) {
	for i := range n {
		onebyone.ClearFlag(&operand.v, uint(i))
	}
}

//go:noinline
func clearFlagFused(n int) {
	for i := range n {
		fused.ClearFlag(&operand.v, uint(i))
	}
}

//go:noinline
func publishOneByOne(index, event *uint32, n int) (wanted int) {
	for i := range n {
		if onebyone.Publish(index, event, uint16(i), uint16(i+1)) {
			wanted++
		}
	}
	return wanted
}

//go:noinline
func publishFused(index, event *uint32, n int) (wanted int) {
	for i := range n {
		if fused.Publish(index, event, uint16(i), uint16(i+1)) {
			wanted++
		}
	}
	return wanted
}

//go:noinline
func dozeOneByOne(flags, tail *uint32, n int) (sum uint32) {
	for range n {
		sum += onebyone.Doze(flags, tail)
	}
	return sum
}

//go:noinline
func dozeFused(flags, tail *uint32, n int) (sum uint32) {
	for range n {
		sum += fused.Doze(flags, tail)
	}
	return sum
}

// The bell is always rung: so many elements are new that the other side's event is among them.
//
//go:noinline
func publishDeviceOneByOne(index, event *uint32, n int) {
	for i := range n {
		onebyone.PublishDevice(index, event, uint16(i+2), uint16(i+1), &doorbell.v, 1)
	}
}

//go:noinline
func publishDeviceFused(index, event *uint32, n int) {
	for i := range n {
		fused.PublishDevice(index, event, uint16(i+2), uint16(i+1), &doorbell.v, 1)
	}
}

//go:noinline
func popPushOneByOne(head atomics.Uint128, arena unsafe.Pointer, n int) {
	for range n {
		off, _ := onebyone.Pop(head, arena)
		onebyone.Push(head, (*uint64)(unsafe.Add(arena, off)), off)
	}
}

//go:noinline
func popPushFused(head atomics.Uint128, arena unsafe.Pointer, n int) {
	for range n {
		off, _ := fused.Pop(head, arena)
		fused.Push(head, (*uint64)(unsafe.Add(arena, off)), off)
	}
}
