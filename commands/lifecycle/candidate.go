package lifecycle

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// candidate is a sandbox as of a revision.
type candidate struct {
	revision    string
	chain       build.Chain
	list        *krm.ResourceList // the sandbox and its plugins
	sandbox     *krm.Item
	resources   map[string]bool
	generations map[string]bool
}

// configure sets the options of the render: those of the project file, and those that the objects in the cluster show.
func (c *candidate) configure(in *rplug.Inputs, s *leftover) {
	c.chain.NoForks = true
	c.chain.Validate.Rules = map[string]string{}
	if in.Project != nil {
		c.chain.Render.HelperImage = cmp.Or(in.Project.HelperImage, c.chain.Render.HelperImage)
		c.chain.Render.PodTemplateDefaults = in.Project.PodTemplateDefaults
	}
	_, objects := s.phase()
	for _, o := range objects {
		if metav1.GetControllerOfNoCopy(o) != nil {
			continue // a Pod of a Job, or of another engine
		}
		e, _ := engines.Of(o.GroupVersionKind().Group, o.GetKind())
		if e != nil && slices.Contains(engines.Workloads(), o.GetKind()) {
			c.chain.Render.Engine = e.Traits().Name
			if o.GetKind() == "Pod" {
				c.chain.Render.Workload = o.GetKind()
			}
		}
	}
}

// render renders the sandbox in a state.
func (c *candidate) render(state string) ([]*krm.Item, error) {
	text, err := c.sandbox.Bytes()
	if err != nil {
		return nil, err
	}
	own, err := krm.NewItem(bytes.Clone(text))
	if err != nil {
		return nil, err
	}
	own.Annotate(contract.StateKey, state)
	list := krm.NewList()
	for _, item := range c.list.Items() {
		list.Append(item)
	}
	list.Append(own)
	chain := c.chain
	chain.Render.Phases = []string{string(v1alpha1.PhaseCreate)}
	if state == contract.Absent {
		chain.Render.Phases = []string{string(v1alpha1.PhaseDelete)}
	}
	result, err := chain.Run(list)
	if err != nil {
		return nil, err
	}
	return result.Objects, report.Refused(list.Results())
}

// teardown returns the delete phase. It must be of all resources that the cluster has, and run in the same namespaces.
func (c *candidate) teardown(s *leftover) ([]byte, error) {
	objects, err := c.render(contract.Absent)
	if err != nil {
		return nil, err
	}
	namespaces := map[string]bool{}
	var out bytes.Buffer
	for _, object := range objects {
		text, err := object.Bytes()
		if err != nil {
			return nil, err
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
		namespaces[object.Namespace()] = true
	}
	if out.Len() == 0 {
		return nil, fmt.Errorf("commit %s has no delete phase of it", short(c.revision))
	}
	_, present := s.phase()
	for _, o := range present {
		if slices.Contains(engines.Workloads(), o.GetKind()) && !namespaces[o.GetNamespace()] {
			return nil, fmt.Errorf("commit %s has its delete phase in other namespaces than %s", short(c.revision), o.GetNamespace())
		}
		if name := o.GetLabels()[contract.ResourceKey]; name != "" && !c.resources[name] {
			return nil, fmt.Errorf("commit %s has no resource %q of it", short(c.revision), name)
		}
	}
	return out.Bytes(), nil
}

// onlyNamespace returns the namespace of all workloads of the phase that the cluster has, or else that of their Secrets;
// empty if there are several.
func (s *leftover) onlyNamespace() string {
	namespaces := map[string]bool{}
	isWorkload := func(o *unstructured.Unstructured) bool { return slices.Contains(engines.Workloads(), o.GetKind()) }
	_, objects := s.phase()
	hasWorkload := slices.ContainsFunc(objects, isWorkload)
	for _, o := range objects {
		if isWorkload(o) || !hasWorkload && o.GetKind() == "Secret" {
			namespaces[o.GetNamespace()] = true
		}
	}
	if len(namespaces) != 1 {
		return ""
	}
	return slices.Collect(maps.Keys(namespaces))[0]
}

// isIn reports whether a workload is in a namespace.
func isIn(objects []*krm.Item, namespace string) bool {
	return slices.ContainsFunc(objects, func(item *krm.Item) bool {
		return item.Namespace() == namespace && slices.Contains(engines.Workloads(), item.Kind())
	})
}
