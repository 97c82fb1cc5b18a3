// Package helm4 pins helm 4, which runs the post-renderer of helm/ in tests.
package helm4
