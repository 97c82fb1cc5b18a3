// Package stack resolves install requests of Crossplane stacks and packages.
package stack

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Resolve returns what the install requests of a list resolve to. It changes no document; what is wrong is reported to the
// list, and a request that cannot be resolved leaves the others resolved.
func Resolve(list *krm.ResourceList, options Options) (Resolution, error) {
	return Resolution{}, nil
}
