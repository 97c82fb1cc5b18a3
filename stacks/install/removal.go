package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// removals adds the Jobs that remove packages: one for each removed request, for its own package and those that only it
// needs.
func (r *renderer) removals() {
	installed, first := r.installed(), r.first()
	for _, of := range r.requests {
		_, isRemoved, isHeld := r.phases(of)
		if !isRemoved {
			continue
		}
		needed := installed
		if isHeld {
			needed = nil // all is removed then
		}
		own := of.closure[len(of.closure)-1]
		if other := needed[own]; other != nil && !owns(other, own) {
			r.refuse(of.item, document.StatePath(), fmt.Sprintf("must not be absent: %s needs package %q", nameOf(other), own.Name))
			continue
		}
		r.remove(of, isHeld, func(chosen *dependency.Chosen) (withCRDs, isIncluded bool) {
			other := needed[chosen]
			isIncluded = owns(of, chosen) || first[chosen] == of && (other == nil || other.namespace != of.namespace)
			return other == nil && first[chosen] == of, isIncluded
		})
	}
}

// installed returns the packages that stay, each with a request that needs it.
func (r *renderer) installed() map[*dependency.Chosen]*request {
	needed := map[*dependency.Chosen]*request{}
	for _, of := range r.requests {
		if isInstalled, isRemoved, _ := r.phases(of); isInstalled || !isRemoved {
			for _, chosen := range of.closure {
				needed[chosen] = of
			}
		}
	}
	return needed
}

// first returns the request for which each package was installed: the one that asks for it, or else the first that needs
// it.
func (r *renderer) first() map[*dependency.Chosen]*request {
	first := map[*dependency.Chosen]*request{}
	for _, of := range r.requests {
		for _, chosen := range of.closure {
			if first[chosen] == nil || owns(of, chosen) && !owns(first[chosen], chosen) {
				first[chosen] = of
			}
		}
	}
	return first
}

// owns reports whether a request asks for a package itself.
func owns(of *request, chosen *dependency.Chosen) bool {
	return of.closure[len(of.closure)-1] == chosen
}

// remove adds the Job that removes packages of a request's closure. The function includes selects them, and reports whether
// the package's CRDs are removed, too: they stay while another namespace has the package.
func (r *renderer) remove(of *request, isHeld bool, includes func(*dependency.Chosen) (withCRDs, isIncluded bool)) {
	removed := &unpacking.Installation{Name: of.Name}
	for _, chosen := range of.closure {
		withCRDs, isIncluded := includes(chosen)
		if !isIncluded {
			continue
		}
		i := r.install(of, chosen)
		objects, err := pack.Install(i.unpacked(), r.settings(i), of.namespace)
		if err != nil {
			r.refuse(of.item, fieldOf(of), fmt.Sprintf("package %q cannot be removed: %s; run validate-plugin for all findings",
				chosen.Image(), firstLine(err)))
			return
		}
		for _, object := range installed(objects) {
			if withCRDs || object.Kind != crd {
				removed.Objects = append(removed.Objects, object)
			}
		}
		if withCRDs {
			removed.Custom = append(removed.Custom, custom(chosen)...)
		}
	}
	if !isHeld && r.isUsed(of, removed.Custom) {
		return
	}
	r.images[r.options.HelperImage] = true
	own := of.closure[len(of.closure)-1].Image()
	phase := v1alpha1.PhaseDelete
	name := contract.ObjectName(contract.Hash("remove", of.namespace, of.Kind, of.Name), of.Name, "remove")
	template := r.template(of, name)
	r.manager(template, "stack-delete", unpacking.Delete, removed)
	access := grant(removed.Objects, "delete")
	access.list(removed.Custom)
	r.access(of, phase, isHeld, name, own, access)
	r.addJob(of, phase, isHeld, name, own, template)
}

// custom are the resources of a package's CRDs.
func custom(chosen *dependency.Chosen) (all []unpacking.CustomResource) {
	for _, owned := range chosen.CRDs {
		if len(owned.Versions) > 0 {
			all = append(all, unpacking.CustomResource{
				CRD: owned.Plural + "." + owned.Group, Group: owned.Group, Version: owned.Versions[0], Plural: owned.Plural,
			})
		}
	}
	return all
}

// mostNamed is the maximum number of custom resources that a message names.
const mostNamed = 3

// isUsed reports the custom resources in the list that would be removed with the CRDs of a request.
func (r *renderer) isUsed(of *request, resources []unpacking.CustomResource) bool {
	kinds := map[[2]string]bool{}
	for _, chosen := range of.closure {
		for _, owned := range chosen.CRDs {
			name := owned.Plural + "." + owned.Group
			if slices.ContainsFunc(resources, func(c unpacking.CustomResource) bool { return c.CRD == name }) {
				kinds[[2]string{owned.Group, owned.Kind}] = true
			}
		}
	}
	var found []string
	for _, item := range r.list.Items() {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		if !kinds[[2]string{group, item.Kind()}] {
			continue
		}
		if local, _ := item.Annotation(contract.LocalConfigKey); local != "true" {
			found = append(found, fmt.Sprintf("%s %q", item.Kind(), item.Name()))
		}
	}
	if len(found) == 0 {
		return false
	}
	more := ""
	if n := len(found) - mostNamed; n > 0 {
		found, more = found[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	at := document.StatePath()
	if !of.isAbsent {
		at = ""
	}
	r.refuse(of.item, at, "must not be removed while there are custom resources of its CRDs, which would go with them: remove "+
		strings.Join(found, ", ")+more+" first")
	return true
}
