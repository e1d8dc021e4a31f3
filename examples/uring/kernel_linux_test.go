//go:build amd64 || arm64

package uring

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const (
	sysSetup, sysEnter = 425, 426
	setupSQPoll        = 1 << 1
	offEntries         = 0x10000000
	enterWakeup        = 1 << 1
	opNop              = 0
)

// The kernel's own poller takes what is submitted, asleep or not.
func TestKernel(t *testing.T) {
	p := Params{Flags: setupSQPoll, SQThreadIdle: 1} // millisecond
	fd, _, errno := syscall.Syscall(sysSetup, 8, uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		t.Skipf("io_uring_setup: %v: this kernel does not let us, or an emulator knows no io_uring", errno)
	}
	defer syscall.Close(int(fd))
	size := max(p.SQ.Array+4*p.SQEntries, p.CQ.CQEs+p.CQEntries*uint32(unsafe.Sizeof(CQE{})))
	mapped := func(off int64, n uint32) []byte {
		m, err := syscall.Mmap(int(fd), off, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_POPULATE)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Munmap(m) })
		return m
	}
	r, err := At(mapped(0, size), mapped(offEntries, p.SQEntries*uint32(unsafe.Sizeof(SQE{}))), &p)
	if err != nil {
		t.Fatal(err)
	}
	const requests = 2000
	woken := 0
	deadline := time.Now().Add(time.Minute)
	for sent, done := uint64(0), uint64(0); done < requests; {
		if sent < requests && sent-done < uint64(p.CQEntries) && r.Push(SQE{Opcode: opNop, UserData: sent}) {
			sent++
			if sent%500 == 0 {
				time.Sleep(10 * time.Millisecond) // it falls asleep
			}
			if r.Submit() {
				woken++
				if _, _, errno := syscall.Syscall6(sysEnter, fd, 0, 0, enterWakeup, 0, 0); errno != 0 {
					t.Fatal(errno)
				}
			}
		}
		c, ok := r.Pop()
		if !ok {
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d submissions were completed", done, sent)
			}
			runtime.Gosched()
			continue
		}
		if c.UserData != done || c.Res != 0 {
			t.Fatalf("got %+v, want %d", c, done)
		}
		done++
	}
	if woken == 0 {
		t.Error("it never slept")
	}
	t.Logf("%d requests, %d times woken", requests, woken)
}
