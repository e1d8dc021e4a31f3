package arm64

func twice()
func weakerBesideFull()
func different()
func system()
func fullThenRelease(p *uint64, v uint64)
func releaseOnly(p *uint64, v uint64)
func releaseThenLoad(p, q *uint64, v uint64) uint64
func acquireOnly(p *uint64) uint64
func acquireAfterLoad(p, q *uint64) uint64
func fullAfterAcquire(p *uint64) uint64
func seqlock(p, q *uint64) uint64
func releaseThenFull(p *uint64, v uint64)
func addFull(p *uint64, v uint64) uint64
func addRelaxed(p *uint64, v uint64) uint64
func addNoResult(p *uint64, v uint64)
func swapFull(p *uint64, v uint64) uint64
func fullBeforeAdd(p *uint64, v uint64) uint64
func casFailed(p *uint64, old, new uint64) uint64
func exclusive(p *uint64, v uint64)
func exclusiveFull(p *uint64, v uint64)
func outer(p *uint64, v uint64) uint64
func storeThenFence(p *uint64, v uint64)
func featured(p *uint64, v uint64) uint64
func featuredBoth()
func branches(p *uint64, v uint64)
