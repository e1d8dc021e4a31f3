// Package goarch lists the architectures of the go command.
package goarch

// Known are their names, in alphabetical order.
var Known = []string{"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
