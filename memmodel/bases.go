package memmodel

// base is a set or relation that every execution has.
type base int32

const (
	baseAll base = iota
	baseR
	baseW
	baseM
	baseF
	baseIW
	baseFW
	baseRMWSet
	basePo
	baseAddr
	baseData
	baseCtrl
	basePickAddr
	basePickData
	basePickCtrl
	baseRMW
	baseAMO
	baseLxSx
	baseLoc
	baseInt
	baseExt
	baseID
	baseSI
	baseHalves
	baseRF
	baseCO
	baseFR
	numBases
)

// level says how often an expression changes in a search: never while the events stay the same, with reads-from, or with
// coherence too.
type level uint8

const (
	levelStatic level = iota
	levelRF
	levelCO
	numLevels
)

var bases = [numBases]struct {
	name  string
	rel   bool
	level level
}{
	baseAll:      {"_", false, levelStatic},
	baseR:        {"R", false, levelStatic},
	baseW:        {"W", false, levelStatic},
	baseM:        {"M", false, levelStatic},
	baseF:        {"F", false, levelStatic},
	baseIW:       {"IW", false, levelStatic},
	baseFW:       {"FW", false, levelCO},
	baseRMWSet:   {"RMW", false, levelStatic},
	basePo:       {"po", true, levelStatic},
	baseAddr:     {"addr", true, levelStatic},
	baseData:     {"data", true, levelStatic},
	baseCtrl:     {"ctrl", true, levelStatic},
	basePickAddr: {"pick-addr-dep", true, levelStatic},
	basePickData: {"pick-data-dep", true, levelStatic},
	basePickCtrl: {"pick-ctrl-dep", true, levelStatic},
	baseRMW:      {"rmw", true, levelStatic},
	baseAMO:      {"amo", true, levelStatic},
	baseLxSx:     {"lxsx", true, levelStatic},
	baseLoc:      {"loc", true, levelStatic},
	baseInt:      {"int", true, levelStatic},
	baseExt:      {"ext", true, levelStatic},
	baseID:       {"id", true, levelStatic},
	baseSI:       {"si", true, levelStatic},
	baseHalves:   {"halves", true, levelStatic},
	baseRF:       {"rf", true, levelRF},
	baseCO:       {"co", true, levelCO},
	baseFR:       {"fr", true, levelCO},
}
