package memmodel

// join makes two events the halves of one access of 16 bytes.
func (r *runner) join(lo, hi int, whole bool) {
	r.evs[lo].half, r.evs[lo].whole = int16(hi+1), whole
	r.evs[hi].half, r.evs[hi].whole = int16(lo+1), whole
}

// half goes on when one half of an access of 16 bytes has taken its value: with the other half, or, if that was the other
// one, with what the instruction does with both.
func (r *runner) half(in *Instr, pc, loc int, addr, pick uint64) {
	if r.first < 0 {
		r.first = len(r.evs) - 1
		r.access(in, pc, loc+1, addr, pick)
		r.first = -1
		return
	}
	lo, hi := r.first, len(r.evs)-1
	r.first = -1
	r.join(lo, hi, in.Hi.Whole)
	old := [2]Value{Truncate(r.vals[lo], in.Size, in.Signed), Truncate(r.vals[hi], in.Size, in.Signed)}
	// The operands are read before the results change: they may be the same registers.
	var c, d [2]regState
	if in.writesMemory() {
		c, d = [2]regState{r.operand(in.C), r.operand(in.Hi.C)}, [2]regState{r.operand(in.D), r.operand(in.Hi.D)}
	}
	writes := false
	switch in.Op {
	case OpLoadEx:
		r.mon = lo
	case OpRMW:
		writes = true
		for k := range c {
			c[k].val = in.Fn.Apply(old[k], c[k].val)
			if in.Fn != FnB {
				c[k].dep |= 1 << (lo + k)
			}
		}
	case OpCAS:
		writes = old[0] == Truncate(d[0].val, in.Size, in.Signed) && old[1] == Truncate(d[1].val, in.Size, in.Signed)
		for k := range c {
			c[k].pick |= d[0].dep | d[0].pick | d[1].dep | d[1].pick
		}
	}
	for k, dst := range [2]Reg{in.Dst, in.Hi.Dst} {
		if dst != NoReg {
			r.regs[dst] = regState{val: old[k], dep: 1 << (lo + k)}
		}
	}
	if writes {
		first := r.write(in, pc, loc-1, c[0], addr, pick)
		second := r.write(in, pc, loc, c[1], addr, pick)
		for k, w := range [2]int{first, second} {
			r.evs[w].rmw, r.evs[w].amo = int16(lo+k), true
		}
		r.join(first, second, in.Hi.Whole)
	}
	r.run(pc + 1)
	r.first = lo
}
