// Package kubebuilder45 pins kubebuilder v4.5.1, the last release that tells external plugins neither the chain nor the
// project.
package kubebuilder45
