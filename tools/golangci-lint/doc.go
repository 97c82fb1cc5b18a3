// Package golangcilint pins golangci-lint, which `make lint` uses to check the Go code.
package golangcilint
