package bytecoded

func stream(p *uint64)
