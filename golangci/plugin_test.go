package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func analyzers(t *testing.T, raw any) []string {
	t.Helper()
	p, err := New(raw)
	require.NoError(t, err)
	assert.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
	list, err := p.BuildAnalyzers()
	require.NoError(t, err)
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

func TestRegistered(t *testing.T) {
	create, err := register.GetPlugin("barriervet")
	require.NoError(t, err)
	_, err = create(nil)
	require.NoError(t, err)
}

func TestSettings(t *testing.T) {
	assert.Greater(t, len(analyzers(t, nil)), 2)
	assert.Equal(t, []string{"redundantfence"}, analyzers(t, map[string]any{"enable": []string{"redundantfence"}}))
	_, err := New(map[string]any{"enable": []string{"redundantfense"}})
	assert.ErrorContains(t, err, `unknown analyzer "redundantfense"; known are redundantfence, `)
	_, err = New(map[string]any{"on": 1})
	assert.Error(t, err)
}
