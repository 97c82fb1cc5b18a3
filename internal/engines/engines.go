// Package engines lists the engines. To add one, add its folder in internal/engine and a line here: rendering, rplug status
// and rplug diff use the list.
package engines

import (
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
)

// All returns the engines. The first one is the default.
func All() []engine.Engine {
	return []engine.Engine{
		jobs.Engine{},
		argo.Engine{},
		tekton.Engine{},
	}
}

// Named returns the engine with a name, or nil.
func Named(name string) engine.Engine {
	for _, e := range All() {
		if e.Traits().Name == name {
			return e
		}
	}
	return nil
}

// Names returns the names of the engines.
func Names() (names []string) {
	for _, e := range All() {
		names = append(names, e.Traits().Name)
	}
	return names
}

// Of returns the engine of a kind of objects, and the kind; nil for other kinds. The group may be empty, since the items of
// lists may lack it.
func Of(group, kind string) (engine.Engine, engine.Kind) {
	for _, e := range All() {
		for _, k := range e.Traits().Kinds {
			if k.Name == kind && (k.Group == group || group == "") {
				return e, k
			}
		}
	}
	return nil, engine.Kind{}
}

// Workloads returns the kinds of the engines' workloads.
func Workloads() (kinds []string) {
	for _, e := range All() {
		for _, k := range e.Traits().Kinds {
			if k.WorkloadLabel == "" {
				kinds = append(kinds, k.Name)
			}
		}
	}
	return kinds
}
