package pack

import (
	"fmt"
	"io"
)

// Limits of images, in addition to those of package registry. Packages are not trusted and never written to disk, so the
// limits bound memory and time. Real packages are far below them.
const (
	// maxKept is the maximum size of the files of all packages at a path.
	maxKept = 1 << 30
	// maxDocument is the maximum size of an index, manifest or config of an image. Registries accept no more.
	maxDocument = 4 << 20
	// maxNesting is the maximum nesting of indexes, and the maximum length of a chain of links.
	maxNesting = 4
	// maxImages is the maximum number of images of a layout or tar, and of an index.
	maxImages = 1_000
	// maxLayers is the maximum number of layers of an image.
	maxLayers = 1_000
	// maxEntries is the maximum number of entries of all tars at a path.
	maxEntries = 1 << 20
	// maxUnpacked is the maximum size of all decompressed layers at a path.
	maxUnpacked = 4 << 30
	// maxRatio is the maximum ratio of decompressed to compressed size, for layers that decompress to more than minBomb.
	maxRatio = 200
	minBomb  = 64 << 20
	// maxInMemory is the maximum size of a tar that is read into memory because it is compressed or from a git revision.
	maxInMemory = 256 << 20
	// maxName is the maximum length of a path in a tar.
	maxName = 4096
)

// budget holds the remaining limits of a path, which all its images share.
type budget struct {
	entries        int
	unpacked, kept int64
}

func newBudget() *budget { return &budget{entries: maxEntries, unpacked: maxUnpacked, kept: maxKept} }

// entry counts an entry of a tar.
func (b *budget) entry() error {
	if b.entries--; b.entries < 0 {
		return fmt.Errorf("must have at most %d entries: it looks like an archive bomb", maxEntries)
	}
	return nil
}

// keep counts the bytes of a package file that is kept in memory.
func (b *budget) keep(bytes int) error {
	if b.kept -= int64(bytes); b.kept < 0 {
		return fmt.Errorf("all packages together must have at most %d bytes", int64(maxKept))
	}
	return nil
}

// meter counts the bytes that are read through it.
type meter struct {
	io.Reader
	count int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.count += int64(n)
	return n, err
}

// guard stops reading a layer when its decompressed size is too large.
type guard struct {
	io.Reader
	compressed *meter
	count      int64
	budget     *budget
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	g.count += int64(n)
	switch g.budget.unpacked -= int64(n); {
	case g.budget.unpacked < 0:
		return n, fmt.Errorf("must have at most %d bytes decompressed, all layers together: remove images that are no packages",
			int64(maxUnpacked))
	case g.count > minBomb && g.count > maxRatio*g.compressed.count:
		return n, fmt.Errorf("must not be more than %d times as large when it is decompressed: it looks like an archive bomb",
			maxRatio)
	}
	return n, err
}
