package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/publish"
	"github.com/resource-plugins/krm-functions/runtime/internal/wait"
)

// task is one subcommand's work.
type task struct {
	host      Host
	client    *cluster.Client
	plan      contract.Plan
	namespace string
	output    cluster.Ref // without a name where the step has no Secret
}

// task reads the variables.
func (h Host) task() (*task, error) {
	t := &task{host: h, namespace: h.Getenv(contract.NamespaceVariable)}
	if t.namespace == "" {
		return nil, missing(contract.NamespaceVariable)
	}
	var err error
	if t.plan, err = parse(h.Getenv(contract.PlanVariable)); err != nil {
		return nil, err
	}
	t.output = cluster.Ref{Namespace: t.namespace, Name: h.Getenv(contract.OutputSecretVariable)}
	if t.output.Name == "" && len(t.plan.Outputs) > 0 {
		return nil, missing(contract.OutputSecretVariable)
	}
	t.client, err = cluster.New(cluster.Config{
		Host: h.Getenv("KUBERNETES_SERVICE_HOST"), Port: h.Getenv("KUBERNETES_SERVICE_PORT"),
		Folder: h.TokenFolder, Timing: h.Timing,
	})
	return t, err
}

// producers are the plan's, with their Secrets' names. The output manager has no variables with them.
func (t *task) producers() ([]wait.Producer, error) {
	producers := make([]wait.Producer, len(t.plan.Producers))
	for i, producer := range t.plan.Producers {
		variable := contract.InputSecretVariable(i)
		name := t.host.Getenv(variable)
		if name == "" {
			return nil, missing(variable)
		}
		producers[i] = wait.Producer{Producer: producer, Secret: cluster.Ref{Namespace: t.namespace, Name: name}}
	}
	return producers, nil
}

// parse reads a plan strictly: a field that this helper does not know is one that it would not obey.
func parse(text string) (contract.Plan, error) {
	var plan contract.Plan
	if text == "" {
		return plan, missing(contract.PlanVariable)
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return plan, fmt.Errorf("the plan in %s is not one that this helper image understands: it must be of the version "+
			"that rendered the Pod: %w", contract.PlanVariable, err)
	}
	if plan.Step == "" || plan.Generation == "" {
		return plan, errors.New("the plan must have a step and a generation")
	}
	return plan, nil
}

func missing(variable string) error {
	return fmt.Errorf("the variable %s must be set: the Pod must be as it was rendered", variable)
}

// record is the step's own Secret.
func (t *task) record() publish.Record {
	return publish.Record{
		Client: t.client, Secret: t.output, Generation: t.plan.Generation, Attempts: t.plan.Attempts,
	}
}
