package render

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// workload adds the Job or Pod of a step or helper of that name. The object's name ends in a hash of its spec: whatever
// changes in what Kubernetes lets nobody change makes another object.
func (r *rendering) workload(what string, template manifest.Map, f facts) {
	spec, apiVersion := template.Map("spec"), "v1"
	if r.options.Workload == Job {
		spec, apiVersion = r.jobSpec(template), "batch/v1"
	}
	text := manifest.AppendJSON(make([]byte, 0, 4096), spec)
	r.checkSize(what, len(text), template.Map("metadata").Map("annotations"))
	name := contract.ObjectName(contract.Hash(string(r.options.Workload), string(text)), r.Sandbox, r.Resource, what)
	object := r.object(r.namespace, apiVersion, string(r.options.Workload), name, f, manifest.KV("spec", spec))
	if r.options.Workload == Pod {
		metadata := overlay.Merge(template, object.Tree.With("spec", nil)).Map("metadata")
		object.Tree = object.Tree.With("metadata", metadata)
	}
	r.objects = append(r.objects, object)
}

// jobSpec is a Job's spec. A Pod that the cluster takes away is replaced; one that fails is not, unless retries are
// asked for.
func (r *rendering) jobSpec(template manifest.Map) manifest.Map {
	spec := manifest.Map{
		manifest.KV("backoffLimit", manifest.Int(r.options.Retries)),
		manifest.KV("podFailurePolicy", ignoreDisruptions),
		manifest.KV("template", template),
	}
	if r.options.TTL != nil {
		spec = append(spec, manifest.KV("ttlSecondsAfterFinished", manifest.Int(*r.options.TTL)))
	}
	return spec
}

var ignoreDisruptions = manifest.NewMap(manifest.KV("rules", manifest.List{manifest.NewMap(
	manifest.KV("action", manifest.String("Ignore")),
	manifest.KV("onPodConditions", manifest.List{manifest.NewMap(
		manifest.KV("status", manifest.String("True")),
		manifest.KV("type", manifest.String("DisruptionTarget")),
	)}),
)}))
