package algorithms

import "testing"

func TestSRCUProofs(t *testing.T) {
	proofs := []proof{
		{
			name:    "srcu, a section that the look misses",
			threads: []string{"n = AddFull count 1; r = LoadRelaxed p", "StoreRelaxed p 1; Full; w = LoadAcquire count"},
			never:   `0:r=0 /\ 1:w=0`,
			weaker: []weakening{
				{from: "n = AddFull count 1", to: "n = AddRelaxed count 1", same: "amd64"},
				{from: "n = AddFull count 1", to: "n = AddAcquire count 1", same: "amd64"},
				{from: "Full", to: ""},
			},
		},
		{
			name:    "srcu, a section that the look misses, fast reader with a fence",
			threads: []string{"StoreFull count 1; r = LoadRelaxed p", "StoreRelaxed p 1; Full; w = LoadAcquire count"},
			never:   `0:r=0 /\ 1:w=0`,
			weaker:  []weakening{{from: "StoreFull count 1", to: "StoreRelaxed count 1"}},
		},
		{
			// The index is turned between the two looks. A reader that read it before, and counts in the column that has been
			// in use, is missed by the second look.
			name: "srcu, the turn of the index, old column",
			threads: []string{"i = LoadRelaxed index; n = AddFull old 1; r = LoadRelaxed p",
				"StoreRelaxed p 1; Full; v = LoadAcquire new; StoreRelaxed index 1; w = LoadAcquire old"},
			never:  `0:i=0 /\ 1:v=0 /\ 1:w=0 /\ 0:r=0`,
			weaker: []weakening{{from: "Full", to: ""}},
		},
		{
			// One that read it behind the turn counts in the column that has drained, and is missed by the first look. So
			// neither needs a fence at the turn: that of the beginning covers every counter.
			name: "srcu, the turn of the index, new column",
			threads: []string{"i = LoadRelaxed index; n = AddFull new 1; r = LoadRelaxed p",
				"StoreRelaxed p 1; Full; v = LoadAcquire new; StoreRelaxed index 1; w = LoadAcquire old"},
			never: `0:i=1 /\ 1:v=0 /\ 1:w=0 /\ 0:r=0`,
			weaker: []weakening{
				// Here two loads and two stores would be enough, if they were ordered.
				{from: "Full", to: "", why: map[string]string{"amd64": "the reader's index comes after the turn, and stores are seen in order"}},
			},
		},
		{
			name:    "srcu, what a section has read is reused behind it",
			init:    "count=1",
			threads: []string{"r = LoadRelaxed data; n = AddFull count -1", "w = LoadAcquire count; StoreRelaxed data 2"},
			never:   `1:w=0 /\ 0:r=2`,
			weaker: []weakening{
				{from: "n = AddFull count -1", to: "n = AddRelaxed count -1", same: "amd64"},
				{from: "w = LoadAcquire count", to: "w = LoadRelaxed count", same: "amd64"},
			},
		},
		{
			// Two readers share a counter: the one that leaves last takes the other's exit along.
			name: "srcu, what two sections of one shard have read",
			init: "count=2",
			threads: []string{"r = LoadRelaxed data; n = AddFull count -1", "m = AddFull count -1",
				"w = LoadAcquire count; StoreRelaxed data 2"},
			never: `2:w=0 /\ 0:r=2`,
			weaker: []weakening{
				{from: "n = AddFull count -1", to: "n = AddRelaxed count -1", same: "amd64"},
			},
		},
		{
			// What makes AfterSRCUReadUnlock empty: the unlock orders a store before it against a load behind it.
			name:    "srcu, behind the unlock of a domain",
			threads: []string{"StoreRelaxed x 1; n = AddFull count -1; r = LoadRelaxed y", "StoreRelaxed y 1; Full; w = LoadRelaxed x"},
			never:   `0:r=0 /\ 1:w=0`,
			weaker:  []weakening{{from: "n = AddFull count -1", to: "n = AddRelease count -1", same: "amd64"}},
		},
		{
			// And what makes it real behind the unlock of a fast reader.
			name:    "srcu, behind the unlock of a fast reader",
			threads: []string{"StoreRelaxed x 1; StoreRelease count 0; Full; r = LoadRelaxed y", "StoreRelaxed y 1; Full; w = LoadRelaxed x"},
			never:   `0:r=0 /\ 1:w=0`,
			weaker:  []weakening{{from: "Full; r = LoadRelaxed y", to: "r = LoadRelaxed y"}},
		},
	}
	proofs = append(proofs, fenceless("srcu, fast, a section that the look misses",
		"i0 = LoadRelaxed index; StoreRelaxed count 1; r = LoadRelaxed p",
		"StoreRelaxed p 1; "+membarrier+"; w = LoadAcquire count", `0:r=0 /\ 1:w=0`, nil)...)
	check(t, proofs)
}
