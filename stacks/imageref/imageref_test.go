package imageref_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

func TestWithSource(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"", "acme/redis", "acme/redis"},
		{"registry.example.org", "acme/redis", "registry.example.org/acme/redis"},
		{"/registry.example.org/x/", "redis", "registry.example.org/x/redis"},
		{"registry.example.org", "quay.io/redis", "quay.io/redis"},
		{"registry.example.org", "docker.io/redis", "docker.io/redis"},
		{"registry.example.org", "localhost/redis", "localhost/redis"},
		{"registry.example.org", "localhost:5000/redis", "localhost:5000/redis"},
		{"registry.example.org", "", ""},
	} {
		assert.Equal(t, c[2], imageref.WithSource(c[0], c[1]), c)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		"redis":                            {"redis"},
		"redis:v1":                         {"redis", "v1"},
		"r.example.org:5000/redis":         {"r.example.org:5000/redis"},
		"r.example.org:5000/redis:^0.1":    {"r.example.org:5000/redis", "^0.1"},
		"acme/redis:>=0.1 <0.3":            {"acme/redis", ">=0.1 <0.3"},
		"acme/redis@sha256:01":             {"acme/redis", "", "sha256:01"},
		"acme/redis:v1@sha256:01":          {"acme/redis", "v1", "sha256:01"},
		"":                                 {},
		":":                                {},
		"r.example.org:5000/redis@sha:1/2": {"r.example.org:5000/redis", "", "sha:1/2"},
	} {
		repository, version, digest := imageref.Split(text)
		assert.Equal(t, want, [3]string{repository, version, digest}, text)
	}
}
