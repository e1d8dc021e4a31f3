//go:build never

package open

func callsIgnored() {
	x = 1
	ignored()
}
