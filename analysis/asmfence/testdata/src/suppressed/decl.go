package suppressed

func line()
func before()
func function()
func unused()
