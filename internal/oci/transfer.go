package oci

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/sync/errgroup"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/errdef"

	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Push stores a bundle under a tag and returns its manifest's digest. Versions that the tag has published must be kept,
// and so must the notes that they are yanked or deprecated. With force these may be dropped; the dropped ones are
// returned.
func Push(ctx context.Context, target oras.Target, tag string, b *Bundle, force bool) (string, []resolve.Change, error) {
	var dropped []resolve.Change
	switch older, _, err := Fetch(ctx, target, tag); {
	case errors.Is(err, errdef.ErrNotFound):
	case err != nil:
		return "", nil, fmt.Errorf("the existing content of %q must be readable: %w", tag, err)
	default:
		if dropped, err = keep(older.Catalog, b.Catalog, force); err != nil {
			return "", nil, err
		}
	}
	store, root, err := b.store(ctx)
	if err != nil {
		return "", nil, err
	}
	if _, err := oras.Copy(ctx, store, root, target, tag, oras.DefaultCopyOptions); err != nil {
		return "", nil, err
	}
	return root, dropped, nil
}

// keep rejects a newer catalog with losses against an older one. With force it returns the losses, but rejects versions
// with another digest anyway.
func keep(older, newer *resolve.CatalogDocument, force bool) (dropped []resolve.Change, err error) {
	losses := resolve.Losses(older, newer)
	refused, hint := make([]string, 0, len(losses)), ""
	for _, c := range losses {
		text := c.Text
		switch {
		case c.Lost != "" && force:
			dropped = append(dropped, c)
			continue
		case c.Lost != "":
			hint = "; --force drops what is not in the new catalog"
		}
		if !c.Breaks() {
			text = "must stay " + c.Lost
		}
		refused = append(refused, c.Subject+": "+text)
	}
	if len(refused) > 0 {
		return nil, errors.New(strings.Join(refused, "; ") + hint)
	}
	return dropped, nil
}

// store returns the blobs of a bundle, and the digest of the manifest.
func (b *Bundle) store(ctx context.Context) (oras.Target, string, error) {
	manifest, err := b.manifest()
	if err != nil {
		return nil, "", err
	}
	store := memory.New()
	put := func(mediaType string, text []byte) v1.Descriptor {
		d := content.NewDescriptorFromBytes(mediaType, text)
		if pushed := store.Push(ctx, d, bytes.NewReader(text)); !errors.Is(pushed, errdef.ErrAlreadyExists) {
			err = errors.Join(err, pushed)
		}
		return d
	}
	put(v1.MediaTypeEmptyJSON, v1.DescriptorEmptyJSON.Data)
	for name, text := range b.Files {
		put(typeOf(name), text)
	}
	root := put(v1.MediaTypeImageManifest, manifest)
	return store, root.Digest.String(), errors.Join(err, store.Tag(ctx, root, root.Digest.String()))
}

// Fetch returns the bundle of a tag or a digest, verified, and its manifest's digest. If it does not exist, the error
// is errdef.ErrNotFound.
func Fetch(ctx context.Context, target oras.ReadOnlyTarget, reference string) (*Bundle, digest.Digest, error) {
	root, err := target.Resolve(ctx, reference)
	if err != nil {
		return nil, "", err
	}
	if root.Size < 0 || root.Size > maxManifest {
		return nil, "", fmt.Errorf("the manifest must have at most %d bytes, not %d", maxManifest, root.Size)
	}
	text, err := content.FetchAll(ctx, target, root)
	if err != nil {
		return nil, "", fetchError("the manifest", err)
	}
	var m v1.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, "", fmt.Errorf("the manifest must be JSON: %w", err)
	}
	if err := check(&m); err != nil {
		return nil, "", err
	}
	b := &Bundle{}
	if b.Files, err = fetchAll(ctx, target, m.Layers); err != nil {
		return nil, "", err
	}
	return b, root.Digest, b.verify()
}

// parallelFetches is the number of blobs that are fetched at once.
const parallelFetches = 8

func fetchAll(ctx context.Context, target content.Fetcher, layers []v1.Descriptor) (map[string][]byte, error) {
	files := make(map[string][]byte, len(layers))
	var lock sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFetches)
	for _, layer := range layers {
		group.Go(func() error {
			name := layer.Annotations[v1.AnnotationTitle]
			text, err := content.FetchAll(ctx, target, layer)
			if err != nil {
				return fetchError(name, err)
			}
			lock.Lock()
			defer lock.Unlock()
			files[name] = text
			return nil
		})
	}
	return files, group.Wait()
}

// fetchError is an error of a blob. It hides errdef.ErrNotFound: a missing blob is not a missing tag.
func fetchError(name string, err error) error {
	var stalled *stalledError
	if errors.As(err, &stalled) {
		return fmt.Errorf("%s: %w", name, stalled)
	}
	return fmt.Errorf("%s must be what its OCI digest says: %w", name, errors.New(err.Error()))
}
