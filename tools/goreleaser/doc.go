// Package goreleaser pins GoReleaser, which builds the archives, packages and manifests of a release.
package goreleaser
