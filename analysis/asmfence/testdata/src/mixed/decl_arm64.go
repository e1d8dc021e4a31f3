package mixed

func twice()
func onlyARM()
