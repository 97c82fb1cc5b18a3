package pack

import (
	"fmt"
	"io"
)

// Limits of images, beside those of package registry. Packages are not trusted, and nothing of them is written to the disk:
// the limits keep memory and time small. Real packages are far below them.
const (
	// maxKept is the size of the files of all packages of a path.
	maxKept = 1 << 30
	// maxDocument is the size of an index, a manifest or a config of an image: registries accept no more.
	maxDocument = 4 << 20
	// maxNesting is how deep indexes may be in indexes, and how many links may lead to each other.
	maxNesting = 4
	// maxImages is the number of images of a layout or tar, and of an index.
	maxImages = 1_000
	// maxLayers is the number of layers of an image.
	maxLayers = 1_000
	// maxEntries is the number of entries of all tars of a path.
	maxEntries = 1 << 20
	// maxUnpacked is the size of all layers of a path when they are decompressed.
	maxUnpacked = 4 << 30
	// maxRatio is the size of a decompressed layer divided by its compressed size, once it is larger than minBomb.
	maxRatio = 200
	minBomb  = 64 << 20
	// maxInMemory is the size of a tar that must be read as a whole, since it is compressed or from a git revision.
	maxInMemory = 256 << 20
	// maxName is the length of a path in a tar.
	maxName = 4096
)

// budget is what may still be read of a path, all its images together.
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

// keep counts bytes of a package that are kept.
func (b *budget) keep(bytes int) error {
	if b.kept -= int64(bytes); b.kept < 0 {
		return fmt.Errorf("all packages together must have at most %d bytes", int64(maxKept))
	}
	return nil
}

// meter counts what is read through it.
type meter struct {
	io.Reader
	count int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.count += int64(n)
	return n, err
}

// guard ends the reading of a decompressed layer that is too large.
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
