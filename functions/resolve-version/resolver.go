package main

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/catalog"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

const resourcesPath krm.Path = "spec.resources"

// resolver pins the references of a list's sandboxes.
type resolver struct {
	list    *krm.ResourceList
	plugins *catalog.Catalog
	explain bool

	resolved int
	chosen   map[string]bool     // the pins of what was chosen
	changed  map[change][]string // the sandboxes that have another digest of a version on record
}

func (r *resolver) sandbox(item *krm.Item) {
	document, problems := sandbox.Read(item)
	for _, problem := range problems {
		if problem.Severity == krm.Error && strings.HasPrefix(string(problem.Path), string(resourcesPath)) {
			r.list.Report(krm.At(item, problem.Path, krm.Error, problem.Message))
		}
	}
	before, err := catalog.ReadRecord(item)
	if err != nil {
		r.report(item, "", err)
		return
	}
	after := catalog.Record{}
	for i, resource := range document.Spec.Resources {
		at := resourcesPath.Index(i)
		if _, repeated := after[resource.Name]; repeated {
			r.list.Report(krm.At(item, at.Key("name"), krm.Error,
				fmt.Sprintf("resource %q must be named once: rename one", resource.Name)))
			continue
		}
		if resource.Plugin != "" { // what is missing, or no string, was reported above
			after[resource.Name] = r.resource(item, at.Key("plugin"), resource.Plugin, before[resource.Name])
		}
	}
	after.Write(item)
}

// resource pins the reference at path and returns what to put on record. Where it cannot be pinned what is on record
// stays.
func (r *resolver) resource(
	item *krm.Item, path krm.Path, reference string, last catalog.Resolution,
) catalog.Resolution {
	if last.Pin != "" && last.Pin != reference {
		r.dropStale(item, path, reference, last)
		last = catalog.Resolution{}
	}
	choice, err := r.plugins.Resolve(reference)
	if err != nil {
		r.report(item, path, err)
		return last
	}
	if err := choice.Confirm(last); err != nil {
		r.noteChange(item, err)
		return last
	}
	now := catalog.Resolution{Requested: last.Requested, Pin: choice.Name.String(), Digest: choice.Digest}
	if now.Pin != reference {
		if err := item.Set(path, now.Pin); err != nil {
			r.report(item, path, fmt.Errorf("reference must be pinned to %q by hand: %w", now.Pin, err))
			return last
		}
		now.Requested = reference
	}
	r.resolved++
	r.chosen[now.Pin] = true
	r.tell(item, path, reference, choice)
	return now
}
