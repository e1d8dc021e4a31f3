package gofile

func reason() {
	// want +3 `bad call` `//lint:ignore calls has no effect: it needs a reason behind the name`

	//
	bad() //lint:ignore calls

	// want +2 `bad call`

	bad() // not a //lint:ignore calls inside another comment
}
