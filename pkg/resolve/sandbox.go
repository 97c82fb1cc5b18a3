package resolve

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const resourcesPath krm.Path = "spec.resources"

// kustomizeKey is the annotation that objects have under kustomize.
const kustomizeKey = "kustomize.config.k8s.io/id"

// sandbox is a sandbox that is being resolved.
type sandbox struct {
	item *krm.Item
	name string
	// absent means that the sandbox is to be deleted: the versions that created its resources have to delete them.
	absent bool
	// kustomize means that changes do not get back into the source.
	kustomize  bool
	references []*reference
	record     Record // to be written
	problems   []krm.Result
	unread     error // why the record or the state cannot be read; if set, nothing is written
}

// reference is one reference of a sandbox to a plugin.
type reference struct {
	*sandbox
	resource  string
	path      krm.Path
	text      string // as it is written
	requested string // as it was before it was pinned, else as it is written
	last      Resolution
	stale     *Resolution // the record of a request whose pin was edited
	choice    *Choice     // nil if it is not resolved
	err       error       // why it is not resolved
}

// pinned reports whether resolution wrote the reference.
func (r *reference) pinned() bool { return r.text != r.requested }

// IsBuilt reports whether kustomize has built an item: which of its references float is reported for all together.
func IsBuilt(item *krm.Item) bool {
	_, isBuilt := item.Annotation(kustomizeKey)
	return isBuilt
}

func readSandbox(item *krm.Item) *sandbox {
	read, problems := document.ReadSandbox(item)
	s := &sandbox{item: item, name: item.Name(), record: Record{}}
	for _, problem := range problems {
		isRead := strings.HasPrefix(string(problem.Path), string(resourcesPath)) || problem.Rule == strictyaml.RuleDuplicate
		if problem.IsError() && isRead {
			s.problems = append(s.problems, krm.At(item, problem.Path, krm.Error, problem.Message))
		}
	}
	var before Record
	if before, s.unread = ReadRecord(item); s.unread != nil {
		return s
	}
	var err error
	if s.absent, err = read.IsAbsent(); err != nil {
		s.unread = &DocumentError{Item: item, Path: document.StatePath(), Message: err.Error()}
		return s
	}
	s.kustomize = IsBuilt(item)
	seen := make(map[string]bool, len(read.Spec.Resources))
	for i, resource := range read.Spec.Resources {
		at := resourcesPath.Index(i)
		if resource.Plugin == "" { // reported above
			continue
		}
		if seen[resource.Name] {
			s.problems = append(s.problems, krm.At(item, at.Key("name"), krm.Error,
				fmt.Sprintf("resource %q must be named once: rename one", resource.Name)))
			continue
		}
		seen[resource.Name] = true
		s.references = append(s.references, s.reference(resource.Name, at.Key("plugin"), resource.Plugin, before[resource.Name]))
	}
	return s
}

// reference returns a reference with its record. An edited pin takes precedence, and its record is stale.
func (s *sandbox) reference(resource string, path krm.Path, text string, last Resolution) *reference {
	r := &reference{sandbox: s, resource: resource, path: path, text: text, requested: text}
	switch {
	case last.Pin != "" && last.Pin != text:
		if last.Requested != "" {
			r.stale = &last
		}
	case last.Pin != "" && last.Requested != "":
		r.last, r.requested = last, last.Requested
	default:
		r.last = last
	}
	return r
}
