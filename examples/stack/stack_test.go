package stack

import (
	"encoding/binary"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLastInFirstOut(t *testing.T) {
	s := New(16, 3)
	var bufs [][]byte
	for range 3 {
		b, ok := s.Pop()
		require.True(t, ok)
		require.Len(t, b, 16)
		bufs = append(bufs, b)
	}
	_, ok := s.Pop()
	require.False(t, ok)
	s.Push(bufs[2])
	s.Push(bufs[0])
	for _, want := range [][]byte{bufs[0], bufs[2]} {
		b, ok := s.Pop()
		require.True(t, ok)
		assert.Same(t, &want[0], &b[0])
	}
}

func TestMisuse(t *testing.T) {
	assert.PanicsWithValue(t, "stack: 1 buffers of 12 bytes: the size must be a positive multiple of 8", func() { New(12, 1) })
	s := New(16, 2)
	b, ok := s.Pop()
	require.True(t, ok)
	for _, wrong := range [][]byte{nil, make([]byte, 16), b[:8]} {
		assert.PanicsWithValue(t, "stack: Push of what is no buffer of this stack", func() { s.Push(wrong) })
	}
}

// A buffer has one owner at a time: what it wrote stays until it gives the buffer back.
func TestOwners(t *testing.T) {
	const workers, rounds = 4, 20_000
	s := New(16, workers-1) // one goes without
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				b, ok := s.Pop()
				if !ok {
					runtime.Gosched()
					continue
				}
				mine := uint64(w)<<32 | uint64(i)
				binary.LittleEndian.PutUint64(b[8:], mine)
				if i%64 == 0 {
					runtime.Gosched()
				}
				if got := binary.LittleEndian.Uint64(b[8:]); got != mine {
					t.Errorf("another one wrote %#x to the buffer of %#x", got, mine)
					return
				}
				s.Push(b)
			}
		})
	}
	wg.Wait()
	for range workers - 1 {
		_, ok := s.Pop()
		assert.True(t, ok, "a buffer was lost")
	}
	_, ok := s.Pop()
	assert.False(t, ok, "a buffer is there twice")
}
