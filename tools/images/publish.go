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

// publish makes every image before it writes the first, so that one that is too large leaves nothing behind, and prints
// sizes and digests.
func publish(o options, products []product, staging string, stdout io.Writer) error {
	made := make([][]built, len(products))
	findings := make([]error, 0, len(products)*len(o.platforms))
	for i, p := range products {
		for _, platform := range o.platforms {
			b, err := newBuilt(p, o.release, platform, staging)
			findings = append(findings, err)
			made[i] = append(made[i], b)
		}
	}
	if err := errors.Join(findings...); err != nil {
		return err
	}
	for i, p := range products {
		if err := write(o, p, made[i], stdout); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// write leaves the layout output/NAME with all platforms and the archive output/NAME.tar with the host's.
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

// writeLayout replaces the folder by an OCI image layout whose one entry is the index.
func writeLayout(folder string, reference name.Tag, index v1.ImageIndex) error {
	draft := folder + ".draft"
	if err := os.RemoveAll(draft); err != nil {
		return err
	}
	path, err := layout.Write(draft, empty.Index)
	if err != nil {
		return err
	}
	// containerd reads the full name, other tools the tag.
	err = path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"io.containerd.image.name":          reference.Name(),
		"org.opencontainers.image.ref.name": reference.TagStr(),
	}))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(draft, folder)
}

// writeArchive replaces the file by an archive for `docker load` and `ctr images import`.
func writeArchive(file string, reference name.Tag, image v1.Image) error {
	draft := file + ".draft"
	if err := tarball.WriteToFile(draft, reference, image); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

// hostPlatform is what containers on this machine are.
const hostPlatform = "linux/" + runtime.GOARCH

// hostImage is the one of the host's platform, or else the first.
func hostImage(images []built) v1.Image {
	for _, b := range images {
		if b.platform == hostPlatform {
			return b.image
		}
	}
	return images[0].image
}
