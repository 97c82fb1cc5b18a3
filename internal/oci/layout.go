package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/opencontainers/image-spec/specs-go"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/errdef"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// layout is a locked folder in OCI layout to write to. Each file is replaced as a whole: the store of oras writes
// index.json in place, so a full disk would lose all tags, and its storage leaves temporary files of blobs.
type layout struct {
	*oci.ReadOnlyStorage
	folder string
	lock   *atomicfile.FolderLock
}

// openLayout opens and locks a folder, which it creates if it does not exist.
func openLayout(ctx context.Context, folder string) (*layout, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	lock, err := atomicfile.LockFolder(ctx, folder)
	if err != nil {
		return nil, err
	}
	l := &layout{oci.NewStorageFromFS(os.DirFS(folder)), folder, lock}
	if l.has(v1.ImageIndexFile) {
		if _, err := oci.NewFromFS(ctx, os.DirFS(folder)); err != nil { // it must be valid before anything is added
			lock.Unlock()
			return nil, err
		}
	}
	return l, nil
}

// has reports whether the folder has a file.
func (l *layout) has(name string) bool {
	_, err := os.Stat(filepath.Join(l.folder, name))
	return err == nil
}

// Close lets other commands write.
func (l *layout) Close() error {
	l.lock.Unlock()
	return nil
}

// Push stores a blob after verifying its size and digest.
func (l *layout) Push(_ context.Context, blob v1.Descriptor, from io.Reader) error {
	name := path.Join(v1.ImageBlobsDir, blob.Digest.Algorithm().String(), blob.Digest.Encoded())
	if l.has(name) {
		return fmt.Errorf("%s: %w", blob.Digest, errdef.ErrAlreadyExists)
	}
	text, err := content.ReadAll(from, blob)
	if err != nil {
		return err
	}
	return l.replace(name, text)
}

// Resolve returns the manifest of a tag.
func (l *layout) Resolve(_ context.Context, tag string) (v1.Descriptor, error) {
	index, err := l.index()
	if err != nil {
		return v1.Descriptor{}, err
	}
	for _, m := range index.Manifests {
		if m.Annotations[v1.AnnotationRefName] == tag {
			return m, nil
		}
	}
	return v1.Descriptor{}, fmt.Errorf("%s: %w", tag, errdef.ErrNotFound)
}

// Tag sets a tag to a manifest. The previous manifest stays listed, so that it can be pulled by its digest.
func (l *layout) Tag(_ context.Context, root v1.Descriptor, tag string) error {
	index, err := l.index()
	if err != nil {
		return err
	}
	root.Annotations = map[string]string{v1.AnnotationRefName: tag}
	manifests := []v1.Descriptor{root}
	for _, m := range index.Manifests {
		if m.Annotations[v1.AnnotationRefName] == tag {
			m.Annotations = maps.Clone(m.Annotations)
			delete(m.Annotations, v1.AnnotationRefName)
		}
		isListed := func(other v1.Descriptor) bool { return other.Digest == m.Digest }
		if m.Annotations[v1.AnnotationRefName] != "" || !slices.ContainsFunc(manifests, isListed) {
			manifests = append(manifests, m)
		}
	}
	index.Manifests = manifests
	if !l.has(v1.ImageLayoutFile) {
		if err := l.write(v1.ImageLayoutFile, v1.ImageLayout{Version: v1.ImageLayoutVersion}); err != nil {
			return err
		}
	}
	return l.write(v1.ImageIndexFile, index)
}

// index reads the index, an empty one if it does not exist yet.
func (l *layout) index() (*v1.Index, error) {
	index := &v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex}
	text, err := os.ReadFile(filepath.Join(l.folder, v1.ImageIndexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return index, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, index); err != nil {
		return nil, fmt.Errorf("%s of %s must be JSON: %w", v1.ImageIndexFile, l.folder, err)
	}
	return index, nil
}

// write replaces a file of the folder with the JSON of a value.
func (l *layout) write(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return l.replace(name, text)
}

// replace replaces a file of the folder.
func (l *layout) replace(name string, text []byte) error {
	if err := l.lock.Replace(name, text); err != nil {
		return atomicfile.NotChanged(filepath.Join(l.folder, name), err)
	}
	return nil
}
