// Package actionlint pins actionlint, with which `make lint` checks the workflows of GitHub.
package actionlint
