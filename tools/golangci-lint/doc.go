// Package golangcilint pins golangci-lint, with which `make lint` checks the Go code.
package golangcilint
