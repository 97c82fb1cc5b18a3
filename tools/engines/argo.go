package main

import (
	"fmt"
	"slices"
	"sync"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v3/pkg/client/clientset/versioned/fake"
	"github.com/argoproj/argo-workflows/v3/workflow/templateresolution"
	"github.com/argoproj/argo-workflows/v3/workflow/validate"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
)

var workflowSchema = sync.OnceValues(func() (*schema, error) {
	const file = "manifests/base/crds/full/argoproj.io_workflows.yaml"
	return readSchema("github.com/argoproj/argo-workflows/v3", file, "v1alpha1")
})

type workflow struct {
	text []byte
	wfv1.Workflow
}

func readWorkflow(text []byte) (workload, error) {
	w := &workflow{text: text}
	return w, decodeStrictly(text, &w.Workflow)
}

func (w *workflow) check() []error {
	s, err := workflowSchema()
	if err != nil {
		return []error{err}
	}
	found := s.check(w.text)
	for _, t := range w.Spec.Templates {
		if t.PodSpecPatch != "" { // the controller ignores unknown fields
			strict, err := kjson.UnmarshalStrict([]byte(t.PodSpecPatch), &corev1.PodSpec{})
			found = append(append(found, strict...), err)
		}
	}
	found = slices.DeleteFunc(found, func(err error) bool { return err == nil })
	client := fake.NewSimpleClientset().ArgoprojV1alpha1()
	templates := templateresolution.WrapWorkflowTemplateInterface(client.WorkflowTemplates(w.Namespace))
	clusterTemplates := templateresolution.WrapClusterWorkflowTemplateInterface(client.ClusterWorkflowTemplates())
	if err := validate.ValidateWorkflow(templates, clusterTemplates, &w.Workflow, nil, validate.ValidateOpts{}); err != nil {
		found = append(found, fmt.Errorf("validator: %w", err))
	}
	return found
}

// stored returns the object as the controller writes it with a status update: decoded and encoded again.
func (w *workflow) stored() any { return &w.Workflow }
