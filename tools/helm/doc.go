// Package helm pins helm, which `make bench` compares with and `make e2e` delivers with.
package helm
