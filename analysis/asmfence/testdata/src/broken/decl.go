package broken

func twice()
