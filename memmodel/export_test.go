package memmodel

// RunUnpruned is Run without the shortcuts: executions that are not coherent or not atomic are built too, and every axiom is
// evaluated as the model's text has it.
func (s *Search) RunUnpruned(p *Program, observe []Observable, cond func(state []Value) bool) (*Result, error) {
	e := &s.engine
	if err := e.begin(s, p, observe, cond, false); err != nil {
		return nil, err
	}
	e.chooseSkeletons(0, bitset{}, bitset{})
	if e.err != nil {
		return nil, e.err
	}
	e.res.States = e.states.list
	return &e.res, nil
}
