package memmodel

// Kind is what an event is.
type Kind uint8

// The kinds of events.
const (
	KindR Kind = iota
	KindW
	KindF
)

// Event is one read, write or fence of an execution.
type Event struct {
	Thread int // -1 for the write that initializes a location
	Kind   Kind
	Loc    int // index into Program.Locs, -1 for a fence that is about none
	Value  Value
	Tags   Tags
	Instr  int // index into the thread's code, -1 for an initial write
	Line   int
}

// Edge is a pair of events, by index into Execution.Events, with the name of the relation that it belongs to.
type Edge struct {
	From, To int
	Name     string
}

// Execution is one candidate execution: its events and the edges of po (immediate successors only), rf, co (immediate
// successors only), fr, rmw, addr, data and ctrl.
type Execution struct {
	Program *Program
	Events  []Event
	Edges   []Edge
	State   []Value
}

// Violation is an axiom that an execution breaks.
type Violation struct {
	Axiom string // its name in the model
	Kind  string // acyclic, irreflexive, empty, or such a word with a ~ before it
	// Cycle is the offending cycle (its last edge returns to its first event), or for `empty` the offending pairs; each edge
	// is named after the smallest named relation of the axiom that holds it.
	Cycle []Edge
}
