package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// publish builds all images before it writes any, so that nothing is written if one is too large. It prints sizes and
// digests.
func publish(o options, products []product, staging string, stdout io.Writer) error {
	images := make([][]built, len(products))
	errs := make([]error, 0, len(products)*len(o.platforms))
	for i, p := range products {
		for _, platform := range o.platforms {
			b, err := newBuilt(p, o.release, platform, staging)
			errs = append(errs, err)
			images[i] = append(images[i], b)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, p := range products {
		if err := write(o, p, images[i], stdout); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// write writes the layout output/NAME with all platforms and the archive output/NAME.tar with the host's.
func write(o options, p product, images []built, stdout io.Writer) error {
	index, err := newIndex(p, o.release, images)
	if err != nil {
		return err
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	reference, err := name.NewTag(o.release.names.reference(p.name), name.StrictValidation)
	if err != nil {
		return err
	}
	if err := writeLayout(filepath.Join(o.output, p.name), reference, index); err != nil {
		return err
	}
	if err := writeArchive(filepath.Join(o.output, p.name+".tar"), reference, hostImage(images)); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s@%s\n", reference, digest)
	for _, b := range images {
		fmt.Fprintf(stdout, "  %-12s %5.2f MB compressed\n", b.platform, float64(b.compressed)/megabyte)
	}
	return nil
}

// writeLayout replaces the folder with an OCI image layout whose only entry is the index.
func writeLayout(folder string, reference name.Tag, index v1.ImageIndex) error {
	temporary := folder + ".temporary"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	path, err := layout.Write(temporary, empty.Index)
	if err != nil {
		return err
	}
	// containerd reads the full name, other tools the tag.
	err = path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name": reference.Name(),
		refName:                    reference.TagStr(),
	}))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(temporary, folder)
}

// writeArchive replaces the file with an archive for `docker load` and `ctr images import`.
func writeArchive(file string, reference name.Tag, image v1.Image) error {
	temporary := file + ".temporary"
	if err := tarball.WriteToFile(temporary, reference, image); err != nil {
		return err
	}
	return os.Rename(temporary, file)
}

// hostPlatform is the platform of containers on this machine.
const hostPlatform = "linux/" + runtime.GOARCH

// hostImage returns the image for the host's platform, or the first.
func hostImage(images []built) v1.Image {
	for _, b := range images {
		if b.platform == hostPlatform {
			return b.image
		}
	}
	return images[0].image
}
