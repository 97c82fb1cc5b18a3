package sandbox

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// input is a sandbox that keeps to the rules, and what is rendered for it. Its name is lower-cased.
type input struct {
	*document.Sandbox

	id, key string
	// absent means that the sandbox is being removed: it has no forks any more.
	absent bool

	forks []*fork // nil if a baseline is missing; in the order of spec.forks
	// services are the forked Services, one for each baseline Service that selects a forked workload.
	services []routedService

	changes []render.Change
	results krm.Results
}

func (s *input) report(at krm.Path, severity krm.Severity, message string) {
	s.results = append(s.results, krm.At(s.Item, at, severity, message))
}

// readInputs decodes sandboxes and route groups, and reports annotations that cannot be used.
func readInputs(list *krm.ResourceList, items []*krm.Item) (sandboxes []*input, groups []routedGroup) {
	read := make([]*input, len(items))
	krm.Each(len(items), func(i int) {
		if items[i].Kind() == contract.Sandbox {
			document, _ := document.ReadSandbox(items[i])
			document.Name = document.LowerName()
			read[i] = &input{Sandbox: document}
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
		ids[key] = s.Item.Name()
		sandboxes = append(sandboxes, s)
	}
	return sandboxes, groups
}

func readGroup(list *krm.ResourceList, item *krm.Item) (routedGroup, bool) {
	document, _ := document.ReadRouteGroup(item)
	key, err := groupKey(document)
	if err != nil {
		list.Report(krm.At(item, keyPath(), krm.Error, err.Error()))
	}
	return routedGroup{RouteGroup: document, key: key}, err == nil
}

func (s *input) readAnnotations(list *krm.ResourceList) {
	var err error
	if s.absent, err = s.IsAbsent(); err != nil {
		list.Report(krm.At(s.Item, document.StatePath(), krm.Error, err.Error()))
	}
	if s.id, err = s.ID(); err != nil {
		list.Report(krm.At(s.Item, document.IDPath(), krm.Error, err.Error()))
	}
	if s.key, err = sandboxKey(s.Sandbox); err != nil {
		list.Report(krm.At(s.Item, keyPath(), krm.Error, err.Error()))
	}
}
