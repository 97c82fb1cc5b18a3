package function

import (
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// sinceCreated is the offset of a ttl that a janitor can count from: an object's creation. It is the default of sandboxes,
// and not of route groups.
const sinceCreated = "createdAt"

// timeToLive returns how long the copies live, as kube-janitor reads it: its units are those of the Sandbox spec.
func (of *sandboxSubject) timeToLive() string {
	if ttl := of.Spec.TTL; ttl != nil && (ttl.OffsetFrom == "" || ttl.OffsetFrom == sinceCreated) {
		return ttl.Duration
	}
	return ""
}

// reportGroupLives tells of ttls of route groups that cannot be rendered.
func (s *scene) reportGroupLives() {
	for _, g := range s.groups {
		if g.Spec.TTL != nil && g.Spec.TTL.OffsetFrom != sinceCreated {
			s.call.List.Report(krm.At(g.Item, "spec.ttl", krm.Info,
				"not rendered: no janitor knows which sandboxes a route group matches, or when it was last updated; its routes have no "+
					"end of their own"))
		}
	}
}

// lives returns how long the routes live, by the sandbox or route group that they are for.
func (s *scene) lives() (ofSandbox, ofGroup map[string]string) {
	ofSandbox, ofGroup = map[string]string{}, map[string]string{}
	for _, of := range s.subjects {
		ofSandbox[of.LowerName()] = of.timeToLive()
	}
	for _, g := range s.groups {
		if ttl := g.Spec.TTL; ttl != nil && ttl.OffsetFrom == sinceCreated {
			ofGroup[g.Name] = ttl.Duration
		}
	}
	return ofSandbox, ofGroup
}

// mortal returns the object's tree with how long it lives; one that serves several lives for ever.
func mortal(object *sandbox.RouteObject, life string) manifest.Map {
	if life == "" {
		return object.Tree
	}
	metadata := object.Tree.Map("metadata")
	annotations := append(manifest.Map{manifest.KV(sandbox.JanitorKey, manifest.String(life))}, metadata.Map("annotations")...)
	return object.Tree.With("metadata", metadata.With("annotations", manifest.NewMap(annotations...)))
}
