package lifecycle

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// steps are the steps of a phase that a cluster has.
type steps struct {
	phase   v1alpha1.Phase
	objects []*unstructured.Unstructured
	// generations are those of the steps. A generation is a hash of all that a step depends on.
	generations map[string]bool
	began       metav1.Time // the time at which the last one was applied
}

func stepsOf(phase v1alpha1.Phase, objects []*unstructured.Unstructured) steps {
	found := steps{phase: phase, objects: objects, generations: map[string]bool{}}
	for _, o := range objects {
		own := undo.Generations(o.Object)
		maps.Copy(found.generations, own)
		created := o.GetCreationTimestamp()
		isApplied := metav1.GetControllerOfNoCopy(o) == nil // a Pod of a Job is not
		if len(own) > 0 && isApplied && found.began.Before(&created) {
			found.began = created
		}
	}
	return found
}

// state is that of a sandbox whose document is rendered to the phase.
func (s steps) state() string {
	if s.phase == v1alpha1.PhaseDelete {
		return contract.Absent
	}
	return contract.Present
}

// evidence returns the steps that show which sandbox the objects are of: the create steps, and the delete steps if there are
// no others, or if a delete phase began after them. Another repository may have a sandbox of this name, and its leftovers
// must not be taken for the sandbox whose delete phase has run.
func evidence(created, deleted []*unstructured.Unstructured) (shown []steps) {
	create, remove := stepsOf(v1alpha1.PhaseCreate, created), stepsOf(v1alpha1.PhaseDelete, deleted)
	if len(create.generations) > 0 {
		shown = append(shown, create)
	}
	if len(create.generations) == 0 || len(remove.generations) > 0 && !remove.began.Before(&create.began) {
		shown = append(shown, remove)
	}
	return shown
}
