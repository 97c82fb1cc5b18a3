package render

import (
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// object returns an object of the blueprint's phase.
func (b *Blueprint) object(namespace, apiVersion, kind, name string, f facts, fields ...manifest.Field) Object {
	fields = append(fields,
		manifest.KV("apiVersion", manifest.String(apiVersion)),
		manifest.KV("kind", manifest.String(kind)),
		manifest.KV("metadata", manifest.NewMap(
			manifest.KV("annotations", f.annotations),
			manifest.KV("labels", f.labels),
			manifest.KV("name", manifest.String(name)),
			manifest.KV("namespace", manifest.String(namespace)),
		)),
	)
	return Object{Kind: kind, Namespace: namespace, Name: name, Phase: string(b.phase), Tree: manifest.NewMap(fields...)}
}

// facts are what an object of a resource is labelled and annotated with. The labels select; the annotations hold the
// true values.
type facts struct{ labels, annotations manifest.Map }

// factsOf returns the facts of a resource in a phase, with those of a step where there is one.
func (b *Blueprint) factsOf(r *Request, phase v1alpha1.Phase, s *step) facts {
	labels := make(manifest.Map, 0, 8)
	annotations := make(manifest.Map, 0, 12)
	both := func(key, value string) {
		labels = append(labels, manifest.KV(key, manifest.String(contract.LabelValue(value))))
		annotations = append(annotations, manifest.KV(key, manifest.String(value)))
	}
	labels = append(labels, manifest.KV(contract.ManagedByKey, manifest.String(contract.ManagedBy)))
	both(contract.PhaseKey, string(phase))
	both(contract.ResourceKey, r.Resource)
	both(contract.SandboxKey, r.Sandbox)
	if s != nil {
		both(contract.StepKey, s.spec.Name)
		if len(s.producers) > 0 {
			annotations = append(annotations,
				manifest.KV(contract.DependsOnKey, manifest.String(strings.Join(b.waitsFor(s), ","))))
		}
	}
	return facts{manifest.NewMap(labels...), manifest.NewMap(annotations...)}
}

// outer adds what is on objects but not on Pod templates: a version that changes nothing in a step leaves its template,
// and so its Job, as it is.
func (b *Blueprint) outer(f facts, r *Request) facts {
	more := append(make(manifest.Map, 0, len(f.annotations)+3), f.annotations...)
	more = append(more,
		manifest.KV(contract.PluginKey, manifest.String(r.Plugin)),
		manifest.KV(contract.RenderedByKey, manifest.String(b.options.RenderedBy)),
	)
	if r.Digest != "" {
		more = append(more, manifest.KV(contract.DigestKey, manifest.String(r.Digest)))
	}
	return facts{f.labels, manifest.NewMap(more...)}
}

// with adds a fact that selects.
func (f facts) with(key, value string) facts {
	return facts{f.labels.With(key, manifest.String(contract.LabelValue(value))), f.annotations.With(key, manifest.String(value))}
}

// metadata is that of a Pod template.
func (f facts) metadata() manifest.Map {
	return manifest.NewMap(manifest.KV("annotations", f.annotations), manifest.KV("labels", f.labels))
}

func (f facts) annotated(key, value string) facts {
	return facts{f.labels, f.annotations.With(key, manifest.String(value))}
}
