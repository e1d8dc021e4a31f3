package unknown

func add(p *uint64)
func cas(p *uint64)
func encoded(p *uint64)
func one(p *uint64)
func other(p *uint64)
