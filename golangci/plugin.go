// Package golangci makes the analyzers of barriervet a plugin of golangci-lint, version 2.
//
// Build a golangci-lint that has it with "golangci-lint custom" and this .custom-gcl.yml:
//
//	version: v2.5.0
//	plugins:
//	  - module: github.com/barriergen/barriergen/golangci
//	    version: latest
//
// and enable it in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable: [barriervet]
//	  settings:
//	    custom:
//	      barriervet:
//	        type: module
//	        settings:
//	          enable: [redundantfence, weakerfence]   # all analyzers if left out
//
// Golangci-lint shows findings in Go files only: those in assembly stand at the function's Go declaration, with the place in
// the .s file in the message.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/barriergen/barriergen/analysis/suite"
)

func init() { register.Plugin("barriervet", New) }

type plugin struct{ analyzers []*analysis.Analyzer }

// settings are those of .golangci.yml.
type settings struct {
	Enable []string `json:"enable"`
}

// New makes the plugin from its settings in .golangci.yml.
func New(raw any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](raw)
	if err != nil {
		return nil, err
	}
	var p plugin
	var names []string
	for _, a := range suite.Analyzers {
		names = append(names, a.Name)
		if len(s.Enable) == 0 || slices.Contains(s.Enable, a.Name) {
			p.analyzers = append(p.analyzers, alone(a))
		}
		if f := a.Flags.Lookup("godecl"); f != nil { // golangci-lint drops what is not in a Go file
			if err := f.Value.Set("true"); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range s.Enable {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("barriervet: settings.enable: unknown analyzer %q; known are %s", name, strings.Join(names, ", "))
		}
	}
	return p, nil
}

// alone is the analyzer without related positions: golangci-lint makes issues of their own of them.
func alone(a *analysis.Analyzer) *analysis.Analyzer {
	out := *a
	out.Run = func(pass *analysis.Pass) (any, error) {
		quiet := *pass
		quiet.Report = func(d analysis.Diagnostic) {
			d.Related = nil
			pass.Report(d)
		}
		return a.Run(&quiet)
	}
	return &out
}

// BuildAnalyzers returns the analyzers.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.analyzers, nil }

// GetLoadMode says that types are needed.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
