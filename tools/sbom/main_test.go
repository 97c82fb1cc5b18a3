package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tarball writes an archive with files; zipped writes a .zip.
func tarball(t *testing.T, path string, files map[string][]byte) string {
	t.Helper()
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for name, content := range files {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(content))}))
		_, err := archive.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

func zipped(t *testing.T, path string, files map[string][]byte) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, content := range files {
		entry, err := archive.Create(name)
		require.NoError(t, err)
		_, err = entry.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// own is a real Go program with modules: this test.
func own(t *testing.T) []byte {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return content
}

func TestRun_listsProgramsAndModules(t *testing.T) {
	t.Parallel()
	content := own(t)
	files := map[string][]byte{"sbom.test": content, "LICENSE": []byte("Apache")}
	for _, archive := range []string{
		tarball(t, filepath.Join(t.TempDir(), "a.tar.gz"), files), zipped(t, filepath.Join(t.TempDir(), "a.zip"), files),
	} {
		output := archive + ".cdx.json"
		require.NoError(t, run([]string{"-version", "v9.9.9", "-output", output, archive}, io.Discard))
		text, err := os.ReadFile(output)
		require.NoError(t, err)
		var bom cdx.BOM
		require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom))
		assert.Equal(t, filepath.Base(archive), bom.Metadata.Component.Name)
		assert.Empty(t, bom.SerialNumber)
		assert.Empty(t, bom.Metadata.Timestamp)

		first := (*bom.Components)[0]
		sum := sha256.Sum256(content)
		assert.Equal(t, hex.EncodeToString(sum[:]), (*first.Hashes)[0].Value)
		assert.Equal(t, "v9.9.9", first.Version)
		var found []string
		for _, component := range (*bom.Components)[1:] {
			found = append(found, component.PackageURL)
		}
		assert.Contains(t, strings.Join(found, "\n"), "pkg:golang/github.com/CycloneDX/cyclonedx-go@v")
		assert.Contains(t, found, "pkg:golang/stdlib@"+strings.TrimPrefix(runtime.Version(), "go"))

		require.NoError(t, run([]string{"-version", "v9.9.9", "-output", output, archive}, io.Discard))
		again, err := os.ReadFile(output)
		require.NoError(t, err)
		assert.Equal(t, string(text), string(again))
	}
}

func TestRun_refuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	empty := tarball(t, filepath.Join(folder, "a.tar.gz"), map[string][]byte{"LICENSE": []byte("Apache")})
	broken := filepath.Join(folder, "broken.tar.gz")
	require.NoError(t, os.WriteFile(broken, []byte("no archive"), 0o600))
	output := filepath.Join(folder, "out.json")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no version":   {[]string{"-output", output, empty}, "-version, -output and one archive must be given"},
		"no archive":   {[]string{"-version", "v1", "-output", output}, "-version, -output and one archive must be given"},
		"no program":   {[]string{"-version", "v1", "-output", output, empty}, "the archive must contain a Go program"},
		"other format": {[]string{"-version", "v1", "-output", output, "a.rar"}, "a.rar: the name must end in .tar.gz or .zip"},
		"broken":       {[]string{"-version", "v1", "-output", output, broken}, "gzip: invalid header"},
	} {
		require.ErrorContains(t, run(test.args, io.Discard), test.want, name)
		assert.NoFileExists(t, output, name)
	}
}
