// Package kubernetes pins the components of a Kubernetes node, which `make node` builds for test/cluster/node.
package kubernetes
