package renderdiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// rest compares the objects that are not steps: forks, routes, packages and all others.
func (c *compare) rest() {
	packages := map[string]*Package{}
	for _, o := range c.before.objects {
		if c.after.byID[o.identity] == nil && (!c.before.live || !isLeftover(o)) {
			c.file(o, nil, nil, packages)
		}
	}
	for _, o := range c.after.objects {
		before := c.before.byID[o.identity]
		switch {
		case before == nil && c.after.live && isLeftover(o):
		case before == nil:
			c.file(nil, o, nil, packages)
		case o.fields == nil:
			c.annotations(before, o)
		default:
			if fields := c.fields(content(before), content(o)); len(fields) > 0 {
				c.file(before, o, fields, packages)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		one := packages[name]
		slices.Sort(one.Before)
		slices.Sort(one.After)
		slices.SortFunc(one.Objects, compareObjects)
		c.report.Packages = append(c.report.Packages, *one)
	}
	slices.SortFunc(c.report.Routes, compareObjects)
	slices.SortFunc(c.report.Objects, compareObjects)
}

// content returns the fields of an object without those that the server sets, and without the annotations of ours that
// change with a plugin.
func content(o *object) map[string]any {
	fields := maps.Clone(o.fields)
	delete(fields, "status")
	metadata, _ := fields["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	for _, key := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"} {
		delete(metadata, key)
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok && o.fact(contract.ResourceKey) != "" {
		annotations = maps.Clone(annotations)
		for _, key := range versioned {
			delete(annotations, key)
		}
		metadata["annotations"] = annotations
	}
	if o.Namespace == o.namespace {
		fields["metadata"] = metadata
		return fields
	}
	delete(metadata, "namespace") // the default one
	fields["metadata"] = metadata
	return fields
}

// file adds an object to its section of the report.
func (c *compare) file(before, after *object, fields []string, packages map[string]*Package) {
	o, what := after, Changed
	switch {
	case before == nil:
		what = Added
	case after == nil:
		o, what = before, Removed
	}
	one := Object{Kind: o.kind, Namespace: o.Namespace, Name: o.Name, Change: what, Fields: fields}
	request := o.fact(contract.InstallKey)
	switch {
	case request != "" || o.Annotations[contract.PackageKey] != "":
		request = cmp.Or(request, o.Name)
		if packages[request] == nil {
			packages[request] = &Package{Request: request, Change: what}
		}
		packages[request].add(one, before, after)
	case o.fact(contract.ForkKey) != "":
		one.Of = o.Annotations[contract.BaselineKey]
		sandbox := c.sandbox(o.sandboxName())
		sandbox.forks = append(sandbox.forks, one)
	case o.fact(contract.PhaseKey) == "":
		one.Of = o.fact(contract.RouteGroupKey)
		if name := o.sandboxName(); name != "" {
			sandbox := c.sandbox(name)
			sandbox.routes = append(sandbox.routes, one)
			return
		}
		c.report.Routes = append(c.report.Routes, one)
	case o.kind == kindSecret || o.isWorkload():
		// see secrets and steps
	default:
		c.report.Objects = append(c.report.Objects, one)
	}
}

// add adds an object of a package. The package is changed unless all its objects are added, or all removed.
func (p *Package) add(one Object, before, after *object) {
	if p.Change != one.Change {
		p.Change = Changed
	}
	p.Objects = append(p.Objects, one)
	p.Before, p.After = withImage(p.Before, before), withImage(p.After, after)
}

// withImage adds the image of the package that an object is for, unless it is there.
func withImage(images []string, of *object) []string {
	if of == nil {
		return images
	}
	image := of.Annotations[contract.PackageKey]
	if image == "" || slices.Contains(images, image) {
		return images
	}
	return append(images, image)
}

// versioned are annotations that differ if the version of a plugin or the generation of a step does.
var versioned = []string{
	contract.PluginKey, contract.DigestKey, contract.GenerationKey, contract.DependsOnKey, contract.PublishedKey,
	contract.FailedKey, contract.FailuresKey,
}

// annotations counts the annotations that differ between two objects of the same name, which have the same spec.
func (c *compare) annotations(before, after *object) {
	for _, key := range union(slices.Sorted(maps.Keys(before.Annotations)), slices.Sorted(maps.Keys(after.Annotations))) {
		was, isOld := before.Annotations[key]
		is, isNew := after.Annotations[key]
		switch {
		case was == is && isOld == isNew, slices.Contains(versioned, key):
		case !isNew && c.before.live, !isOld && c.after.live:
		case strings.HasPrefix(key, "internal.config.kubernetes.io/"), strings.HasPrefix(key, "config.kubernetes.io/"):
		default:
			c.rendering[Rendering{What: "annotation " + key}]++
		}
	}
}
