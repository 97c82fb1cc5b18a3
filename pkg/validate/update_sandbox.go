package validate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// immutableField does not apply to a sandbox that was marked for teardown and is present again: it is a new one.
var immutableField = Rule{
	ID: "immutable-field", Severity: krm.Error,
	Summary: "Of a sandbox that the older state has, only labels, ttl, endpoints, local workloads and forks change " +
		"(--base, --base-ref).",
	Why:     "Signadot refuses the update.",
	Example: "spec.description: another one",
	checks: eachChanged(func(r *Rule, s changed) {
		if s.before.absent() && !s.after.absent() {
			return
		}
		s.compareFields(r)
		s.compareResources(r)
		s.comparePullRequest(r)
		s.compareForks(r)
	}),
}

// eachChanged checks each sandbox that is in both states.
func eachChanged(do func(*Rule, changed)) []check {
	return []check{updateCheck{contract.Sandbox, func(r *Rule, u *update) {
		for _, s := range u.sandboxes {
			do(r, s)
		}
	}}}
}

// mutable are the keys of a sandbox's spec that an update may change, completely or in part. Resources are compared
// individually.
var mutable = []string{"labels", "ttl", "endpoints", "defaultRouteGroup", "local", "forks", "resources"}

const newSandbox = "it is immutable; make another sandbox for it"

// compareFields compares the immutable fields of the spec. Absent and empty values are equal.
func (s changed) compareFields(r *Rule) {
	before, after := reflect.ValueOf(s.before.Spec), reflect.ValueOf(s.after.Spec)
	for i := range before.NumField() {
		key, _, _ := strings.Cut(before.Type().Field(i).Tag.Get("json"), ",")
		path := krm.Path("spec").Key(key)
		was, is := before.Field(i), after.Field(i)
		switch {
		case slices.Contains(mutable, key) || equality.Semantic.DeepEqual(was.Interface(), is.Interface()) || s.unread(path):
		case was.Kind() == reflect.String:
			s.after.Report(r, path, "%s must stay %q: %s", key, was, newSandbox)
		default:
			s.after.Report(r, path, "%s must stay as it was: %s", key, newSandbox)
		}
	}
}

// compareResources compares the resources by name.
func (s changed) compareResources(r *Rule) {
	const path krm.Path = "spec.resources"
	if s.unread(path) {
		return
	}
	were := make(map[string]v1alpha1.SandboxResource, len(s.before.Spec.Resources))
	for _, resource := range s.before.Spec.Resources {
		were[resource.Name] = resource
	}
	for i, is := range s.after.Spec.Resources {
		was, known := were[is.Name]
		delete(were, is.Name)
		switch at := resourcePath(i); {
		case s.unread(at):
		case !known:
			s.after.Report(r, at, "resource %q must not be added: resources are immutable; make another sandbox", is.Name)
		case !samePlugin(was.Plugin, is.Plugin):
			s.after.Report(r, at.Key("plugin"), "plugin of resource %q must stay %q: %s", is.Name, was.Plugin, newSandbox)
		case !maps.Equal(was.Params, is.Params):
			s.after.Report(r, at.Key("params"), "params of resource %q must stay as they were: %s", is.Name, newSandbox)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(were)) {
		s.after.Report(r, path, "resource %q must not be removed: resources are immutable, and nothing would run its "+
			"delete phase; tear the sandbox down and make another one", name)
	}
}

// samePlugin reports whether two references can select the same version: resolving a range or a channel is not a change.
func samePlugin(before, after string) bool {
	was, err := document.ParsePluginReference(before)
	is, wrong := document.ParsePluginReference(after)
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

// comparePullRequest compares the labels of the pull request.
func (s changed) comparePullRequest(r *Rule) {
	for _, key := range []string{repoLabel, pullRequestLabel} {
		was, had := s.before.Spec.Labels[key]
		is, has := s.after.Spec.Labels[key]
		path := labelsPath.Key(key)
		switch {
		case s.unread(path) || s.unread(labelsPath) || had == has && was == is:
		case had:
			s.after.Report(r, path, "label %q must stay %q: %s", key, was, newSandbox)
		default:
			s.after.Report(r, path, "label %q must not be added: %s", key, newSandbox)
		}
	}
}

// compareForks finds forks that keep their name but fork another workload.
func (s changed) compareForks(r *Rule) {
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
			s.after.Report(r, path, "forkOf of fork %q must stay %s: %s", fork.Name, workloadText(of), newSandbox)
		}
	}
}

func workloadText(w v1alpha1.Workload) string {
	return fmt.Sprintf("the %s %q of namespace %q", w.Kind, w.Name, w.Namespace)
}

var forkRemoved = Rule{
	ID: "fork-removed", Severity: krm.Warning,
	Summary: "A fork that the older state has is not removed from its sandbox (--base, --base-ref).",
	Why:     "Only newer versions of Signadot's operator delete it.",
	Example: "spec.forks: []",
	checks: eachChanged(func(r *Rule, s changed) {
		if s.before.absent() || s.unread("spec.forks") {
			return
		}
		workloads, names := map[v1alpha1.Workload]bool{}, map[string]bool{}
		for _, fork := range s.after.Spec.Forks {
			workloads[fork.ForkOf.Plain()], names[fork.Name] = true, fork.Name != ""
		}
		for _, fork := range s.before.Spec.Forks {
			if !workloads[fork.ForkOf.Plain()] && !names[fork.Name] {
				s.after.Report(r, "spec.forks", "the fork of %s is removed: older operators refuse that; "+
					"if yours does, make another sandbox", workloadText(fork.ForkOf))
			}
		}
	}),
}

var teardownSkipped = Rule{
	ID: "teardown-skipped", Severity: krm.Error,
	Summary: "A sandbox with resources is removed only after its teardown (--base, --base-ref).",
	Why:     "Without its delete phase, what the plugins created stays: databases, queues, buckets.",
	Sources: []string{},
	Example: "metadata.name: another",
	checks: []check{updateCheck{contract.Sandbox, func(r *Rule, u *update) {
		for _, s := range u.removed {
			if !u.Partial && !s.absent() && (len(s.Spec.Resources) > 0 || s.Unsure("spec.resources")) {
				s.Report(r, namePath, "sandbox %q is removed without its teardown: nothing deletes what its resources made; "+
					"restore it with the annotation %s: absent, and remove it when its delete phase is done", s.Name, contract.StateKey)
			}
		}
	}}},
}

// absent reports whether the sandbox is marked for teardown. The rule "sandbox-state" reports invalid states.
func (s *sandbox) absent() bool {
	absent, err := s.IsAbsent()
	return absent && err == nil
}
