package pack

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/distribution/reference"
	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// The annotation of the layer with package.yaml:
// https://github.com/crossplane/crossplane/blob/v2.3.0/contributing/specifications/xpkg.md#manifests
const (
	baseAnnotation = "io.crossplane.xpkg"
	baseLayer      = "base"
)

// image reads the package of an image. It returns nil for other artifacts and for images without a package.
func (l *layout) image(d v1.Descriptor) (*Contents, error) {
	var manifest v1.Manifest
	if err := l.document(d, &manifest); err != nil {
		return nil, err
	}
	if manifest.ArtifactType != "" || slices.ContainsFunc(manifest.Layers, isNoLayer) {
		return nil, nil
	}
	at := blobPath(d.Digest)
	base, err := baseOf(manifest.Layers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	var config v1.Image
	if err := l.document(manifest.Config, &config); err != nil {
		return nil, err
	}
	contents := config.RootFS.DiffIDs
	if n := len(contents); n > 0 && n != len(manifest.Layers) {
		return nil, fmt.Errorf("%s: must have the %d layers of its config, not %d: copy the image again",
			at, n, len(manifest.Layers))
	}
	files, err := l.layers(manifest.Layers, contents, base)
	if err != nil {
		return nil, err
	}
	found, err := files.contents(base >= 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if found != nil {
		if !l.isRewritten(manifest) {
			found.Digest = d.Digest.String()
		}
		found.setName(l.names[blobPath(manifest.Config.Digest)])
	}
	return found, nil
}

// layers reads the layers of an image, or only the base layer if it has one. The contents are the diff IDs of the config,
// if it has any.
func (l *layout) layers(layers []v1.Descriptor, contents []digest.Digest, base int) (tree, error) {
	files := tree{}
	for i, layer := range layers {
		if base >= 0 && i != base {
			if err := l.blob(layer, func(io.Reader) error { return nil }); err != nil { // verified anyway
				return nil, err
			}
			continue
		}
		var content digest.Digest // empty if the config is not that of an image
		if len(contents) > 0 {
			content = contents[i]
		}
		if err := l.layer(layer, content, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isRewritten reports whether docker made the manifest when it saved the image: without containerd's image store it keeps
// only decompressed layers, so the manifest and its digest differ from the registry's.
func (l *layout) isRewritten(manifest v1.Manifest) bool {
	return l.names != nil && !slices.ContainsFunc(manifest.Layers, func(d v1.Descriptor) bool {
		return d.MediaType != v1.MediaTypeImageLayer
	})
}

// layer applies a layer on top of the lower ones. Its decompressed content must have the given digest, unless that is
// empty.
func (l *layout) layer(d v1.Descriptor, content digest.Digest, files tree) error {
	sum := digest.Canonical.Digester()
	if content != "" {
		if err := content.Validate(); err != nil {
			return fmt.Errorf("diff_ids of the config must be digests, not %q: %w", shortened(string(content)), err)
		}
		sum = content.Algorithm().Digester()
	}
	return l.blob(d, func(r io.Reader) error {
		read, err := readLayer(r, l.limits, sum.Hash())
		switch {
		case err != nil:
			return err
		case content != "" && sum.Digest() != content:
			return fmt.Errorf("must have the digest %s when it is decompressed, as the config says: copy the image again", content)
		}
		return files.add(read)
	})
}

// isNoLayer reports whether a blob of a manifest is not a file system, as in signatures and charts.
func isNoLayer(d v1.Descriptor) bool {
	return d.MediaType != "" && !strings.Contains(d.MediaType, ".image.layer.") &&
		!strings.Contains(d.MediaType, ".image.rootfs.")
}

// baseOf returns the index of the layer with package.yaml, or -1 if no layer is annotated as the base.
func baseOf(layers []v1.Descriptor) (int, error) {
	if len(layers) > maxLayers {
		return 0, fmt.Errorf("must have at most %d layers, not %d", maxLayers, len(layers))
	}
	base := -1
	for i, layer := range layers {
		if layer.Annotations[baseAnnotation] != baseLayer {
			continue
		}
		if base >= 0 {
			return 0, fmt.Errorf("must have one layer with the annotation %s: %s, not several", baseAnnotation, baseLayer)
		}
		base = i
	}
	return base, nil
}

// name holds the repository and the tag of an image.
type name struct{ image, tag string }

func (c *Contents) setName(n name) { c.Image, c.Tag = n.image, n.tag }

// nameIn returns the image name in the annotations of a descriptor. The annotation of the image specification may hold
// only the tag.
func nameIn(annotations map[string]string) name {
	if n := parseName(annotations[containerdAnnotation]); n.image != "" {
		return n
	}
	ref := annotations[v1.AnnotationRefName]
	if strings.ContainsAny(ref, "/:@") {
		return parseName(ref)
	}
	if ref != "" && reference.TagRegexp.FindString(ref) == ref {
		return name{tag: ref}
	}
	return name{}
}

// parseName parses a reference as Docker does. It returns an empty name if the reference is invalid.
func parseName(text string) name {
	parsed, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		return name{}
	}
	n := name{image: parsed.Name()}
	if tagged, ok := parsed.(reference.Tagged); ok {
		n.tag = tagged.Tag()
	}
	return n
}
