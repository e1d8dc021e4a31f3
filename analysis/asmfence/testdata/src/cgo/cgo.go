package cgo

// int f(void);
import "C"

func F() int { return int(C.f()) }
