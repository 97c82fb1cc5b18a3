package renderdiff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// presence is whether a side has a sandbox or a resource, and which of its phases.
type presence struct {
	exists bool
	// create and remove are set if a step or helper of the phase is due.
	create, remove bool
}

func (p *presence) add(o *object) {
	p.exists = true
	if o.isWorkload() && o.fact(contract.ResourceKey) != "" && !o.isHook() {
		switch v1alpha1.Phase(o.fact(contract.PhaseKey)) {
		case v1alpha1.PhaseCreate:
			p.create = true
		case v1alpha1.PhaseDelete:
			p.remove = true
		}
	}
}

// isAbsent reports whether only the delete phase is due.
func (p *presence) isAbsent() bool { return p.remove && !p.create }

// change compares the presence of a sandbox or resource.
func change(before, after *presence) Change {
	switch {
	case !before.exists:
		return Added
	case !after.exists:
		return Removed
	case !before.isAbsent() && after.isAbsent():
		return Absent
	case before.isAbsent() && after.create:
		return Present
	}
	return Changed
}

// sandboxChange is a sandbox with objects that differ.
type sandboxChange struct {
	before, after presence
	resources     map[string]*resourceChange
	forks, routes []Object
}

// resourceChange is a resource with objects that differ.
type resourceChange struct {
	before, after presence
	steps         []*stepChange
	// oldPlugin and newPlugin have a version.
	oldPlugin, oldDigest, newPlugin, newDigest string
}

// stepChange is a step whose Job differs.
type stepChange struct {
	old, new *step
	run      Run
	reasons  []Reason
}

// sandbox returns the changes of a sandbox.
func (c *compare) sandbox(name string) *sandboxChange {
	if c.changed[name] == nil {
		c.changed[name] = &sandboxChange{resources: map[string]*resourceChange{}}
	}
	return c.changed[name]
}

func (s *sandboxChange) resource(name string) *resourceChange {
	if s.resources[name] == nil {
		s.resources[name] = &resourceChange{}
	}
	return s.resources[name]
}

// steps finds the steps that differ, and why they run again.
func (c *compare) steps() {
	for _, side := range []*state{c.before, c.after} {
		isNew := side == c.after
		for _, o := range side.objects {
			if side.live && isLeftover(o) {
				continue
			}
			c.add(o, isNew)
		}
		for _, one := range side.steps {
			c.add(one.object, isNew)
		}
	}
	keys := maps.Clone(c.before.steps)
	maps.Copy(keys, c.after.steps)
	for _, key := range slices.SortedFunc(maps.Keys(keys), func(a, b stepKey) int {
		return strings.Compare(a.sandbox+"\x00"+a.resource+"\x00"+a.step, b.sandbox+"\x00"+b.resource+"\x00"+b.step)
	}) {
		one := &stepChange{old: c.before.steps[key], new: c.after.steps[key]}
		one.run, one.reasons = c.run(one.old, one.new)
		of := c.sandbox(key.sandbox).resource(key.resource)
		of.steps = append(of.steps, one)
	}
}

// add records that a side has an object of a sandbox.
func (c *compare) add(o *object, isNew bool) {
	name := o.sandboxName()
	if name == "" {
		return
	}
	sandbox := c.sandbox(name)
	if isNew {
		sandbox.after.add(o)
	} else {
		sandbox.before.add(o)
	}
	resource := o.fact(contract.ResourceKey)
	if resource == "" {
		return
	}
	of := sandbox.resource(resource)
	if isNew {
		of.after.add(o)
		of.newPlugin, of.newDigest = o.Annotations[contract.PluginKey], o.Annotations[contract.DigestKey]
	} else {
		of.before.add(o)
		of.oldPlugin, of.oldDigest = o.Annotations[contract.PluginKey], o.Annotations[contract.DigestKey]
	}
}

// sandboxes puts the sandboxes that differ into the report.
func (c *compare) sandboxes() error {
	if err := c.confirm(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.changed)) {
		of := c.changed[name]
		// A sandbox without a resource has no objects.
		of.before.exists = of.before.exists || c.before.sandboxes[name]
		of.after.exists = of.after.exists || c.after.sandboxes[name]
		sandbox := Sandbox{Name: name, Change: change(&of.before, &of.after), Forks: of.forks, Routes: of.routes}
		sandbox.WithoutDelete = sandbox.Change == Removed && of.before.create
		for _, resource := range slices.Sorted(maps.Keys(of.resources)) {
			if one, differs := c.resource(name, resource, of.resources[resource]); differs || sandbox.Change != Changed {
				sandbox.Resources = append(sandbox.Resources, one)
			}
		}
		slices.SortFunc(sandbox.Forks, compareObjects)
		slices.SortFunc(sandbox.Routes, compareObjects)
		if sandbox.Change != Changed || len(sandbox.Resources)+len(sandbox.Forks)+len(sandbox.Routes) > 0 {
			c.report.Sandboxes = append(c.report.Sandboxes, sandbox)
		}
	}
	return nil
}

// confirm looks among the objects that are the same on both sides for those of sandboxes that seem to be added or removed,
// or to change their phase.
func (c *compare) confirm() error {
	doubtful := map[string]bool{}
	for name, of := range c.changed {
		doubtful[name] = change(&of.before, &of.after) != Changed
		for _, resource := range of.resources {
			doubtful[name] = doubtful[name] || change(&resource.before, &resource.after) != Changed
		}
	}
	maps.DeleteFunc(doubtful, func(_ string, isDoubtful bool) bool { return !isDoubtful })
	if len(doubtful) == 0 {
		return nil
	}
	for _, item := range c.unchanged {
		text, err := item.Bytes()
		if err != nil {
			return decodeError(item, err)
		}
		if !names(text, doubtful) {
			continue
		}
		o, err := decode(item)
		if err != nil {
			return decodeError(item, err)
		}
		if o.isOurs() && doubtful[o.sandboxName()] {
			c.add(o, false)
			c.add(o, true)
		}
	}
	return nil
}

// names reports whether a text may be an object of one of the sandboxes. A name that is not written plainly may be any.
func names(text []byte, sandboxes map[string]bool) bool {
	key := []byte(contract.SandboxKey)
	for {
		_, rest, found := bytes.Cut(text, key)
		if !found {
			return false
		}
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		name := strings.ToLower(strings.Trim(string(line), "\": ,'}"))
		if sandboxes[name] || strings.ContainsAny(name, "\\\"'|>,{}!&* ") || name == "" {
			return true
		}
		text = rest
	}
}

// resource returns a resource for the report. It differs if a step runs, is added or removed, or the version changes.
func (c *compare) resource(sandbox, name string, of *resourceChange) (Resource, bool) {
	one := Resource{Name: name, Change: change(&of.before, &of.after)}
	one.WithoutDelete = one.Change == Removed && of.before.create
	if of.before.exists {
		one.Before = of.oldPlugin
	}
	if of.after.exists {
		one.After = of.newPlugin
	}
	moves := of.moves()
	if moves {
		c.move(sandbox, name, of)
	}
	slices.SortFunc(of.steps, func(a, b *stepChange) int { return compareSteps(a.any(), b.any()) })
	for _, step := range of.steps {
		if step.run != No || moves {
			one.Steps = append(one.Steps, step.report())
		}
	}
	return one, moves || one.Change != Changed || len(one.Steps) > 0
}

// moves reports whether both sides have the resource, with a different plugin, version or document.
func (r *resourceChange) moves() bool {
	if !r.before.exists || !r.after.exists || r.oldPlugin == "" || r.newPlugin == "" {
		return false
	}
	return r.oldPlugin != r.newPlugin || r.oldDigest != r.newDigest && r.oldDigest != "" && r.newDigest != ""
}

// any returns the newer of the steps.
func (s *stepChange) any() *step {
	if s.new != nil {
		return s.new
	}
	return s.old
}

func (s *stepChange) report() Step {
	one := Step{Phase: s.any().phase, Name: s.any().step, Run: s.run, Reasons: s.reasons}
	if s.new == nil || s.run == Gone {
		return one
	}
	if s.new.isOfEngine() {
		one.Workload = s.new.kind
	}
	one.AtLeastOnce = s.run != No && s.new.job != nil && !s.new.publishes()
	if s.old != nil && s.run == Again && slices.Contains(s.old.leftovers, s.new.Name) {
		one.Leftover = s.new.Name
	}
	return one
}

// move counts a version that changes.
func (c *compare) move(sandbox, resource string, of *resourceChange) {
	oldName, oldVersion, _ := strings.Cut(of.oldPlugin, "@")
	newName, newVersion, _ := strings.Cut(of.newPlugin, "@")
	version := Version{Plugin: newName, Before: oldVersion, After: newVersion, SameVersion: of.oldPlugin == of.newPlugin}
	if oldName != newName {
		version.Before = of.oldPlugin
	}
	if c.versions[version] == nil {
		c.versions[version] = map[[2]string]bool{}
	}
	c.versions[version][[2]string{sandbox, resource}] = true
}
