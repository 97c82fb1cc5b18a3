package function

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

const resourcesPath krm.Path = "spec.resources"

// kustomizeKey is the annotation that objects have under kustomize.
const kustomizeKey = "kustomize.config.k8s.io/id"

// subject is a sandbox that is being resolved.
type resolveSubject struct {
	item *krm.Item
	name string
	// absent tells that the sandbox is on its way out: what created its resources has to delete them.
	absent bool
	// kustomize tells that what is written here does not get back into the source.
	kustomize bool
	asks      []*ask
	record    resolve.Record // what to put on record
	problems  []krm.Result
	unread    error // why there is no record to go by; nothing is written then
}

// ask is one reference of a sandbox to a plugin.
type ask struct {
	*resolveSubject
	resource string
	path     krm.Path
	text     string // the reference as it is written
	asked    string // what it was before resolution pinned it, else as it is written
	last     resolve.Resolution
	stale    *resolve.Resolution // what was on record of a pin that somebody edited
}

// pinned tells whether resolution wrote the reference as it is.
func (a *ask) pinned() bool { return a.text != a.asked }

// readSubjects reads the sandboxes, on all cores.
func resolveReadSubjects(items []*krm.Item) []*resolveSubject {
	subjects := make([]*resolveSubject, len(items))
	workers := min(runtime.GOMAXPROCS(0), len(items))
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			for i := worker; i < len(items); i += workers {
				subjects[i] = readSubject(items[i])
			}
		})
	}
	wait.Wait()
	return subjects
}

func readSubject(item *krm.Item) *resolveSubject {
	sandbox, problems := document.ReadSandbox(item)
	s := &resolveSubject{item: item, name: item.Name(), record: resolve.Record{}}
	for _, problem := range problems {
		if problem.Severity == krm.Error && strings.HasPrefix(string(problem.Path), string(resourcesPath)) {
			s.problems = append(s.problems, krm.At(item, problem.Path, krm.Error, problem.Message))
		}
	}
	var before resolve.Record
	if before, s.unread = resolve.ReadRecord(item); s.unread != nil {
		return s
	}
	var err error
	if s.absent, err = sandbox.IsAbsent(); err != nil {
		s.problems = append(s.problems, krm.At(item, document.StatePath(), krm.Error, err.Error()))
	}
	_, s.kustomize = item.Annotation(kustomizeKey)
	seen := make(map[string]bool, len(sandbox.Spec.Resources))
	for i, resource := range sandbox.Spec.Resources {
		at := resourcesPath.Index(i)
		if resource.Plugin == "" { // what is missing, or no string, was reported above
			continue
		}
		if seen[resource.Name] {
			s.problems = append(s.problems, krm.At(item, at.Key("name"), krm.Error,
				fmt.Sprintf("resource %q must be named once: rename one", resource.Name)))
			continue
		}
		seen[resource.Name] = true
		s.asks = append(s.asks, s.ask(resource.Name, at.Key("plugin"), resource.Plugin, before[resource.Name]))
	}
	return s
}

// ask returns a reference with what is on record of it. A pin that somebody edited counts, and what it had been resolved
// from does not any more.
func (s *resolveSubject) ask(resource string, path krm.Path, text string, last resolve.Resolution) *ask {
	a := &ask{resolveSubject: s, resource: resource, path: path, text: text, asked: text}
	switch {
	case last.Pin != "" && last.Pin != text:
		a.stale = &last
	case last.Pin != "" && last.Requested != "":
		a.last, a.asked = last, last.Requested
	default:
		a.last = last
	}
	return a
}
