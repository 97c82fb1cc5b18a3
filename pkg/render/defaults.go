package render

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// WithDefaults returns the Pod template of a workload that runs no step, merged onto podTemplateDefaults: their labels and
// annotations, and where Pods may run and how images are pulled. Resources are those of steps.
func (o *Options) WithDefaults(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	defaults := o.defaults()
	if defaults == nil {
		return template
	}
	below := &corev1.PodTemplateSpec{ObjectMeta: withoutRequests(&defaults.ObjectMeta), Spec: defaults.Spec}
	below.Spec.Containers = nil
	merged, err := engine.MergeTemplates(below, template)
	if err != nil {
		panic(err) // both are templates of the API
	}
	return merged
}

// setDefaults merges the overlay onto podTemplateDefaults. Its canonical form, and so generations, stay those of the plugin.
func (c *compiledPhase) setDefaults() error {
	defaults := c.options.defaults()
	if defaults == nil {
		return nil
	}
	merged, err := engine.MergeTemplates(defaults, &c.overlay.Template)
	if err != nil {
		return err
	}
	c.overlay.Template = *merged
	return nil
}

// defaults returns podTemplateDefaults, or nil if they are not set or Validate refuses them.
func (o *Options) defaults() *corev1.PodTemplateSpec {
	if o.PodTemplateDefaults == "" {
		return nil
	}
	defaults, problem := overlay.ParseDefaults(o.PodTemplateDefaults)
	if problem != "" {
		return nil
	}
	return defaults
}
