package memmodel

// Truncate is v as size bytes hold it; 0 is all of it.
func Truncate(v Value, size uint8, signed bool) Value {
	if size == 0 || size >= 8 {
		return v
	}
	shift := 64 - 8*uint(size)
	if signed {
		return v << shift >> shift
	}
	return Value(uint64(v) << shift >> shift)
}

// Apply computes Fn(a, b).
func (f Fn) Apply(a, b Value) Value {
	switch f {
	case FnB:
		return b
	case FnA:
		return a
	case FnAdd:
		return a + b
	case FnSub:
		return a - b
	case FnAnd:
		return a & b
	case FnAndNot:
		return a &^ b
	case FnOr:
		return a | b
	case FnXor:
		return a ^ b
	case FnMul:
		return a * b
	case FnShl:
		return a << (uint64(b) & 63)
	case FnShr:
		return Value(uint64(a) >> (uint64(b) & 63))
	case FnEq:
		return truth(a == b)
	case FnNe:
		return truth(a != b)
	case FnLt:
		return truth(a < b)
	case FnLe:
		return truth(a <= b)
	case FnGt:
		return truth(a > b)
	case FnGe:
		return truth(a >= b)
	case FnMax:
		return max(a, b)
	case FnMin:
		return min(a, b)
	case FnClear:
		return truth(a&b == 0)
	}
	panic("memmodel: unknown function")
}

func truth(b bool) Value {
	if b {
		return 1
	}
	return 0
}
