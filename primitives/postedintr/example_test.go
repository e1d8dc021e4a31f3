package postedintr_test

import (
	"fmt"
	"math/bits"

	"github.com/barriergen/barriergen/primitives/postedintr"
)

// A hypervisor's device posts an interrupt, and kicks the virtual processor only if that has not been done.
func ExampleDescriptor() {
	d := postedintr.New()
	d.SetNotification(0xf2, 3)
	for _, vector := range []uint8{0x40, 0x41, 0x40} {
		if d.Post(vector) {
			vector, cpu := d.Notification()
			fmt.Printf("interrupt %#x to processor %d\n", vector, cpu)
		}
	}
	var irr [4]uint64
	fmt.Println(d.Sync(&irr), bits.OnesCount64(irr[1]))
	fmt.Println(d.Sync(&irr))
	// Output:
	// interrupt 0xf2 to processor 3
	// true 2
	// false
}

// A receiver sleeps until somebody posts.
func ExampleMailbox() {
	woken := make(chan struct{}, 1)
	box := postedintr.NewMailbox(1, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	go box.Post(5)
	<-woken
	var got [1]uint64
	box.Sync(got[:])
	fmt.Println(bits.TrailingZeros64(got[0]))
	// Output: 5
}
