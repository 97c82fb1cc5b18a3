// Package kustomize pins the kustomize that `make demo` and test/orchestrator run.
package kustomize
