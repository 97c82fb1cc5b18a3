package pack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// savedFile lists the images of a tar that `docker save` writes. New versions of docker add the files of an OCI layout:
// https://github.com/moby/docker-image-spec/blob/v1.3.1/spec.md#combined-image-json--filesystem-changeset-format
const savedFile = "manifest.json"

// savedImage is an image in manifest.json.
type savedImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func (s savedImage) name() name {
	for _, tag := range s.RepoTags {
		if n := parseName(tag); n.image != "" {
			return n
		}
	}
	return name{}
}

// readSaved reads manifest.json, or returns nil if it is missing.
func (l *layout) readSaved() ([]savedImage, error) {
	if _, err := fs.Stat(l.files, savedFile); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var images []savedImage
	if err := l.json(savedFile, &images); err != nil {
		return nil, err
	}
	if len(images) > maxImages {
		return nil, fmt.Errorf("%s: must list at most %d images, not %d", savedFile, maxImages, len(images))
	}
	l.names = map[string]name{}
	for _, image := range images {
		l.names[path.Clean(image.Config)] = image.name()
	}
	return images, nil
}

// saved reads the packages of manifest.json. The tar lacks the manifests of the registry, so the digests of the images are
// unknown; the layers are verified by the digests of their content.
func (l *layout) saved(images []savedImage) ([]*Contents, error) {
	var packages []*Contents
	for _, image := range images {
		contents, err := l.savedImage(image)
		if err != nil {
			return nil, err
		}
		if contents != nil {
			packages = append(packages, contents)
		}
	}
	return packages, nil
}

func (l *layout) savedImage(image savedImage) (*Contents, error) {
	config, err := l.savedConfig(image.Config)
	if err != nil {
		return nil, err
	}
	switch n := len(image.Layers); {
	case n > maxLayers:
		return nil, fmt.Errorf("%s: an image must have at most %d layers, not %d", savedFile, maxLayers, n)
	case n != len(config.RootFS.DiffIDs):
		return nil, fmt.Errorf("%s: an image must have the %d layers of its config %q, not %d: save it again",
			savedFile, len(config.RootFS.DiffIDs), shortened(image.Config), n)
	}
	files, hasBase := tree{}, false
	for i, file := range image.Layers {
		read, sum, err := l.savedLayer(file, config.RootFS.DiffIDs[i])
		isBase := config.Config.Labels[baseAnnotation+":"+sum.String()] == baseLayer
		if isBase {
			files, hasBase = tree{}, true
		}
		if err == nil && (isBase || !hasBase) {
			err = files.add(read)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", shortened(file), err)
		}
	}
	contents, err := files.contents(hasBase)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", shortened(image.Config), err)
	}
	if contents != nil {
		contents.setName(image.name())
	}
	return contents, nil
}

// savedConfig reads the config of an image. The file is named by its digest.
func (l *layout) savedConfig(file string) (*v1.Image, error) {
	text, err := l.small(file)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", shortened(file), err)
	}
	named := strings.TrimPrefix(strings.TrimSuffix(path.Base(file), ".json"), "sha256:")
	if sum := digest.FromBytes(text); sum.Encoded() != named {
		return nil, fmt.Errorf("%q: must have the digest that it is named by, not %s: save the image again", shortened(file), sum)
	}
	config := &v1.Image{}
	if err := decodeJSON(text, config); err != nil {
		return nil, fmt.Errorf("%q: %w", shortened(file), err)
	}
	return config, nil
}

func (l *layout) small(file string) ([]byte, error) {
	opened, err := registry.OpenRegular(l.files, path.Clean(file))
	if err != nil {
		return nil, missing(err)
	}
	defer func() { _ = opened.Close() }()
	return registry.ReadLimited(opened, maxDocument)
}

// savedLayer reads a layer and also returns the digest of its file.
func (l *layout) savedLayer(file string, content digest.Digest) (*layer, digest.Digest, error) {
	if err := content.Validate(); err != nil {
		return nil, "", fmt.Errorf("diff_ids of the config must be digests, not %q: %w", shortened(string(content)), err)
	}
	opened, err := registry.OpenRegular(l.files, path.Clean(file))
	if err != nil {
		return nil, "", missing(err)
	}
	defer func() { _ = opened.Close() }()
	sum, verifier := digest.Canonical.Digester(), content.Verifier()
	read, err := readLayer(io.TeeReader(opened, sum.Hash()), l.limits, verifier)
	if err != nil {
		return nil, "", err
	}
	if !verifier.Verified() {
		return nil, "", fmt.Errorf("must have the digest %s, as the config says: save the image again", content)
	}
	return read, sum.Digest(), nil
}

// tarBlock is the size of a tar's header, in bytes.
const tarBlock = 512

// isTar reports whether a file begins like a tar or a compressed file.
func isTar(begin []byte) bool {
	const magic, at = "ustar", 257
	return isCompressed(begin) || len(begin) > at && bytes.HasPrefix(begin[at:], []byte(magic))
}

func isCompressed(begin []byte) bool {
	return bytes.HasPrefix(begin, gzipMagic) || bytes.HasPrefix(begin, zstdMagic)
}
