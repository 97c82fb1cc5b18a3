// Package kubernetes pins the parts of a Kubernetes node, which `make node` builds for test/node.
package kubernetes
