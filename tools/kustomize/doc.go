// Package kustomize pins the kustomize that `make demo` and test/integration/orchestrator run.
package kustomize
