package mixed

func twice()
