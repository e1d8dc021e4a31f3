package algorithms

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/litmus"
)

// What the updater does to the thread of a reader that executes no fence: the kernel interrupts it, at a place that nobody
// chooses, and executes a full fence there. The updater, between fences of its own, waits for the answer.
const (
	interrupt   = "i = LoadRelaxed interrupt; Full; StoreRelaxed answer 1"
	membarrier  = "Full; StoreRelaxed interrupt 1; a = LoadRelaxed answer; Full"
	interrupted = `0:i=1 /\ 1:a=1 /\ `
)

// interruptions are the thread with the interrupt at each of its places.
func interruptions(thread, interrupt string) []string {
	steps := strings.Split(thread, "; ")
	var out []string
	for at := range len(steps) + 1 {
		out = append(out, strings.Join(slices.Insert(slices.Clone(steps), at, interrupt), "; "))
	}
	return out
}

// fenceless are proofs about a reader without fences, for each place of the interrupt.
func fenceless(name, reader, updater, never string, weaker func(place, places int) []weakening) []proof {
	var out []proof
	all := interruptions(reader, interrupt)
	for i, thread := range all {
		p := proof{name: fmt.Sprintf("%s, interrupted at %d", name, i), threads: []string{thread, updater}, never: interrupted + never}
		// Without the fence the interrupt orders nothing.
		p.weaker = []weakening{{from: "Full; StoreRelaxed answer 1", to: "StoreRelaxed answer 1",
			why: map[string]string{"amd64": "the load and the store of the handshake are ordered themselves"}}}
		if weaker != nil {
			p.weaker = append(p.weaker, weaker(i, len(all))...)
		}
		out = append(out, p)
	}
	return out
}

// possible checks that the outcome happens, on every machine and by contract.
func possible(t *testing.T, p proof) {
	for _, m := range machines {
		litmus.Check(t, m.model, m.program(t, p, "exists"))
	}
}

var (
	storesInOrder = map[string]string{"amd64": "stores are seen in order"}
	loadsInOrder  = map[string]string{"amd64": "loads are done in order"}
)

func TestRCUProofs(t *testing.T) {
	proofs := []proof{
		{
			// The updater's look finds the reader outside of any section, so the reader must not get what was removed before.
			name:    "rcu, a section that the look misses",
			threads: []string{"StoreFull word 1; r = LoadRelaxed p", "StoreRelaxed p 1; Full; w = LoadAcquire word"},
			never:   `0:r=0 /\ 1:w=0`,
			weaker: []weakening{
				{from: "StoreFull word 1", to: "StoreRelaxed word 1"},
				{from: "StoreFull word 1", to: "StoreRelease word 1"},
				{from: "Full", to: ""},
			},
		},
		{
			// The reader has the number of this period, so nobody waits for it, and it must not get what was removed before.
			name: "rcu, a section with the new number",
			threads: []string{"n = LoadRelaxed period; StoreFull word 2; r = LoadRelaxed p",
				"StoreRelaxed p 1; Full; StoreRelaxed period 2"},
			never: `0:n=2 /\ 0:r=0`,
			weaker: []weakening{
				{from: "StoreFull word 2", to: "StoreRelaxed word 2", why: loadsInOrder},
				{from: "Full", to: "", why: storesInOrder},
			},
		},
		{
			name:    "rcu, what a section has read is reused behind it",
			threads: []string{"r = LoadRelaxed data; StoreRelease word 1", "w = LoadAcquire word; StoreRelaxed data 2"},
			never:   `1:w=1 /\ 0:r=2`,
			weaker:  weakMP("word", "1"),
		},
		{
			name:    "rcu, what a section has written is seen behind it",
			threads: []string{"StoreRelaxed data 1; StoreRelease word 1", "w = LoadAcquire word; r = LoadRelaxed data"},
			never:   `1:w=1 /\ 1:r=0`,
			weaker:  weakMP("word", "1"),
		},
		{
			// The look finds the next section already; its entry is a relaxed store to the same word.
			name: "rcu, the next section stands for the end of the one before",
			threads: []string{"r = LoadRelaxed data; StoreRelease word 1; StoreRelaxed word 2",
				"w = LoadAcquire word; StoreRelaxed data 2"},
			never:  `1:w=2 /\ 0:r=2`,
			weaker: weakMP("word", "1"),
		},
		{
			// A caller takes part in a period that somebody else runs, if it does not see that the period has begun.
			name: "rcu, a shared period",
			threads: []string{"StoreFull word 1; r = LoadRelaxed p", "StoreRelaxed p 1; Full; s = LoadRelaxed seq",
				"StoreRelaxed seq 1; Full; w = LoadAcquire word"},
			never: `0:r=0 /\ 1:s=0 /\ 2:w=0`,
			weaker: []weakening{
				{from: "Full; s = LoadRelaxed seq", to: "s = LoadRelaxed seq"},
				{from: "Full; w = LoadAcquire word", to: "w = LoadAcquire word"},
				{from: "StoreFull word 1", to: "StoreRelaxed word 1"},
			},
		},
		{
			// The other caller learns from the sequence that the period is over.
			name: "rcu, the end of a shared period",
			threads: []string{"r = LoadRelaxed data; StoreRelease word 1", "w = LoadAcquire word; StoreRelease seq 2",
				"s = LoadAcquire seq; StoreRelaxed data 2"},
			never: `1:w=1 /\ 2:s=2 /\ 0:r=2`,
			weaker: []weakening{
				{from: "StoreRelease word 1", to: "StoreRelaxed word 1", same: "amd64"},
				{from: "s = LoadAcquire seq", to: "s = LoadRelaxed seq", same: "amd64"},
			},
		},
		{
			// A reader that is online has said that it saw the number: what it reads from then on is new. No fence in between.
			name: "rcu, quiescent, what follows the announcement",
			threads: []string{"n = LoadAcquire period; StoreRelease word 2; r = LoadRelaxed p",
				"StoreRelaxed p 1; Full; StoreRelaxed period 2; w = LoadAcquire word"},
			never: `0:n=2 /\ 1:w=2 /\ 0:r=0`,
			weaker: []weakening{
				{from: "n = LoadAcquire period", to: "n = LoadRelaxed period", same: "amd64"},
				{from: "Full", to: "", why: storesInOrder},
			},
		},
	}
	// The same for readers whose fence is executed by an interrupt.
	proofs = append(proofs, fenceless("rcu, membarrier, a section that the look misses",
		"StoreRelaxed word 1; r = LoadRelaxed p", "StoreRelaxed p 1; "+membarrier+"; w = LoadAcquire word", `0:r=0 /\ 1:w=0`, nil)...)
	proofs = append(proofs, fenceless("rcu, membarrier, a section with the new number",
		"n = LoadRelaxed period; StoreRelaxed word 2; r = LoadRelaxed p",
		"StoreRelaxed p 1; "+membarrier+"; StoreRelaxed period 2", `0:n=2 /\ 0:r=0`,
		func(place, places int) []weakening {
			if place < places-1 {
				return nil
			}
			// Stored before the call, the number would be of no use: the interrupt may come when all is over.
			return []weakening{{from: membarrier + "; StoreRelaxed period 2", to: "StoreRelease period 2; " + membarrier, why: loadsInOrder}}
		})...)
	check(t, proofs)
}

// With a phase bit in place of the number one wait is not enough, whatever the fences: the reader takes phase 0, and stores
// it when the phase has come round. The updater of the second period takes it for a section that began after it.
func TestRCUPhaseNeedsTwoWaits(t *testing.T) {
	possible(t, proof{
		name: "rcu, one wait with a phase",
		threads: []string{"f = LoadRelaxed phase; StoreFull word 8; r = LoadRelaxed p", // 8: in a section of phase 0
			"StoreRelaxed phase 1; Full; v = LoadAcquire word; StoreRelaxed p 1; Full; StoreRelaxed phase 0; Full; w = LoadAcquire word"},
		never: `0:f=0 /\ 1:v=0 /\ 1:w=8 /\ 0:r=0`,
	})
}

// A goroutine enters its section on one thread and goes on in another. The scheduler stores with release when it puts the
// goroutine down and loads with acquire when it takes it up; the call interrupts both threads, wherever they are. The first
// proof is about what the reader reads, the second about what it writes.
func TestRCUMigrationProofs(t *testing.T) {
	var proofs []proof
	second := strings.NewReplacer("i =", "j =", "answer", "reply").Replace(interrupt)
	call := "Full; StoreRelaxed interrupt 1; a = LoadRelaxed answer; b = LoadRelaxed reply; Full; w = LoadAcquire word"
	called := `0:i=1 /\ 1:j=1 /\ 2:a=1 /\ 2:b=1 /\ 1:q=1 /\ 2:w=0 /\ `
	for m, before := range interruptions("StoreRelaxed word 1; StoreRelease queue 1", interrupt) {
		for n, behind := range interruptions("q = LoadAcquire queue; r = LoadRelaxed p", second) {
			p := proof{name: fmt.Sprintf("rcu, migration, reads, interrupted at %d and %d", m, n),
				threads: []string{before, behind, "StoreRelaxed p 1; " + call}, never: called + `1:r=0`}
			if m == 0 && n == 2 {
				// Here the interrupts leave it to the scheduler to order the halves: one of its two orders is needed, and
				// enough.
				for _, without := range [][2]string{{"StoreRelease queue 1", "q = LoadAcquire queue"}, {"q = LoadAcquire queue", "StoreRelease queue 1"}} {
					relaxed := strings.NewReplacer("Release", "Relaxed", "Acquire", "Relaxed")
					one := p
					one.name += ", without " + without[0]
					one.threads = slices.Clone(p.threads)
					for i := range one.threads {
						one.threads[i] = strings.ReplaceAll(one.threads[i], without[0], relaxed.Replace(without[0]))
					}
					one.weaker = []weakening{{from: without[1], to: relaxed.Replace(without[1]), same: "amd64"}}
					proofs = append(proofs, one)
				}
			}
			proofs = append(proofs, p)
		}
		for n, behind := range interruptions("q = LoadAcquire queue; StoreRelaxed data 1", second) {
			proofs = append(proofs, proof{name: fmt.Sprintf("rcu, migration, writes, interrupted at %d and %d", m, n),
				threads: []string{before, behind, "d = LoadRelaxed data; " + call}, never: called + `2:d=1`})
		}
	}
	check(t, proofs)
}
