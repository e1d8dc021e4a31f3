package sub

func Fence() // want Fence:`amd64: fence \[earlier accesses before later accesses\]`
