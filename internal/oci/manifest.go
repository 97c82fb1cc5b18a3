package oci

import (
	"encoding/json"
	"fmt"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// The media types.
const (
	artifactType = "application/vnd.resourceplugins.catalog.v1alpha1"
	catalogType  = artifactType + "+yaml"
	pluginType   = "application/vnd.resourceplugins.plugin.v1alpha1+yaml"
)

// Limits of fetched data, in bytes and in number.
const (
	maxManifest = 4 << 20 // the limit of registries
	maxCatalog  = 16 << 20
	maxPlugin   = strictyaml.MaxDigestSize
	maxTotal    = 256 << 20
	maxFiles    = 10_000
)

// manifest returns the manifest that describes the bundle.
func (b *Bundle) manifest() ([]byte, error) {
	m := v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, ArtifactType: artifactType,
		Config: v1.DescriptorEmptyJSON,
	}
	for _, name := range b.paths() {
		m.Layers = append(m.Layers, v1.Descriptor{
			MediaType: typeOf(name), Digest: digest.FromBytes(b.Files[name]), Size: int64(len(b.Files[name])),
			Annotations: map[string]string{v1.AnnotationTitle: name},
		})
	}
	if err := check(&m); err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("the manifest must have at most %d bytes, not %d: push several catalogs", maxManifest, len(text))
	}
	return text, err
}

func typeOf(name string) string {
	if name == CatalogFile {
		return catalogType
	}
	return pluginType
}

// check checks that a manifest describes a bundle, before any of its blobs is fetched.
func check(m *v1.Manifest) error {
	if m.MediaType != v1.MediaTypeImageManifest || m.ArtifactType != artifactType {
		return fmt.Errorf("the artifact must be a catalog (%s), not %q", artifactType, m.ArtifactType)
	}
	if len(m.Layers) > maxFiles {
		return fmt.Errorf("the artifact must have at most %d files, not %d", maxFiles, len(m.Layers))
	}
	seen := make(map[string]bool, len(m.Layers))
	total := int64(0)
	for _, layer := range m.Layers {
		name := layer.Annotations[v1.AnnotationTitle]
		if err := checkPath(name); err != nil {
			return err
		}
		most := int64(maxPlugin)
		if name == CatalogFile {
			most = maxCatalog
		}
		switch {
		case seen[name]:
			return fmt.Errorf("%s must be in the artifact once", name)
		case layer.MediaType != typeOf(name):
			return fmt.Errorf("%s must have the media type %s, not %q", name, typeOf(name), layer.MediaType)
		case layer.Size < 0 || layer.Size > most:
			return fmt.Errorf("%s must have at most %d bytes, not %d", name, most, layer.Size)
		}
		seen[name] = true
		if total += layer.Size; total > maxTotal {
			return fmt.Errorf("the artifact must have at most %d bytes", int64(maxTotal))
		}
	}
	if !seen[CatalogFile] {
		return fmt.Errorf("the artifact must have %s", CatalogFile)
	}
	return nil
}
