package pack

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// archive provides the files of a tar as an fs.FS. It keeps only their positions in memory.
type archive struct {
	from    io.ReaderAt
	entries map[string]archived
}

// archived is a file, or a link to another file.
type archived struct {
	offset, size int64
	link         string // the path of the linked file, empty for a file
}

// openArchive lists the entries of a tar.
func openArchive(from io.ReaderAt, size int64, limits *budget) (*archive, error) {
	a := &archive{from: from, entries: map[string]archived{}}
	section := io.NewSectionReader(from, 0, size)
	err := eachEntry(section, limits, func(name string, header *tar.Header, _ io.Reader) error {
		if header.Typeflag == tar.TypeDir {
			return nil
		}
		entry := archived{size: header.Size}
		switch header.Typeflag {
		case tar.TypeReg:
			var err error
			if entry.offset, err = section.Seek(0, io.SeekCurrent); err != nil {
				return err
			}
		case tar.TypeSymlink:
			entry.link = path.Join(path.Dir(name), header.Linkname)
		case tar.TypeLink:
			entry.link = path.Clean(header.Linkname)
		default:
			return registry.ErrDevice
		}
		if entry.link != "" && (!fs.ValidPath(entry.link) || path.IsAbs(header.Linkname)) {
			return fmt.Errorf("must not link to %q, which is outside of the archive", header.Linkname)
		}
		if _, twice := a.entries[name]; twice {
			return errTwice
		}
		a.entries[name] = entry
		return nil
	})
	return a, err
}

// Open implements fs.FS.
func (a *archive) Open(name string) (fs.File, error) {
	at := name
	for range maxNesting {
		entry, ok := a.entries[at]
		switch {
		case !ok:
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case entry.link == "":
			return &archivedFile{name: name, SectionReader: io.NewSectionReader(a.from, entry.offset, entry.size)}, nil
		}
		at = entry.link
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: errLinks}
}

// archivedFile is an open file of a tar.
type archivedFile struct {
	*io.SectionReader
	name string
}

// Stat implements fs.File.
func (f *archivedFile) Stat() (fs.FileInfo, error) {
	return (&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: f.Size()}).FileInfo(), nil
}

// Close implements fs.File.
func (f *archivedFile) Close() error { return nil }

var errTwice = errors.New("must be in the archive once: build it again")

// eachEntry calls a function for each entry of a tar, with its clean name. An error names the entry.
func eachEntry(r io.Reader, limits *budget, each func(name string, header *tar.Header, content io.Reader) error) error {
	tape := tar.NewReader(r)
	for {
		header, err := tape.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		if err := limits.entry(); err != nil {
			return err
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		name, err := entryName(header)
		if err == nil && name != "." {
			err = each(name, header, tape)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", shortened(header.Name), damaged(err))
		}
	}
}

// damaged rewords the errors of the tar and gzip libraries.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("must be complete: it ends too early; copy or build it again")
	case errors.Is(err, tar.ErrHeader):
		return errors.New("must be a tar that is not damaged: copy or build it again")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return errors.New("must be gzip that is not damaged: copy or build it again")
	}
	return err
}

// entryName returns the clean name of an entry.
func entryName(header *tar.Header) (string, error) {
	name := path.Clean(header.Name)
	switch {
	case len(header.Name) > maxName || strings.Count(name, "/") >= registry.MaxDepth:
		return "", fmt.Errorf("the path must have at most %d bytes and %d elements", maxName, registry.MaxDepth)
	case path.IsAbs(name):
		return "", errors.New("the path must be relative: build the archive again without absolute paths")
	case slices.Contains(strings.Split(header.Name, "/"), ".."):
		return "", errors.New(`the path must not lead out of the archive: build it again without ".."`)
	case isSparse(header):
		return "", errors.New("must not be sparse: build the archive again without sparse files")
	}
	return name, nil
}

// isSparse reports whether an entry has holes: a few bytes can claim a hole of any size.
func isSparse(header *tar.Header) bool {
	if header.Typeflag == tar.TypeGNUSparse {
		return true
	}
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// shortened truncates a long name for a message.
func shortened(name string) string {
	const most = 100
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// The first bytes of compressed files.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompress returns the content of a file that is compressed with gzip or not compressed, depending on its first bytes.
func decompress(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(len(zstdMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case bytes.HasPrefix(magic, gzipMagic):
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, damaged(err)
		}
		return unzipped, nil
	case bytes.Equal(magic, zstdMagic):
		return nil, errors.New("must be compressed with gzip, not with zstd: " +
			"build the image with compression=gzip,force-compression=true")
	}
	return buffered, nil
}

// readWhole reads a compressed archive into memory. If possible, it reads the file twice, first for its decompressed size:
// a growing buffer takes more than twice as much memory, and a small file may decompress to a large archive.
func readWhole(file io.Reader) ([]byte, error) {
	content, err := decompressed(file)
	if err != nil {
		return nil, err
	}
	again, isSeeker := file.(io.Seeker)
	if !isSeeker {
		text, err := registry.ReadLimited(content, maxInMemory)
		return text, damaged(err)
	}
	size, err := io.Copy(io.Discard, io.LimitReader(content, maxInMemory+1))
	if err == nil && size > maxInMemory {
		err = registry.TooLarge(maxInMemory)
	}
	if err != nil {
		return nil, damaged(err)
	}
	if _, err := again.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if content, err = decompressed(file); err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err = io.ReadFull(content, text)
	return text, damaged(err)
}

// decompressed calls decompress and limits the content.
func decompressed(file io.Reader) (io.Reader, error) {
	compressed := &meter{Reader: file}
	content, err := decompress(compressed)
	if err != nil {
		return nil, err
	}
	return &guard{Reader: content, compressed: compressed, budget: newBudget()}, nil
}
