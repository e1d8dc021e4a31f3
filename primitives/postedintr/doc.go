// Package postedintr posts interrupts the way hypervisors do: senders set a request bit in a Descriptor and notify the
// receiver only if it has not been notified yet; the receiver takes all requests at once with Sync, which costs a load
// while there is nothing. Mailbox is the same between goroutines, with a function to wake the receiver.
//
// # Why no notification is lost
//
// A sender sets a request bit and then reads ON, with a full fence between, which is part of the read-modify-write. The
// receiver clears ON and then reads the requests, again with a full fence between. This is the store-buffering shape: at
// least one of the two sees what the other did. If the sender does not see ON cleared it does not notify, and then the
// receiver finds the bit; if the receiver does not find the bit, the sender finds ON cleared, sets it and notifies.
//
// The receiver's fence is barrier.AfterAtomic behind a bit operation without a result, as in KVM's pi_clear_on: by
// contract that operation orders nothing. On amd64 it is a locked instruction and the fence is empty; on arm64 the two are
// fused, and LDCLRAL needs no fence behind it, or DMB ISH follows where LSE is missing. In Mailbox the flag is cleared by a store, since only the receiver clears it, and the fence is in StoreFull.
//
// While ON is clear Sync executes no atomic operation and no fence. It needs none: a sender whose request it misses has yet
// to set ON, and notifies.
//
// On amd64 Post is a LOCK CMPXCHG loop (Go has no instruction that sets a bit and tells what it was), a load and a
// branch; if it has to notify, a second LOCK CMPXCHG or an XCHG.
package postedintr

//go:generate go run ../../cmd/barriergen fuse
