package measure

import (
	"golang.org/x/sys/unix"
)

// allowed are the processors that the process may use.
var allowed, CPUs = func() (unix.CPUSet, []int) {
	var set unix.CPUSet
	var list []int
	if unix.SchedGetaffinity(0, &set) != nil {
		return set, []int{0}
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return set, list
}()

// pin moves the calling thread to a processor and returns what undoes it.
func pin(cpu int) (undo func()) {
	var one unix.CPUSet
	one.Set(CPUs[cpu%len(CPUs)])
	if unix.SchedSetaffinity(0, &one) != nil {
		return func() {} // a sandbox that forbids it: the kernel chooses
	}
	return func() { _ = unix.SchedSetaffinity(0, &allowed) }
}

// switches counts how often this thread lost its processor to another one.
func switches() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &usage) != nil {
		return 0
	}
	return int64(usage.Nivcsw)
}
