package ring

import "testing"

// Positions run over the end of their type; what is in the ring stays in order.
func TestPositionsWrap(t *testing.T) {
	const room = 4
	start := ^uintptr(0) - 5
	one := NewSPSC[int](room)
	one.head.StoreRelaxed(start)
	one.tail.StoreRelaxed(start)
	one.seenHead, one.seenTail = start, start
	many := NewMPSC[int](room)
	many.head = start
	many.tail.StoreRelaxed(start)
	for i := range uintptr(room) {
		many.slots[(start+i)%room].turn.StoreRelaxed(start + i)
	}
	for name, q := range map[string]interface {
		Push(int) bool
		Pop() (int, bool)
	}{"SPSC": one, "MPSC": many} {
		in, out := 0, 0
		for in < 40 {
			for q.Push(in) {
				in++
			}
			if in-out != room {
				t.Fatalf("%s: full with %d elements", name, in-out)
			}
			for range 3 {
				if v, ok := q.Pop(); !ok || v != out {
					t.Fatalf("%s: got %d, %t instead of %d", name, v, ok, out)
				}
				out++
			}
		}
	}
}
