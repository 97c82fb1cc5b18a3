package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// imageLine is the line of a plugin document with spec.runner.image. The documents in plugins/ have it in block style.
var imageLine = regexp.MustCompile(`(?m)^(  runner:\n    image: )(\S+)$`)

// pin writes the digest of the image into plugin documents, which stay as they are otherwise. It uses docker's credentials,
// and prints a line for each image. An image that has a digest is kept, unless -update is set.
func pin(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("images pin", flag.ContinueOnError)
	flags.SetOutput(stderr)
	mirror := flags.String("mirror", "",
		"`prefix` of a registry that has the images of all registries, such as registry.example.com/mirror")
	update := flags.Bool("update", false, "replace digests with those that the tags have now")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("plugin documents must be named: images pin plugins/*/plugin.yaml")
	}
	pinned := map[string][]byte{}
	for _, file := range flags.Args() {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found := imageLine.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("%s: must have the line image: below spec.runner", file)
		}
		tagged, digest, hasDigest := strings.Cut(string(found[2]), "@")
		if !hasDigest || *update {
			if digest, err = digestOf(tagged, *mirror); err != nil {
				return fmt.Errorf("%s: image %q: %w", file, tagged, err)
			}
		}
		fmt.Fprintf(stdout, "%s@%s\n", tagged, digest)
		pinned[file] = imageLine.ReplaceAll(text, []byte("${1}"+tagged+"@"+digest))
	}
	for file, text := range pinned {
		if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // documents are public
			return err
		}
	}
	return nil
}

// digestOf returns the digest that a registry has for an image with a tag: that of its index if it is for several platforms.
func digestOf(image, mirror string) (string, error) {
	tag, err := name.NewTag(image)
	if err != nil {
		return "", err
	}
	if mirror != "" {
		if tag, err = name.NewTag(mirror + "/" + tag.RepositoryStr() + ":" + tag.TagStr()); err != nil {
			return "", err
		}
	}
	found, err := remote.Head(tag, remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return "", err
	}
	return found.Digest.String(), nil
}
