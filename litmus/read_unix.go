//go:build unix

package litmus

import (
	"io/fs"
	"syscall"
)

// readFile reads a file into buf, which it may grow. Tests are small and many: without the size query and the registration for
// polling that os.ReadFile makes, reading a folder takes half the time.
func readFile(f source, buf []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) { return syscall.Open(f.name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return buf, &fs.PathError{Op: "open", Path: f.name, Err: err}
	}
	defer syscall.Close(fd)
	if cap(buf) < 1<<14 {
		buf = make([]byte, 1<<14)
	}
	buf = buf[:cap(buf)]
	for filled := 0; ; {
		n, err := retry(func() (int, error) { return syscall.Read(fd, buf[filled:]) })
		if err != nil {
			return buf, &fs.PathError{Op: "read", Path: f.name, Err: err}
		}
		filled += n
		if n == 0 || f.regular && filled < len(buf) {
			return buf[:filled], nil
		}
		if filled == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// retry repeats a system call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}
