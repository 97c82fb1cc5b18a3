package function

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// subject is a sandbox that keeps to the rules, and what is rendered for it.
type sandboxSubject struct {
	*document.Sandbox

	id, key string
	// absent tells that the sandbox is on its way out: it has no forks any more.
	absent bool
	work   work
}

// readSubjects decodes sandboxes and route groups, and reports annotations that cannot be used.
func sandboxReadSubjects(list *krm.ResourceList, items []*krm.Item) (subjects []*sandboxSubject, groups []sandbox.RoutedGroup) {
	read := make([]*sandboxSubject, len(items))
	cores.Each(len(items), func(i int) {
		if items[i].Kind() == contract.Sandbox {
			document, _ := document.ReadSandbox(items[i])
			read[i] = &sandboxSubject{Sandbox: document}
		}
	})
	ids := map[[2]string]string{}
	for i, s := range read {
		if s == nil {
			if group, ok := readGroup(list, items[i]); ok {
				groups = append(groups, group)
			}
			continue
		}
		s.readAnnotations(list)
		key := [2]string{s.Spec.Cluster, s.id}
		if other, taken := ids[key]; taken {
			list.Report(krm.At(s.Item, document.IDPath(), krm.Error,
				fmt.Sprintf("must not be %q, which is the id of sandbox %q: remove one of the annotations", s.id, other)))
			continue
		}
		ids[key] = s.Name
		subjects = append(subjects, s)
	}
	return subjects, groups
}

func readGroup(list *krm.ResourceList, item *krm.Item) (sandbox.RoutedGroup, bool) {
	document, _ := document.ReadRouteGroup(item)
	key, err := sandbox.GroupKey(document)
	if err != nil {
		list.Report(krm.At(item, sandbox.KeyPath(), krm.Error, err.Error()))
	}
	return sandbox.RoutedGroup{RouteGroup: document, Key: key}, err == nil
}

func (s *sandboxSubject) readAnnotations(list *krm.ResourceList) {
	var err error
	if s.absent, err = s.IsAbsent(); err != nil {
		list.Report(krm.At(s.Item, document.StatePath(), krm.Error, err.Error()))
	}
	if s.id, err = s.ID(); err != nil {
		list.Report(krm.At(s.Item, document.IDPath(), krm.Error, err.Error()))
	}
	if s.key, err = sandbox.SandboxKey(s.Sandbox); err != nil {
		list.Report(krm.At(s.Item, sandbox.KeyPath(), krm.Error, err.Error()))
	}
}
