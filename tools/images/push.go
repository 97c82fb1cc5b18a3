package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// refName is the annotation of a layout's index with the tag.
const refName = "org.opencontainers.image.ref.name"

// stored is an image in a folder, with the reference that it gets in a registry.
type stored struct {
	name   string
	tag    name.Tag
	index  v1.ImageIndex
	digest v1.Hash
}

func (s stored) String() string { return s.tag.String() + "@" + s.digest.String() }

// push pushes the images in a folder to a registry without changing their digests. It prints a reference for each, and the
// line of rplug.yaml with the helper image. It uses docker's credentials.
func push(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("images push", flag.ContinueOnError)
	flags.SetOutput(stderr)
	folder := flags.String("images", "../../bin/images", "`folder` that images were written to")
	registry := flags.String("registry", "", "`prefix` of the images in a registry, such as registry.example.com/mirror")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *registry == "" {
		return errors.New("-registry must be set: make push REGISTRY=registry.example.com/mirror")
	}
	images, err := readImages(*folder, *registry)
	if err != nil {
		return err
	}
	for _, s := range images {
		if err := remote.WriteIndex(s.tag, s.index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return fmt.Errorf("push %s: %w", s.tag, err)
		}
		fmt.Fprintln(stdout, s)
	}
	for _, s := range images {
		if s.name == runtimeProduct.name {
			fmt.Fprintf(stdout, "helperImage: %s\n", s)
		}
	}
	return nil
}

// readImages reads all layouts in a folder, sorted by name.
func readImages(folder, registry string) ([]stored, error) {
	layouts, err := filepath.Glob(filepath.Join(folder, "*", "index.json"))
	if err != nil {
		return nil, err
	}
	if len(layouts) == 0 {
		return nil, fmt.Errorf("%s must contain images: run make images", folder)
	}
	images := make([]stored, 0, len(layouts))
	for _, file := range layouts {
		s, err := readImage(filepath.Dir(file), registry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Dir(file), err)
		}
		images = append(images, s)
	}
	return images, nil
}

func readImage(folder, registry string) (stored, error) {
	top, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return stored{}, err
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		return stored{}, err
	}
	if len(manifest.Manifests) != 1 {
		return stored{}, fmt.Errorf("index.json must have 1 manifest, not %d: run make images", len(manifest.Manifests))
	}
	s := stored{name: filepath.Base(folder), digest: manifest.Manifests[0].Digest}
	reference := registry + "/" + s.name + ":" + manifest.Manifests[0].Annotations[refName]
	if s.tag, err = name.NewTag(reference, name.StrictValidation); err != nil {
		return stored{}, err
	}
	if s.index, err = top.ImageIndex(s.digest); err != nil {
		return stored{}, err
	}
	if _, err := os.Stat(filepath.Join(folder, "blobs", s.digest.Algorithm, s.digest.Hex)); err != nil {
		return stored{}, err
	}
	return s, nil
}
