package pack_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/pack"
)

var sum = "sha256:" + strings.Repeat("ab", 32)

func TestReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pack.Reference{
		"redis":                          {"redis", "", ""},
		"redis:v0.1.0":                   {"redis", "v0.1.0", ""},
		"redis:^0.1":                     {"redis", "^0.1", ""},
		"redis:>=0.1 <0.3":               {"redis", ">=0.1 <0.3", ""},
		"redis:>=0.1, <0.3 || 1.x":       {"redis", ">=0.1, <0.3 || 1.x", ""},
		"redis:main":                     {"redis", "main", ""},
		"redis@" + sum:                   {"redis", "", sum},
		"redis:v1@" + sum:                {"redis", "v1", sum},
		"localhost:5000/acme/redis:~1":   {"localhost:5000/acme/redis", "~1", ""},
		"localhost:5000/acme/redis":      {"localhost:5000/acme/redis", "", ""},
		"registry.example.org/acme/r:*":  {"registry.example.org/acme/r", "*", ""},
		"registry.example.org/a:1 - 2.3": {"registry.example.org/a", "1 - 2.3", ""},
	} {
		got, err := pack.ParseReference(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		assert.Equal(t, text, got.String())
	}
	for text, want := range map[string]string{
		"":                                   "must be an image repository",
		"Redis":                              "must be an image repository",
		":v1":                                "must be an image repository",
		"redis:":                             "must have a tag or a version range after the colon",
		"redis:^^1":                          `version "^^1" must be a tag such as v1.0.0, or a range such as ^1.2`,
		"redis: ^1":                          "must not begin or end with a blank",
		"redis@sha256:ab":                    "must have after the @ sha256:",
		"redis@":                             "must have after the @ sha256:",
		"redis@^1":                           "must have after the @ sha256:",
		"redis:>" + strings.Repeat("1", 999): "at most",
	} {
		_, err := pack.ParseReference(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestCRDReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]pack.CRDReference{
		"redisclusters.cache.example.org/v1alpha1": {"redisclusters", "cache.example.org", "v1alpha1"},
		"*.cache.example.org/v1":                   {"*", "cache.example.org", "v1"},
		"redisclusters.cache.example.org":          {"redisclusters", "cache.example.org", ""},
	} {
		got, err := pack.ParseCRD(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "redis", ".group/v1", "redis./v1", "a.b/", "a b.c/v1"} {
		_, err := pack.ParseCRD(text)
		require.ErrorContains(t, err, "must be PLURAL.GROUP/VERSION", text)
	}
}

func FuzzReference(f *testing.F) {
	for _, seed := range []string{"redis", "a.b/c:^1", "localhost:5000/r:>=1 <2", "r@" + sum, "r:v1@" + sum, "::", "@", "/", "r:1 - 2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := pack.ParseReference(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.Equal(t, text, r.String())
		again, err := pack.ParseReference(r.String())
		require.NoError(t, err)
		assert.Equal(t, r, again)
	})
}
