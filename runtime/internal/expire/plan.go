package expire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// task is an object of the delete phase that the program applies.
type task struct {
	ref cluster.Ref
	// step is the step or helper that a Job runs, for messages.
	step string
	body []byte

	exists bool
	stored object
}

// parse rejects unknown fields: a plan of a newer renderer must not be executed in part.
func parse(text []byte) (plan expiry.Plan, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		const cause = "the helper image must have the version of the function that rendered it"
		return plan, fmt.Errorf("cannot read its plan: %s: %w", cause, err)
	}
	switch {
	case contract.CheckSandboxID(plan.ID) != nil:
		return plan, fmt.Errorf("its plan must have the id of a sandbox, not %q", plan.ID)
	case plan.OffsetFrom != expiry.CreatedAt && plan.OffsetFrom != expiry.UpdatedAt:
		return plan, fmt.Errorf("its ttl must count from %s or %s, not %q", expiry.CreatedAt, expiry.UpdatedAt, plan.OffsetFrom)
	case len(plan.Apply) == 0:
		return plan, errors.New("its plan must have a Job")
	}
	return plan, nil
}

// tasks returns the objects that a plan applies: Jobs in its own namespace, and PodDisruptionBudgets, of its sandbox
// and no other.
func tasks(plan *expiry.Plan, namespace string) (all []task, err error) {
	others := plan.Namespaces(namespace)
	for _, text := range plan.Apply {
		var o struct {
			APIVersion string
			Kind       string
			Metadata   struct {
				Namespace, Name string
				Labels          map[string]string
			}
		}
		if err := json.Unmarshal(text, &o); err != nil {
			return nil, fmt.Errorf("its plan must have objects of Kubernetes: %w", err)
		}
		at := o.Metadata
		t := task{body: text, ref: cluster.Ref{Namespace: at.Namespace, Name: at.Name}}
		if step := cmp.Or(at.Labels[contract.StepKey], at.Labels[contract.HelperKey]); step != "" {
			t.step = fmt.Sprintf("resource %q, step %q,", at.Labels[contract.ResourceKey], step)
		}
		isOwn := at.Namespace == namespace
		problem := ""
		switch {
		case o.APIVersion == "batch/v1" && o.Kind == "Job" && isOwn:
			t.ref.Kind = cluster.KindJob
		case o.APIVersion == "policy/v1" && o.Kind == "PodDisruptionBudget" && (isOwn || slices.Contains(others, at.Namespace)):
			t.ref.Kind = cluster.KindBudget
		default:
			problem = "must be a Job of its namespace, or a PodDisruptionBudget"
		}
		if at.Labels[contract.SandboxIDKey] != plan.ID {
			problem = "belongs to another sandbox"
		}
		if problem != "" {
			return nil, fmt.Errorf("nothing is done, since %s %q in namespace %q of its plan %s", o.Kind, at.Name, at.Namespace,
				problem)
		}
		all = append(all, t)
	}
	return all, nil
}
