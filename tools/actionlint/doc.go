// Package actionlint pins actionlint, which `make lint` uses to check the GitHub workflows.
package actionlint
