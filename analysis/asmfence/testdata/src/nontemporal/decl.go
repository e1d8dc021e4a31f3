package nontemporal

func stream(p *uint64, v uint64)
func done()
func written(p *uint64, v uint64)
func full(p *uint64, v uint64)
