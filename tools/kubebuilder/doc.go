// Package kubebuilder pins kubebuilder, which tests run external plugins with.
package kubebuilder
