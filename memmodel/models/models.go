// Package models holds the memory models that come with the library, each a page of cat:
//
//	m, err := models.Load("aarch64")
//
// The names are those of the files without ".cat". A model of your own is compiled by cat.Compile, with Include for what it
// includes.
package models

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/barriergen/barriergen/memmodel"
	"github.com/barriergen/barriergen/memmodel/cat"
)

//go:embed *.cat
var files embed.FS

// helpers are files that models include, no models themselves.
var helpers = []string{"cos"}

var loaded sync.Map // name -> *memmodel.Model

// Load is the compiled model of that name; each is compiled once.
func Load(name string) (*memmodel.Model, error) {
	if m, ok := loaded.Load(name); ok {
		return m.(*memmodel.Model), nil
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown model %q: known are %s", name, strings.Join(Names(), ", "))
	}
	src, err := files.ReadFile(name + ".cat")
	if err != nil {
		return nil, err
	}
	m, err := cat.Compile(name+".cat", src, Include)
	if err != nil {
		return nil, err
	}
	first, _ := loaded.LoadOrStore(name, m)
	return first.(*memmodel.Model), nil
}

// Names are the models that Load knows, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded
	}
	var out []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".cat"); !slices.Contains(helpers, name) {
			out = append(out, name)
		}
	}
	return out
}

// Source is the text of a model, or of a file that models include.
func Source(name string) ([]byte, error) { return Include(name + ".cat") }

// Include finds the text of a file of the library, for cat.Compile.
func Include(name string) ([]byte, error) {
	if name == "stdlib.cat" {
		return nil, nil // every model has it
	}
	src, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("no such file in the library")
	}
	return src, nil
}
