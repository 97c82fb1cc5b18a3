package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// program is a Go program in an archive.
type program struct {
	name   string
	sha256 string
	info   *buildinfo.BuildInfo
}

// maxFile limits the size of a file in an archive, in bytes.
const maxFile = 256 << 20

// readPrograms returns the Go programs in a .tar.gz or .zip archive, in its order.
func readPrograms(path string) ([]program, error) {
	var programs []program
	visit := func(name string, content io.Reader) error {
		p, err := readProgram(name, content)
		if p != nil {
			programs = append(programs, *p)
		}
		return err
	}
	var err error
	switch {
	case strings.HasSuffix(path, ".zip"):
		err = walkZip(path, visit)
	case strings.HasSuffix(path, ".tar.gz"):
		err = walkTar(path, visit)
	default:
		err = errors.New("the name must end in .tar.gz or .zip")
	}
	if err == nil && len(programs) == 0 {
		err = errors.New("the archive must contain a Go program")
	}
	return programs, err
}

// readProgram returns nil if the file is not a Go program.
func readProgram(name string, content io.Reader) (*program, error) {
	data, err := io.ReadAll(io.LimitReader(content, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s must have at most %d bytes", name, maxFile)
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // a license or a completion script
	}
	sum := sha256.Sum256(data)
	return &program{name: name, sha256: hex.EncodeToString(sum[:]), info: info}, nil
}

func walkTar(path string, visit func(string, io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(header.Name, archive); err != nil {
			return err
		}
	}
}

func walkZip(path string, visit func(string, io.Reader) error) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	for _, entry := range archive.File {
		if !entry.Mode().IsRegular() {
			continue
		}
		content, err := entry.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(visit(entry.Name, content), content.Close()); err != nil {
			return err
		}
	}
	return nil
}
