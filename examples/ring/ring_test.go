package ring

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRing(t *testing.T) {
	r := New[int](100)
	require.Len(t, r.slots, 128)
	_, ok := r.Pop()
	require.False(t, ok)
	const n = 100_000
	go func() {
		for i := 0; i < n; {
			if r.Push(i) {
				i++
			} else {
				runtime.Gosched()
			}
		}
	}()
	for i := 0; i < n; {
		v, ok := r.Pop()
		if !ok {
			runtime.Gosched()
			continue
		}
		require.Equal(t, i, v)
		i++
	}
}

func TestFull(t *testing.T) {
	r := New[int](2)
	require.True(t, r.Push(1))
	require.True(t, r.Push(2))
	require.False(t, r.Push(3))
	v, ok := r.Pop()
	require.True(t, ok)
	require.Equal(t, 1, v)
	require.True(t, r.Push(3))
}
