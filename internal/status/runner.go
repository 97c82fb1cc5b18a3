package status

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/pkg/render/engine/argo"
)

// runner identifies what has made a Pod: a workload, and the task of it if it has several.
type runner struct {
	identity
	task string
}

func (t *task) runner() runner { return runner{t.identity(), t.name} }

func (t *task) identity() identity { return identity{t.kind, t.Namespace, t.Name} }

// runnerOf returns what has made a Pod; the Pod itself if nothing has.
func runnerOf(p *corev1.Pod) runner {
	if name := p.Labels[batchv1.JobNameLabel]; name != "" {
		return runner{identity{jobKind, p.Namespace, name}, ""}
	}
	for _, owner := range p.OwnerReferences {
		if owner.Kind == jobKind {
			return runner{identity{jobKind, p.Namespace, owner.Name}, ""}
		}
	}
	if name := p.Labels[podLabels[workflowKind]]; name != "" {
		return runner{identity{workflowKind, p.Namespace, name}, taskOfNode(name, p.Annotations[nodeNameKey])}
	}
	if name := p.Labels[podLabels[pipelineRunKind]]; name != "" {
		return runner{identity{pipelineRunKind, p.Namespace, name}, p.Labels[pipelineTaskLabel]}
	}
	return runner{identity{podKind, p.Namespace, p.Name}, ""}
}

// podLabels are the labels of Pods with the names of their workloads.
var podLabels = map[string]string{
	jobKind:         batchv1.JobNameLabel,
	workflowKind:    "workflows." + argo.Group + "/workflow",
	pipelineRunKind: PipelineRunLabel,
}
