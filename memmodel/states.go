package memmodel

import "slices"

// stateTable is a set of final states in the order of their arrival.
type stateTable struct {
	list  []State
	arena []Value
	slots []int32 // open addressing: 1 + index into list, 0 for none
	width int
}

func (t *stateTable) reset(width int) {
	t.list, t.arena, t.width = t.list[:0], t.arena[:0], width
	if t.slots == nil {
		t.slots = make([]int32, 64)
	}
	clear(t.slots)
}

func (t *stateTable) slot(v []Value) int {
	h := uint64(14695981039346656037)
	for _, x := range v {
		h = (h ^ uint64(x)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mask := len(t.slots) - 1
	i := int(h) & mask
	for t.slots[i] != 0 && !slices.Equal(t.list[t.slots[i]-1].Values, v) {
		i = (i + 1) & mask
	}
	return i
}

func (t *stateTable) has(v []Value) bool { return t.slots[t.slot(v)] != 0 }

func (t *stateTable) add(v []Value, positive bool) {
	i := t.slot(v)
	if t.slots[i] != 0 {
		return
	}
	if len(t.arena)+t.width > cap(t.arena) { // a new one: earlier states keep theirs
		t.arena = make([]Value, 0, max(256, 2*cap(t.arena), t.width))
	}
	at := len(t.arena)
	t.arena = append(t.arena, v...)
	t.list = append(t.list, State{t.arena[at:len(t.arena):len(t.arena)], positive})
	t.slots[i] = int32(len(t.list))
	if 2*len(t.list) > len(t.slots) {
		t.slots = make([]int32, 4*len(t.slots))
		for k := range t.list {
			t.slots[t.slot(t.list[k].Values)] = int32(k + 1)
		}
	}
}
