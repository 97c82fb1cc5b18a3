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
