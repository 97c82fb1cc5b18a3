// Package kustomize pins the kustomize that `make demo` and the tests of orchestrators run.
package kustomize
