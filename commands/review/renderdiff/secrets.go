package renderdiff

import (
	"cmp"
	"slices"
	"strings"
)

// secrets compares which steps publish to the Secrets. Their values are not read.
func (c *compare) secrets() {
	for id, before := range c.before.secrets {
		if after := c.after.secrets[id]; after == nil {
			c.addSecret(before, before, nil)
		} else if before.owner() != after.owner() {
			c.addSecret(after, before, after)
		}
	}
	for id, after := range c.after.secrets {
		if c.before.secrets[id] == nil {
			c.addSecret(after, nil, after)
		}
	}
	slices.SortFunc(c.report.Secrets, func(a, b Secret) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}

func (c *compare) addSecret(of, before, after *step) {
	secret := Secret{Namespace: of.Namespace, Name: of.Name, Change: Changed}
	if before != nil {
		owner := before.owner()
		secret.Before = &owner
	}
	if after != nil {
		owner := after.owner()
		secret.After = &owner
	}
	switch {
	case before == nil:
		secret.Change = Added
	case after == nil:
		secret.Change = Removed
	}
	c.report.Secrets = append(c.report.Secrets, secret)
}

func (s *step) owner() Owner {
	plugin, _, _ := strings.Cut(s.plugin, "@")
	return Owner{Sandbox: s.sandbox, Resource: s.resource, Phase: s.phase, Step: s.step, Plugin: plugin}
}
