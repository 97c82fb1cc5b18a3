package ociimage

import (
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/rogpeppe/go-internal/testscript"
)

// Script implements the testscript command `image OUT NAME FILE…`. It builds an image with the files or folders, which have
// the same paths in the image, and writes it as an OCI layout: a tar if OUT ends in .tar or .xpkg, otherwise a folder.
func Script(ts *testscript.TestScript, _ bool, args []string) {
	const least = 3
	if len(args) < least {
		ts.Fatalf("usage: image OUT NAME FILE…")
	}
	var entries []Entry
	for _, name := range args[2:] {
		ts.Check(filepath.WalkDir(ts.MkAbs(name), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			below, err := filepath.Rel(ts.MkAbs("."), path)
			entries = append(entries, File(filepath.ToSlash(below), ts.ReadFile(path)))
			return err
		}))
	}
	layout := New()
	// Without compression, the digest does not depend on the version of Go.
	layer := layout.Blob(v1.MediaTypeImageLayer, Tar(entries...))
	files := layout.List(layout.Manifest(layer), args[1]).Done()
	out := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(out), 0o755))
	if strings.HasSuffix(out, ".tar") || strings.HasSuffix(out, ".xpkg") {
		ts.Check(os.WriteFile(out, TarOf(files), 0o600))
		return
	}
	ts.Check(os.RemoveAll(out))
	ts.Check(os.CopyFS(out, files))
}
