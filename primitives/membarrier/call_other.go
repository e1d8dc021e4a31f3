//go:build !linux

package membarrier

func systemCall(Command, uint32, int32) (n int, kind, cause error) { return 0, ErrNotSupported, nil }
