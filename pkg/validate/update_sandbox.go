package validate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// immutableField: Sandbox spec, Updates: everything is immutable but what mutable names. A sandbox whose teardown was
// asked for begins a new life without it.
var immutableField = Rule{
	ID: "immutable-field", Severity: krm.Error,
	Demand: "Of a sandbox that the older state has, only labels, ttl, endpoints, local workloads and forks change " +
		"(--base, --base-ref).",
	Why:     "The server refuses the update.",
	Example: "spec.description: another one",
	sandboxUpdates: func(u *updateCheck) {
		for _, s := range u.sandboxes {
			if s.before.absent() && !s.after.absent() {
				continue
			}
			u.fields(s)
			u.resources(s)
			u.pullRequest(s)
			u.forkOf(s)
		}
	},
}

// mutable are the keys of a sandbox's spec that an update may change, wholly or in part (Sandbox spec, Updates). The
// resources are compared one by one.
var mutable = []string{"labels", "ttl", "endpoints", "defaultRouteGroup", "local", "forks", "resources"}

const freshSandbox = "it is immutable; make another sandbox for it"

// fields compares the fields of the spec that must stay as they are.
func (u *updateCheck) fields(s changed) {
	before, after := reflect.ValueOf(s.before.Spec), reflect.ValueOf(s.after.Spec)
	for i := range before.NumField() {
		key, _, _ := strings.Cut(before.Type().Field(i).Tag.Get("json"), ",")
		path := krm.Path("spec").Key(key)
		was, is := before.Field(i), after.Field(i)
		if slices.Contains(mutable, key) || alike(was, is) || s.unread(path) {
			continue
		}
		if was.Kind() == reflect.String {
			u.report(&s.after.check, path, "%s must stay %q: %s", key, was, freshSandbox)
		} else {
			u.report(&s.after.check, path, "%s must stay as it was: %s", key, freshSandbox)
		}
	}
}

// unread tells whether either state's value at path could not be read.
func (s changed) unread(path krm.Path) bool { return s.before.unsure(path) || s.after.unsure(path) }

// alike compares values to which absent and empty are one.
func alike(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return alike(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	default: // no map is in what must stay
		return a.Equal(b)
	}
}

// resources compares the resources by their names.
func (u *updateCheck) resources(s changed) {
	const path krm.Path = "spec.resources"
	if s.unread(path) {
		return
	}
	were := make(map[string]v1alpha1.SandboxResource, len(s.before.Spec.Resources))
	for _, r := range s.before.Spec.Resources {
		were[r.Name] = r
	}
	for i, r := range s.after.Spec.Resources {
		was, known := were[r.Name]
		delete(were, r.Name)
		switch at := resourcePath(i); {
		case s.unread(at):
		case !known:
			u.report(&s.after.check, at, "resource %q must not be added: resources are immutable; make another sandbox", r.Name)
		case !samePlugin(was.Plugin, r.Plugin):
			u.report(&s.after.check, at.Key("plugin"), "plugin of resource %q must stay %q: %s", r.Name, was.Plugin, freshSandbox)
		case !maps.Equal(was.Params, r.Params):
			u.report(&s.after.check, at.Key("params"), "params of resource %q must stay as they were: %s", r.Name, freshSandbox)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(were)) {
		u.report(&s.after.check, path, "resource %q must not be removed: resources are immutable, and nothing would run its "+
			"delete phase; tear the sandbox down and make another one", name)
	}
}

// samePlugin tells whether two references can mean one version: resolving a range or a channel changes nothing.
func samePlugin(before, after string) bool {
	was, err := version.ParseReference(before)
	is, wrong := version.ParseReference(after)
	if before == after || err != nil || wrong != nil {
		return before == after
	}
	switch {
	case was.Bare != is.Bare:
		return false
	case was.Pin != nil:
		return is.Admits(was.Pin)
	case is.Pin != nil:
		return was.Admits(is.Pin)
	default:
		return false
	}
}

// pullRequest compares the labels of the pull request.
func (u *updateCheck) pullRequest(s changed) {
	for _, key := range []string{repoLabel, pullRequestLabel} {
		was, had := s.before.Spec.Labels[key]
		is, has := s.after.Spec.Labels[key]
		path := labelsPath.Key(key)
		switch {
		case s.unread(path) || s.unread(labelsPath) || had == has && was == is:
		case had:
			u.report(&s.after.check, path, "label %q must stay %q: %s", key, was, freshSandbox)
		default:
			u.report(&s.after.check, path, "label %q must not be added: %s", key, freshSandbox)
		}
	}
}

// forkOf finds forks that keep their name and fork something else.
func (u *updateCheck) forkOf(s changed) {
	was := map[string]v1alpha1.Workload{}
	for _, fork := range s.before.Spec.Forks {
		if fork.Name != "" {
			was[fork.Name] = fork.ForkOf.Plain()
		}
	}
	for i, fork := range s.after.Spec.Forks {
		path := forkPath(i).Key("forkOf")
		of, known := was[fork.Name]
		if known && of != fork.ForkOf.Plain() && !s.unread(path) && !s.unread("spec.forks") {
			u.report(&s.after.check, path, "forkOf of fork %q must stay %s: %s", fork.Name, workloadText(of), freshSandbox)
		}
	}
}

func workloadText(w v1alpha1.Workload) string {
	return fmt.Sprintf("the %s %q of namespace %q", w.Kind, w.Name, w.Namespace)
}
