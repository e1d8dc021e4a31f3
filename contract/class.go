package contract

import "strings"

// Classes is a set of event classes. An event class is what one access looks like to a memory model; every event
// belongs to exactly one.
type Classes uint16

// The event classes. A compare-and-swap that fails has a read half and no write half.
const (
	PlainRead        Classes = 1 << iota
	AcquireRead              // a load with acquire semantics
	RMWRead                  // the read half of a read-modify-write
	RMWAcquireRead           // the read half of an acquire read-modify-write
	NoReturnRead             // the read half of a read-modify-write whose result nobody receives
	PlainWrite               //
	ReleaseWrite             // a store with release semantics
	RMWWrite                 // the write half of a read-modify-write
	RMWReleaseWrite          // the write half of a release read-modify-write
	classEnd                 //
	Reads            = PlainRead | AcquireRead | ReturnedRMWReads | NoReturnRead
	Writes           = PlainWrite | ReleaseWrite | RMWWrites
	All              = Reads | Writes
	ReturnedRMWReads = RMWRead | RMWAcquireRead
	RMWReads         = ReturnedRMWReads | NoReturnRead
	RMWWrites        = RMWWrite | RMWReleaseWrite
	// FenceReads are the reads that a read fence orders: the read half of a read-modify-write without a result is not
	// among them, neither in the kernel's model nor under Arm's DMB LD.
	FenceReads = Reads &^ NoReturnRead
)

var classNames = map[Classes]string{
	PlainRead: "plain reads", AcquireRead: "acquire reads", RMWRead: "read halves of RMWs", RMWAcquireRead: "read halves of acquire RMWs",
	NoReturnRead: "read halves of RMWs without a result", PlainWrite: "plain writes", ReleaseWrite: "release writes",
	RMWWrite: "write halves of RMWs", RMWReleaseWrite: "write halves of release RMWs",
}

// Each returns the classes in s, one by one, in a fixed order.
func (s Classes) Each() []Classes {
	var out []Classes
	for c := Classes(1); c < classEnd; c <<= 1 {
		if s&c != 0 {
			out = append(out, c)
		}
	}
	return out
}

// String names the set the way people say it: "reads", "writes", "accesses", or the classes one by one.
func (s Classes) String() string {
	switch s {
	case All:
		return "accesses"
	case Reads:
		return "reads"
	case Writes:
		return "writes"
	case FenceReads:
		return "reads whose result is used"
	case RMWReads:
		return "the RMW's read half"
	case RMWWrites:
		return "the RMW's write half"
	case RMWReads | RMWWrites:
		return "the RMW"
	}
	var names []string
	for _, c := range s.Each() {
		names = append(names, classNames[c])
	}
	return strings.Join(names, ", ")
}

// Set is the coarse view of an order that people read: which pairs of kinds, earlier then later, it orders.
type Set uint8

// The four pairs.
const (
	RR Set = 1 << iota
	RW
	WR
	WW
	Full = RR | RW | WR | WW
)

// String lists the pairs, for example "RR RW", or "none".
func (s Set) String() string {
	if s == 0 {
		return "none"
	}
	var out []string
	for i, name := range []string{"RR", "RW", "WR", "WW"} {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}
