package manager

import (
	"errors"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// task is one run of a subcommand.
type task struct {
	host      Host
	client    *cluster.Client
	plan      contract.Plan
	namespace string
	output    cluster.Ref // without a name if the step has no Secret
}

// task reads the environment variables.
func (h Host) task() (*task, error) {
	t := &task{host: h, namespace: h.Getenv(contract.NamespaceVariable)}
	if t.namespace == "" {
		return nil, variable.Missing(contract.NamespaceVariable)
	}
	var err error
	if t.plan, err = parsePlan(h.Getenv(contract.PlanVariable)); err != nil {
		return nil, err
	}
	t.output = cluster.Ref{Namespace: t.namespace, Name: h.Getenv(contract.OutputSecretVariable)}
	if t.output.Name == "" && len(t.plan.Outputs) > 0 {
		return nil, variable.Missing(contract.OutputSecretVariable)
	}
	t.client, err = h.client(h.Timing)
	return t, err
}

func (h Host) client(timing cluster.Timing) (*cluster.Client, error) {
	return cluster.New(cluster.Config{
		Host: h.Getenv("KUBERNETES_SERVICE_HOST"), Port: h.Getenv("KUBERNETES_SERVICE_PORT"),
		Folder: h.TokenFolder, Timing: timing, Log: h.Reporter.Log,
	})
}

// producers returns the producers of the plan with their Secrets and Jobs. The output manager has no variables for them.
func (t *task) producers() ([]wait.Producer, error) {
	producers := make([]wait.Producer, len(t.plan.Producers))
	for i, producer := range t.plan.Producers {
		from := contract.InputSecretVariable(i)
		name := t.host.Getenv(from)
		if name == "" {
			return nil, variable.Missing(from)
		}
		producers[i] = wait.Producer{
			Producer: producer, Secret: cluster.Ref{Namespace: t.namespace, Name: name},
			Job: t.job(i),
		}
	}
	return producers, nil
}

// ancestors returns the Jobs that the producers of the plan wait for.
func (t *task) ancestors() []cluster.Ref {
	jobs := make([]cluster.Ref, t.plan.Ancestors)
	for i := range jobs {
		jobs[i] = t.job(len(t.plan.Producers) + i)
	}
	return jobs
}

// job returns the Job of a producer or ancestor, without a name if it has none.
func (t *task) job(i int) cluster.Ref {
	return cluster.Ref{Kind: cluster.KindJob, Namespace: t.namespace, Name: t.host.Getenv(contract.InputJobVariable(i))}
}

// parsePlan decodes a plan.
func parsePlan(text string) (contract.Plan, error) {
	var plan contract.Plan
	const message = "cannot read the plan in %s: the helper image must have the version of the function " +
		"that rendered the Pod: %w"
	if err := variable.Decode(contract.PlanVariable, text, message, &plan); err != nil {
		return plan, err
	}
	if plan.Step == "" || plan.Generation == "" {
		return plan, errors.New("the plan must have a step and a generation")
	}
	return plan, nil
}

// record returns the record of the step's own Secret.
func (t *task) record() publish.Record {
	r := publish.Record{
		Client: t.client, Secret: t.output, Generation: t.plan.Generation, Attempts: t.plan.Attempts,
	}
	for _, output := range t.plan.Outputs {
		if output.Workloads {
			r.Workloads = append(r.Workloads, output.Name)
		}
	}
	if t.plan.Created {
		r.Workloads = append(r.Workloads, "")
	}
	return r
}
