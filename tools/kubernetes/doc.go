// Package kubernetes pins the components of a Kubernetes node, which `make node` builds for test/node.
package kubernetes
