// Package helm pins helm, the peer of `make bench` and one of those who deliver in `make e2e`.
package helm
