package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// release has the common properties of all images of a run.
type release struct {
	names    names
	version  string
	revision string
}

// labels returns the annotations of the OCI image specification for the config, manifest and index.
func (r release) labels(p product) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       p.name,
		"org.opencontainers.image.description": p.description,
		"org.opencontainers.image.source":      "https://github.com/resource-plugins/krm-functions",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.revision":    r.revision,
	}
}

// newImage builds the image for one platform from the programs in a folder.
func newImage(p product, r release, platform, folder string) (v1.Image, error) {
	files, err := readPrograms(p, folder)
	if err != nil {
		return nil, err
	}
	layer, err := newLayer(files)
	if err != nil {
		return nil, err
	}
	image := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	image, err = mutate.Append(image, mutate.Addendum{
		Layer:   layer,
		History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "make images"},
	})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config.OS, config.Architecture, _ = strings.Cut(platform, "/")
	config.Created = v1.Time{Time: epoch}
	config.Config = v1.Config{
		User: p.user, Entrypoint: []string{"/" + p.programs[0].name}, WorkingDir: "/", Labels: r.labels(p),
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, r.labels(p)).(v1.Image), nil
}

func readPrograms(p product, folder string) ([]file, error) {
	var files []file
	for _, program := range p.programs {
		content, err := os.ReadFile(filepath.Join(folder, program.name))
		if err != nil {
			return nil, err
		}
		if size := int64(len(content)); program.limit > 0 && size > program.limit {
			return nil, fmt.Errorf("%s: program %q must have at most %d bytes, not %d",
				p.name, program.name, program.limit, size)
		}
		files = append(files, file{program.name, program.mode(), content})
	}
	return files, nil
}

// built is the image for one platform with its compressed size.
type built struct {
	platform   string
	image      v1.Image
	compressed int64
}

func newBuilt(p product, r release, platform, staging string) (built, error) {
	image, err := newImage(p, r, platform, filepath.Join(staging, filepath.FromSlash(platform)))
	if err != nil {
		return built{}, err
	}
	manifest, err := image.Manifest()
	if err != nil {
		return built{}, err
	}
	b := built{platform: platform, image: image, compressed: manifest.Config.Size}
	for _, layer := range manifest.Layers {
		b.compressed += layer.Size
	}
	if b.compressed > p.limit {
		return built{}, fmt.Errorf("%s for %s must have at most %d compressed bytes, not %d",
			p.name, platform, p.limit, b.compressed)
	}
	return b, nil
}

// newIndex returns the index of the images of all platforms.
func newIndex(p product, r release, images []built) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range images {
		platform, err := v1.ParsePlatform(b.platform)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: b.image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return mutate.Annotations(index, r.labels(p)).(v1.ImageIndex), nil
}
