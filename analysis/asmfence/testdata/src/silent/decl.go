package silent

func stamp() uint64
func stampAll() uint64
func speculation(p *uint64) uint64
func load128(p *uint64) uint64
func elided(p *uint64, v uint64)
func serialise()
func delay()
func flush(p *uint64)
func system() uint64
func encoded(p *uint64, v uint64)
func barrier()
func option()
