//go:build !linux && !windows

package process

func supported() error { return nil }
