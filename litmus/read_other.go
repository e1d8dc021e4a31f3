//go:build !unix

package litmus

import "os"

// readFile reads a file.
func readFile(f source, _ []byte) ([]byte, error) {
	return os.ReadFile(f.name)
}
