package cli

import (
	"net/url"
	"path/filepath"
)

// sourceRoot is the name by which readers of SARIF know the root of the sources.
const sourceRoot = "%SRCROOT%"

// artifact names a file for SARIF: relative to the working folder where it is below that.
func artifact(file, folder string) sarifArtifact {
	if !filepath.IsAbs(file) {
		return sarifArtifact{URI: relativeURI(file), Base: sourceRoot}
	}
	if below, err := filepath.Rel(folder, file); folder != "" && err == nil && filepath.IsLocal(below) {
		return sarifArtifact{URI: relativeURI(filepath.ToSlash(below)), Base: sourceRoot}
	}
	return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: file}).String()}
}

func relativeURI(file string) string { return (&url.URL{Path: file}).String() }
