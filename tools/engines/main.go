// Command engines is the oracle of internal/engine: it checks rendered YAML on stdin with Argo Workflows' and Tekton's own
// types, CustomResourceDefinitions and validators. With the argument "pods" it prints the Pods that the engines create,
// after their substitutions, one JSON object per line; with "stored" it prints the objects as the engines store them in a
// cluster. Documents of other kinds are ignored. With `fields ENGINE` it prints the fields of Pods that are newer than an
// engine.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// workload is an object that an engine runs.
type workload interface {
	// check returns the errors that the engine would report.
	check() []error
	// pods returns the Pods of its tasks.
	pods() ([]pod, error)
	// stored returns the object as the engine stores it in the cluster, before it runs anything.
	stored() any
}

// pod is the Pod of a task.
type pod struct {
	Workload, Task string
	Pod            *corev1.Pod
}

// read strictly decodes objects of a kind.
type read func(text []byte) (workload, error)

var kinds = map[[2]string]read{
	{"argoproj.io/v1alpha1", "Workflow"}: readWorkflow,
	{"tekton.dev/v1", "PipelineRun"}:     readPipelineRun,
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) == 2 && args[0] == "fields" {
		return printFields(out, args[1])
	}
	printed := ""
	if len(args) == 1 {
		printed = args[0]
	}
	if len(args) > 1 || !slices.Contains([]string{"", "pods", "stored"}, printed) {
		return errors.New("usage: engines [pods|stored] < rendered.yaml, or engines fields argo|tekton")
	}
	checked := 0
	var found []error
	for documents := kyaml.NewYAMLReader(bufio.NewReader(in)); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		w, name, err := readDocument(text)
		if err != nil {
			found = append(found, fmt.Errorf("%s: %w", name, err))
		}
		if err != nil || w == nil {
			continue
		}
		checked++
		for _, err := range w.check() {
			found = append(found, fmt.Errorf("%s: %w", name, err))
		}
		if err := printWorkload(out, printed, w); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if printed == "" {
		fmt.Fprintf(out, "checked %d\n", checked)
	}
	return errors.Join(found...)
}

// readDocument returns nil for documents that are not workloads.
func readDocument(text []byte) (workload, string, error) {
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, "document", err
	}
	var header struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
	}
	if err := json.Unmarshal(asJSON, &header); err != nil {
		return nil, "document", err
	}
	name := header.Kind + " " + header.Metadata.Name
	reader := kinds[[2]string{header.APIVersion, header.Kind}]
	if reader == nil {
		return nil, name, nil
	}
	w, err := reader(asJSON)
	return w, name, err
}

// decodeStrictly decodes JSON as the API server does with fieldValidation Strict.
func decodeStrictly(text []byte, into runtime.Object) error {
	strict, err := kjson.UnmarshalStrict(text, into)
	return errors.Join(append(strict, err)...)
}

// printWorkload prints the output that the argument selects.
func printWorkload(out io.Writer, what string, w workload) error {
	encoder := json.NewEncoder(out)
	switch what {
	case "pods":
		pods, err := w.pods()
		if err != nil {
			return err
		}
		for _, p := range pods {
			if err := encoder.Encode(p); err != nil {
				return err
			}
		}
	case "stored":
		return encoder.Encode(w.stored())
	}
	return nil
}
