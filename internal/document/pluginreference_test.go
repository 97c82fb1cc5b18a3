package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/document"
)

func TestPinsInAnySpelling(t *testing.T) {
	t.Parallel()
	for selector, canonical := range map[string]string{
		"1":                 "1.0.0",
		"1.0":               "1.0.0",
		"1.0.0":             "1.0.0",
		"v1":                "1.0.0",
		"v1.0":              "1.0.0",
		"v1.0.0":            "1.0.0",
		"0":                 "0.0.0",
		"01.2.3":            "1.2.3",
		"0.0.0":             "0.0.0",
		"1.2.0-rc.1":        "1.2.0-rc.1",
		"1.2-rc.1":          "1.2.0-rc.1",
		"1.2-1.4.5":         "1.2.0-1.4.5",
		"1.2.3+build.5":     "1.2.3+build.5",
		"1.2.3-rc.1+build":  "1.2.3-rc.1+build",
		"1.2.3----":         "1.2.3----",
		"10.20.30":          "10.20.30",
		"99999999.0.0":      "99999999.0.0",
		"1.0.0-alpha.beta":  "1.0.0-alpha.beta",
		"1.0.0-0A.is.legal": "1.0.0-0A.is.legal",
	} {
		t.Run(selector, func(t *testing.T) {
			t.Parallel()
			reference, err := document.ParsePluginReference("hello-db@" + selector)
			require.NoError(t, err)
			assert.Equal(t, "hello-db", reference.Bare)
			assert.Equal(t, selector, reference.Selector)
			require.NotNil(t, reference.Pin)
			assert.Equal(t, canonical, reference.Pin.String())
			assert.False(t, reference.Floats())
			assert.False(t, reference.Ranges())
		})
	}
}

func TestFloatingReferences(t *testing.T) {
	t.Parallel()
	for text, ranges := range map[string]bool{
		"hello-db":             false,
		"hello-db@latest":      false,
		"hello-db@^1":          true,
		"hello-db@^1.2":        true,
		"hello-db@~1.2":        true,
		"hello-db@>=1.0 <2":    true,
		"hello-db@>=1.0, <2":   true,
		"hello-db@1.x":         true,
		"hello-db@*":           true,
		"hello-db@1.2 - 1.4":   true,
		"hello-db@^1 || ^3":    true,
		"hello-db@1 || 3":      true,
		"hello-db@=1.2.3":      true,
		"hello-db@^1.3.0-rc.1": true,
		"hello-db@<2.0.0-0":    true,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			reference, err := document.ParsePluginReference(text)
			require.NoError(t, err)
			assert.True(t, reference.Floats())
			assert.Equal(t, ranges, reference.Ranges())
		})
	}
}

func TestBadReferences(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		"":                     "name must not be empty",
		"@1.0.0":               "name must not be empty",
		"hello_db@1.0.0":       `name "hello_db" must hold letters, digits and dashes only`,
		"hello-db @1":          `name "hello-db " must hold letters, digits and dashes only`,
		"hello-db@":            `version must not be empty: drop the @ or give a semver such as @1.0.0`,
		"hello-db@ 1.0.0":      `version " 1.0.0" must not begin or end with a blank`,
		"hello-db@1.0.0\n":     `version "1.0.0\n" must not begin or end with a blank`,
		"hello-db@Latest":      `version "Latest" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@1.2.3.4":     `version "1.2.3.4" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@1.0.0@1.0.0": `version "1.0.0@1.0.0" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@^1 ||":       `version "^1 ||" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@1|2":         `version "1|2" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@V1":          `version "V1" must be a version such as 1.0.0, a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@99999999999999999999": `version "99999999999999999999" must be a version such as 1.0.0, ` +
			`a range such as ^1.2, a channel such as stable, or "latest"`,
		"hello-db@" + strings.Repeat("1", 513): "version must have at most 512 bytes, not 513",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := document.ParsePluginReference(text)
			assert.EqualError(t, err, message)
		})
	}
}

func TestAdmits(t *testing.T) {
	t.Parallel()
	cases := []struct {
		reference string
		admitted  string
		refused   string
	}{
		{"db", "0.0.0 1.0.0 2.0.0-rc.1", ""},
		{"db@latest", "0.0.0 1.0.0 2.0.0-rc.1", ""},
		{"db@1", "1.0.0 1.0.0+b1", "1.0.1 1.1.0 1.0.0-rc.1"},
		{"db@1.0.0+b1", "1.0.0+b1", "1.0.0 1.0.0+b2"},
		{"db@^1.2", "1.2.0 1.9.3", "1.1.9 2.0.0 1.3.0-rc.1"},
		{"db@~1.2", "1.2.0 1.2.9", "1.3.0"},
		{"db@>=1.0 <2", "1.0.0 1.99.0", "0.9.0 2.0.0 2.0.0-rc.1"},
		{"db@1.x", "1.0.0 1.99.0", "2.0.0 0.9.0"},
		{"db@1 || 3", "1.4.0 3.1.0", "2.0.0"},
		{"db@1.2 - 1.4", "1.2.0 1.4.7", "1.5.0"},
		{"db@>=1.2.3-0", "1.2.3-rc.1 2.0.0-rc.1 2.0.0", "1.2.2"},
		{"db@>=1.0.0-0 <2.0.0-0", "1.5.0-rc.1", "2.0.0-rc.1"},
		{"db@=1.2.3", "1.2.3 1.2.3+b1", "1.2.4"},
	}
	for _, c := range cases {
		t.Run(c.reference, func(t *testing.T) {
			t.Parallel()
			reference, err := document.ParsePluginReference(c.reference)
			require.NoError(t, err)
			for verdict, versions := range map[bool]string{true: c.admitted, false: c.refused} {
				for _, text := range strings.Fields(versions) {
					v, err := document.ParseVersion(text)
					require.NoError(t, err)
					assert.Equal(t, verdict, reference.Admits(v), text)
				}
			}
		})
	}
}

// FuzzParseReference holds a reference to its promises: a pin reads the same in its canonical spelling, it admits
// itself, and a text that the loose parser takes never becomes a range.
func FuzzParseReference(f *testing.F) {
	for _, seed := range []string{
		"db", "db@latest", "db@1", "db@v1.0", "db@1.2-1.4.5", "db@01.2.3", "db@^1", "db@", "db@>=1 <2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reference, err := document.ParsePluginReference(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.Equal(t, text, reference.String())
		if reference.Pin == nil {
			_, err := document.ParseVersion(reference.Selector)
			assert.Error(t, err, "what reads as a version must be a pin")
			return
		}
		assert.True(t, reference.Admits(reference.Pin))
		again, err := document.ParsePluginReference(document.PluginName{Bare: reference.Bare, Version: reference.Pin}.String())
		require.NoError(t, err)
		assert.Equal(t, reference.Pin.String(), again.Pin.String())
	})
}
