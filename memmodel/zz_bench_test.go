package memmodel_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/barriergen/barriergen/litmus"
	"github.com/barriergen/barriergen/memmodel"
)

func loadZZ(b *testing.B, folder string) (srcs [][]byte, names []string) {
	base := "/work/shared/litmus/" + folder
	data, _ := os.ReadFile(base + "/verdicts.tsv")
	for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.Split(l, "\t")
		src, _ := os.ReadFile(filepath.Join(base, f[0]))
		srcs = append(srcs, src)
		names = append(names, f[0])
	}
	return
}

func BenchmarkZZ(b *testing.B) {
	for _, folder := range strings.Fields("x86 aarch64 lkmm-gen lkmm-catalogue lkmm-luc lkmm-manual") {
		srcs, names := loadZZ(b, folder)
		b.Run(folder+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				for k := range srcs {
					litmus.Parse(srcs[k], names[k])
				}
			}
		})
		var tests []*litmus.Test
		for k := range srcs {
			t, _ := litmus.Parse(srcs[k], names[k])
			tests = append(tests, t)
		}
		for name, mode := range map[string]memmodel.Mode{"states": memmodel.States, "verdict": memmodel.Verdict} {
			b.Run(folder+"/cold-"+name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; i < b.N; i++ {
					r := &litmus.Runner{Mode: mode}
					for _, t := range tests {
						r.Run(t)
					}
				}
			})
		}
	}
}
