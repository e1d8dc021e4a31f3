//go:build !linux

package measure

import "runtime"

// CPUs are the numbers of the processors; here nobody asks for one by number.
var CPUs = make([]int, runtime.NumCPU())

func pin(int) (undo func()) { return func() {} }

// switches can't be told here: no run counts as disturbed.
func switches() int64 { return 0 }
