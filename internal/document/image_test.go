package document_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/document"
)

func TestRepositories(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"redis": "docker.io/library/redis", "acme/redis": "docker.io/acme/redis", "docker.io/library/redis": "docker.io/library/redis",
		"registry.example.org/acme/redis": "registry.example.org/acme/redis", "localhost:5000/redis": "localhost:5000/redis",
	} {
		assert.Empty(t, document.CheckImageRepository(name))
		assert.Equal(t, want, document.ImageRepository(name))
	}
	for _, name := range []string{"", "Redis", "redis:v1", "redis@sha256:0", "a b", "/redis"} {
		assert.Contains(t, document.CheckImageRepository(name), "must be an image repository", name)
	}
	assert.Equal(t, "Redis", document.ImageRepository("Redis"))
}

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
		assert.Equal(t, c[2], document.ImageWithSource(c[0], c[1]), c)
	}
}
