// Package stack is a stub.
package stack
