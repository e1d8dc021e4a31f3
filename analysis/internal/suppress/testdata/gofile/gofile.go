package gofile

func bad() int { return 0 }

func lines() {
	bad() // want `bad call`
	bad() //nolint
	bad() //nolint:calls
	bad() //nolint:other,calls // because
	bad() //nolint: other, calls
	bad() // nolint:all
	bad() //nolint:other // want `bad call`
	bad() //nolintcalls // want `bad call`
	bad() //lint:ignore calls it is not
	bad() //lint:ignore calls,other it is not
	bad() //lint:ignore other it is not // want `bad call`
}

func next() {
	//nolint:calls
	bad()
	bad() // want `bad call`

	//lint:ignore calls it goes on
	_ = []int{
		bad(),
		bad(),
	}
	//lint:ignore calls with a comment between
	// another comment

	if bad() == 0 {
		bad()
	}
	_ = []int{
		//nolint:calls
		bad(),
		bad(), // want `bad call`
	}
	bad() // want `bad call`
}

// whole is silenced.
//
//nolint:calls
func whole() {
	bad()
	for {
		bad()
	}
}

//nolint:calls
var (
	a = bad()
	b = bad()
)

func unused() {
	//nolint:calls // want `//nolint:calls has no effect: calls reports nothing there`
	_ = a
	_ = b //nolint:other,calls // want `//nolint:other,calls has no effect: calls reports nothing there`
	//nolint:other
	_ = a
	//nolint
	_ = a
	//lint:ignore calls because // want `//lint:ignore calls has no effect`
	_ = a
}

//nolint:calls // want `has no effect`
