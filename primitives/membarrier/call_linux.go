package membarrier

import (
	"golang.org/x/sys/unix"
)

// systemCall is membarrier(2). It tells the scheduler that it enters a system call, since Global lasts for milliseconds.
func systemCall(c Command, flags uint32, cpu int32) (n int, kind, cause error) {
	r, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, uintptr(c), uintptr(flags), uintptr(cpu))
	switch {
	case errno == 0:
		return int(r), nil, nil
	case errno == unix.EINVAL:
		return 0, ErrInvalid, errno
	case errno == unix.ENOMEM:
		return 0, ErrNoMemory, errno
	case errno == unix.EPERM && c&needRegistration != 0:
		return 0, ErrNotRegistered, errno
	}
	// ENOSYS, or what a filter of system calls answers.
	return 0, ErrNotSupported, errno
}

const needRegistration = PrivateExpedited | PrivateExpeditedSyncCore | PrivateExpeditedRseq
