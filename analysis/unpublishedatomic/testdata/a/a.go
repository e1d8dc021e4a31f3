// Package a stores atomically where a plain store does.
package a

import "sync/atomic"

type server struct {
	limit, max int64
	inner      struct{ n uint32 }
	state      atomic.Int32
	next       *server
}

var (
	current atomic.Pointer[server]
	known   = map[string]*server{}
	state   int32
	typed   atomic.Int64
)

func setup() *server {
	s := &server{}
	atomic.StoreInt64(&s.limit, 10)    // want `nobody else can see s yet: a plain store does`
	atomic.StoreInt64(&s.max, limit()) // want `nobody else can see s yet`
	// want +2 `nobody else can see s yet`

	atomic.StoreUint32(&s.inner.n, 1)
	s.state.Store(1)
	current.Store(s)
	atomic.StoreInt64(&s.limit, 11)
	return s
}

func limit() int64 { return 1 }

func loop(names []string) {
	for _, name := range names {
		s := new(server)
		atomic.StoreInt64(&s.limit, 1) // want `nobody else can see s yet`
		known[name] = s
		atomic.StoreInt64(&s.limit, 2)
	}
}

func branch(b bool) *server {
	s := &server{}
	if b {
		current.Store(s)
	}
	atomic.StoreInt64(&s.limit, 1)
	return s
}

func linked(prev *server) {
	s := &server{next: prev}
	prev.next = s
	atomic.StoreInt64(&s.limit, 1)
}

func captured() *server {
	s := &server{}
	go func() { println(atomic.LoadInt64(&s.limit)) }()
	atomic.StoreInt64(&s.limit, 1)
	return s
}

func passed(s *server) { atomic.StoreInt64(&s.limit, 1) }

func capturing(s *server) func() {
	atomic.StoreInt64(&s.limit, 1)
	return func() { s.max++ }
}

func found(name string) { s := known[name]; atomic.StoreInt64(&s.limit, 1) }

func swaps() int64 {
	// want +2 `nobody takes the old value: atomic.StoreInt32 does`

	atomic.SwapInt32(&state, 1)
	// want +2 `nobody takes the old value: typed.Store does`

	_ = typed.Swap(1)
	atomic.SwapInt32(&state, 2) // has to be a full barrier
	atomic.SwapInt32(nil, 1)
	(*atomic.Int32)(nil).Swap(1)
	var local int32
	atomic.SwapInt32(&local, 1)
	return typed.Swap(2)
}
