package generated

func twice()
func store(p *uint64, v uint64)
