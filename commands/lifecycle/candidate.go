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
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// candidate is a sandbox as of a revision.
type candidate struct {
	revision    string
	chain       build.Chain
	list        *krm.ResourceList // the sandbox and its plugins
	sandbox     *krm.Item
	resources   map[string]bool
	generations map[v1alpha1.Phase]map[string]bool
}

// configure sets the options of the render: those of the project file, and those that the objects in the cluster show.
func (c *candidate) configure(in *rplug.Inputs, s *leftover) {
	c.chain.NoForks = true
	c.chain.Validate.Rules = map[string]string{}
	if in.Project != nil {
		c.chain.Render.HelperImage = cmp.Or(in.Project.HelperImage, c.chain.Render.HelperImage)
		c.chain.Render.PodTemplateDefaults = in.Project.PodTemplateDefaults
	}
	for _, o := range s.objects() {
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

// addGenerations renders the phase of steps in the cluster, and adds the generations of its steps. If no workload is in the
// namespace, the option runnerNamespace is it.
func (c *candidate) addGenerations(steps steps, namespace string) error {
	objects, err := c.render(steps.state())
	if err != nil {
		return err
	}
	if namespace != "" && !isIn(objects, namespace) {
		c.chain.Render.RunnerNamespace = namespace
		if objects, err = c.render(steps.state()); err != nil {
			return err
		}
	}
	own := map[string]bool{}
	for _, object := range objects {
		content, err := render.ReadObject(object)
		if err != nil {
			return err
		}
		maps.Copy(own, undo.Generations(content))
	}
	c.generations[steps.phase] = own
	return nil
}

// take removes the steps that the candidate has from those that are wanted, and reports whether there were any.
func (c *candidate) take(wanted map[v1alpha1.Phase]map[string]bool) (found bool) {
	for phase, generations := range wanted {
		before := len(generations)
		maps.DeleteFunc(generations, func(one string, _ bool) bool { return c.generations[phase][one] })
		found = found || len(generations) < before
		if len(generations) == 0 {
			delete(wanted, phase)
		}
	}
	return found
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
	for _, o := range s.objects() {
		if slices.Contains(engines.Workloads(), o.GetKind()) && !namespaces[o.GetNamespace()] {
			return nil, fmt.Errorf("commit %s has its delete phase in other namespaces than %s", short(c.revision), o.GetNamespace())
		}
		if name := o.GetLabels()[contract.ResourceKey]; name != "" && !c.resources[name] {
			return nil, fmt.Errorf("commit %s has no resource %q of it", short(c.revision), name)
		}
	}
	return out.Bytes(), nil
}

// objects are those of the phases that identify the sandbox.
func (s *leftover) objects() (all []*unstructured.Unstructured) {
	for _, one := range s.shown {
		all = append(all, one.objects...)
	}
	return all
}

// onlyNamespace returns the namespace of all workloads of these phases, or else that of their Secrets; empty if there are
// several.
func (s *leftover) onlyNamespace() string {
	namespaces := map[string]bool{}
	isWorkload := func(o *unstructured.Unstructured) bool { return slices.Contains(engines.Workloads(), o.GetKind()) }
	objects := s.objects()
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
