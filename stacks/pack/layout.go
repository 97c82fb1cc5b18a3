package pack

import (
	_ "crypto/sha256" // for digests
	_ "crypto/sha512" // for digests
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// layout reads images from an OCI layout: https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
type layout struct {
	files  fs.FS
	limits *budget
	names  map[string]name // image names by the path of the config, from manifest.json
}

// Docker's media type of an index, the annotation of manifests that describe other manifests instead of an image, and
// containerd's annotation with the image name.
const (
	dockerIndex          = "application/vnd.docker.distribution.manifest.list.v2+json"
	attestation          = "vnd.docker.reference.type"
	containerdAnnotation = "io.containerd.image.name"
)

// read returns the packages of the layout. Images without a package are skipped.
func (l *layout) read() ([]*Contents, error) {
	var version v1.ImageLayout
	if err := l.json(v1.ImageLayoutFile, &version); err != nil {
		return nil, err
	}
	if version.Version != v1.ImageLayoutVersion {
		return nil, fmt.Errorf("%s: imageLayoutVersion must be %q, not %q", v1.ImageLayoutFile, v1.ImageLayoutVersion,
			shortened(version.Version))
	}
	roots, err := l.roots()
	if err != nil {
		return nil, err
	}
	var packages []*Contents
	seen := map[digest.Digest]*Contents{}
	for _, root := range roots {
		manifest, err := l.resolve(root, 0)
		if err != nil {
			return nil, err
		}
		contents, twice := seen[manifest.Digest]
		if !twice {
			if contents, err = l.image(manifest); err != nil {
				return nil, err
			}
			if seen[manifest.Digest] = contents; contents != nil {
				packages = append(packages, contents)
			}
		}
		if contents != nil && contents.Image == "" {
			contents.setName(nameIn(root.Annotations))
		}
	}
	return packages, nil
}

// roots returns the descriptors of index.json. Several descriptors without names, each for a platform, are variants of one
// image, of which roots returns only one.
func (l *layout) roots() ([]v1.Descriptor, error) {
	var index v1.Index
	if err := l.json(v1.ImageIndexFile, &index); err != nil {
		return nil, err
	}
	if err := checkCount(index); err != nil {
		return nil, fmt.Errorf("%s: %w", v1.ImageIndexFile, err)
	}
	isVariant := func(d v1.Descriptor) bool { return d.Platform != nil && nameIn(d.Annotations) == name{} }
	if len(index.Manifests) > 1 && !slices.ContainsFunc(index.Manifests, func(d v1.Descriptor) bool { return !isVariant(d) }) {
		chosen, err := choose(index)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v1.ImageIndexFile, err)
		}
		return []v1.Descriptor{chosen}, nil
	}
	return index.Manifests, nil
}

func checkCount(index v1.Index) error {
	switch n := len(index.Manifests); {
	case n == 0:
		return errors.New("must list an image: there is none")
	case n > maxImages:
		return fmt.Errorf("must list at most %d images, not %d", maxImages, n)
	}
	return nil
}

// resolve returns the descriptor of a manifest. For an index, it chooses one of the manifests in it.
func (l *layout) resolve(d v1.Descriptor, nesting int) (v1.Descriptor, error) {
	if d.MediaType != v1.MediaTypeImageIndex && d.MediaType != dockerIndex {
		return d, nil
	}
	at := blobPath(d.Digest)
	if nesting == maxNesting {
		return d, fmt.Errorf("%s: indexes must not be nested deeper than %d", at, maxNesting)
	}
	var index v1.Index
	if err := l.document(d, &index); err != nil {
		return d, err
	}
	err := checkCount(index)
	if err == nil {
		d, err = choose(index)
	}
	if err != nil {
		return d, fmt.Errorf("%s: %w", at, err)
	}
	return l.resolve(d, nesting+1)
}

// choose returns the image of an index: its only one, or the first for linux/amd64. An image without a platform counts as
// linux/amd64. Manifests that describe other manifests are ignored.
func choose(index v1.Index) (v1.Descriptor, error) {
	images := slices.DeleteFunc(slices.Clone(index.Manifests), func(d v1.Descriptor) bool {
		return d.Annotations[attestation] != ""
	})
	if len(images) == 1 {
		return images[0], nil
	}
	const system, architecture = "linux", "amd64"
	for _, d := range images {
		if p := d.Platform; p == nil || p.OS == system && p.Architecture == architecture {
			return d, nil
		}
	}
	return v1.Descriptor{}, fmt.Errorf("must have an image for %s/%s: copy that platform, too", system, architecture)
}

// json reads a file that is not a blob.
func (l *layout) json(name string, into any) error {
	file, err := registry.OpenRegular(l.files, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, missing(err))
	}
	defer func() { _ = file.Close() }()
	text, err := registry.ReadLimited(file, maxDocument)
	if err == nil {
		err = decodeJSON(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, damaged(err))
	}
	return nil
}

func decodeJSON(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("must be valid JSON: %w", err)
	}
	return nil
}

// document reads an index, a manifest or a config.
func (l *layout) document(d v1.Descriptor, into any) error {
	if d.Size > maxDocument {
		return fmt.Errorf("%s: %w", blobPath(d.Digest), registry.TooLarge(maxDocument))
	}
	return l.blob(d, func(r io.Reader) error {
		text, err := registry.ReadLimited(r, maxDocument)
		if err != nil {
			return err
		}
		return decodeJSON(text, into)
	})
}

// blob reads a blob with a function and then checks its size and digest. The function's results are valid only if blob
// returns no error.
func (l *layout) blob(d v1.Descriptor, use func(io.Reader) error) error {
	if err := d.Digest.Validate(); err != nil {
		return fmt.Errorf("digest must be valid, not %q: %w", shortened(string(d.Digest)), err)
	}
	at := blobPath(d.Digest)
	file, err := registry.OpenRegular(l.files, at)
	if err != nil {
		return fmt.Errorf("%s: %w", at, missing(err))
	}
	defer func() { _ = file.Close() }()
	verifier := d.Digest.Verifier()
	read := &meter{Reader: io.TeeReader(io.LimitReader(file, d.Size+1), verifier)}
	err = use(read)
	if _, err := io.Copy(io.Discard, read); err != nil {
		return fmt.Errorf("%s: %w", at, damaged(err))
	}
	switch {
	case read.count != d.Size:
		return fmt.Errorf("%s: must have %d bytes, as the image says, and has %s: copy the image again", at, d.Size,
			sizeText(file, read.count))
	case !verifier.Verified():
		return fmt.Errorf("%s: must have the digest that it is named by: copy the image again", at)
	case err != nil:
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// sizeText returns the size of a file, or the number of bytes read if the size is unknown.
func sizeText(file fs.File, read int64) string {
	if info, err := file.Stat(); err == nil {
		read = info.Size()
	}
	return strconv.FormatInt(read, 10)
}

func blobPath(d digest.Digest) string {
	if d.Validate() != nil {
		return "blobs"
	}
	return path.Join(v1.ImageBlobsDir, d.Algorithm().String(), d.Encoded())
}

// missing rewords the error of opening a file of an image.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("must be in the image and is not: copy the image again")
	}
	return registry.Reason(err)
}
