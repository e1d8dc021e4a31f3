//go:build amd64 && !race

package named

import "runtime"

func ReleaseFence() { runtime.KeepAlive(nil) }
