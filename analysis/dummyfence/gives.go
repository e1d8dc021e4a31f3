package dummyfence

import (
	"github.com/barriergen/barriergen/analysis/internal/order"
	"github.com/barriergen/barriergen/analysis/internal/report"
	"github.com/barriergen/barriergen/contract"
)

// describe is a sentence part: "a full fence on amd64, no fence on arm64 v8.0 and other architectures".
func describe(all []order.Given) string {
	var kinds []string
	where := map[string][]string{}
	for _, g := range all {
		kind := "no fence"
		switch {
		case g.Have == contract.Full:
			kind = "a full fence"
		case g.Have != g.Free:
			kind = "a fence for " + (g.Have &^ g.Free).String() + " only"
		}
		if where[kind] == nil {
			kinds = append(kinds, kind)
		}
		where[kind] = append(where[kind], g.Arch)
	}
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		if len(kinds) == 1 {
			return kind + " on any architecture"
		}
		parts[i] = kind + " on " + report.List(where[kind])
	}
	return report.List(parts)
}
