package missingorder

import "github.com/barriergen/barriergen/contract"

// promises are the contract of an event's operation. Those of sync/atomic have the contracts that Go's memory model gives
// them, by the primitives of that name.
func (e *event) promises() []contract.Order {
	switch {
	case e.Prim != nil:
		return e.Prim.Orders
	case e.Sync == contract.Load:
		return row("LoadAcquire")
	case e.Sync == contract.Store:
		return row("StoreRelease")
	case e.Sync != "":
		return row("AddFull")
	}
	return nil
}

func row(name string) []contract.Order {
	p, _ := contract.Lookup(name)
	return p.Orders
}

// kind is reads or writes.
type kind = contract.Classes

// gives reports whether an event orders earlier accesses of one kind before later ones of another: by itself, or because they
// come before it and it before them.
func (e *event) gives(from, to kind) bool {
	if e.opaque {
		return true
	}
	if e.fence() && len(e.promises()) == 0 { // stopping the compiler alone is a decision
		return true
	}
	var before, after bool
	for _, o := range e.promises() {
		switch o.Side {
		case contract.Across:
			if o.From&from != 0 && o.To&to != 0 {
				return true
			}
		case contract.Before:
			before = before || o.From&from != 0
		case contract.After:
			after = after || o.To&to != 0
		}
	}
	return before && after
}

// leads reports whether the event's own access of a kind comes before later ones of another.
func (e *event) leads(own, to kind) bool {
	for _, o := range e.promises() {
		if o.Side == contract.After && o.From&own != 0 && o.To&to != 0 {
			return true
		}
	}
	return false
}

// follows reports whether earlier accesses of a kind come before the event's own of another. Those of an operation that
// may fail do not.
func (e *event) follows(from, own kind) bool {
	if e.conditional() && own == contract.Reads {
		return false
	}
	for _, o := range e.promises() {
		if o.Side == contract.Before && o.From&from != 0 && (o.To&own != 0 || e.rmw()) {
			return true
		}
	}
	return false
}

// behind says which later accesses of a kind come after an event's own of another, if only the operations that count order.
type behind struct {
	first    *event
	from, to kind
	counts   func(e *event) bool
}

func every(*event) bool           { return true }
func unconditional(e *event) bool { return !e.conditional() }

// leads reports whether the first event itself comes before all that is later.
func (b behind) leads() bool { return b.counts(b.first) && b.first.leads(b.from, b.to) }

// sync reports whether both are operations of sync/atomic, which are ordered among each other.
func (b behind) sync(e *event) bool {
	return b.counts(b.first) && b.counts(e) && b.first.Sync != "" && e.Sync != ""
}

// ends reports whether everything behind an event comes after the first one.
func (b behind) ends(e *event) bool {
	return b.leads() || b.sync(e) || b.counts(e) && e.gives(b.from, b.to)
}

// follows reports whether an event that comes directly behind the first one is ordered after it.
func (b behind) follows(e *event) bool {
	return b.leads() || b.sync(e) || b.counts(e) && e.follows(b.from, b.to)
}
