// Package resolveversion is the KRM function resolve-version: it pins the versions that sandboxes and install requests
// refer to. Its main runs New; Resolve processes a list.
package resolveversion

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// New returns the KRM function resolve-version.
func New(extensions ...extension.Extension) cli.Function {
	return cli.Function{
		Name:    "resolve-version",
		Purpose: "pins what sandboxes and install requests refer to, and records what was asked for and the digest.",
		Kind:    "ResolveVersion",
		Example: "resolve-version plugins/ sandbox.yaml | render-phase -\n" +
			"resolve-version --write-lock plugin-lock.yaml .",
		Modes: func() []cli.Mode {
			return []cli.Mode{&cli.Printing{Edited: true}, &cli.Pins{LockKind: contract.PluginLock}}
		},
		Project:    []string{"catalogs", "resolve"},
		Extensions: extensions,
		Config:     func() cli.Config { return &resolveConfig{v1alpha1.ResolveVersion{Mode: resolve.Keep}, extensions} },
	}
}

type resolveConfig struct {
	v1alpha1.ResolveVersion
	extensions []extension.Extension
}

// Process pins every reference of the list.
func (c *resolveConfig) Process(call cli.Call) (string, error) {
	resolved, err := c.resolve(call, call.List)
	wrong := call.OptionErrors(err)
	switch {
	case err != nil && !wrong:
		return "", err
	case wrong && resolved.Plugins.Sandboxes == 0:
		return "resolved nothing: fix the errors above", nil
	}
	return resolved.String(), nil
}

// resolve pins the references of a list, which may be a part of that of the call.
func (c *resolveConfig) resolve(call cli.Call, list *krm.ResourceList) (Resolved, error) {
	return Resolve(list, resolve.Options{
		ResolveVersion: c.ResolveVersion, CreateLock: call.WriteLock, PlaceLock: !call.FileMode,
	}, c.extensions...)
}
