package assembly

func onlyHere() {
	full()
	full() // want `assembly.full is redundant on amd64: assembly.full on line \d+ orders already`
	y = x
}
