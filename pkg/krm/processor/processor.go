// Package processor runs processors that are written for kyaml's framework, on lists that keep the bytes of unchanged items.
//
// Package krm does not import it: a program that links the framework takes a sixth more time to start.
package processor

import (
	"errors"
	"io"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Run reads a ResourceList from r, runs a processor written for kyaml's framework, and writes the list to w. It is
// framework.Execute, except that unchanged items keep their bytes and a list that krm.Parse rejects is an error. Every item
// is parsed and compared with its original, which takes as long as with the framework.
//
// The processor's error is returned after the list was written with the results; a program then exits with 1. With any
// other error nothing is written.
func Run(processor framework.ResourceListProcessor, r io.Reader, w io.Writer) error {
	src, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	list, err := krm.Parse(src)
	if err != nil {
		return err
	}
	failure, err := process(list, processor)
	if err != nil {
		return err
	}
	if _, err := list.WriteTo(w); err != nil {
		return err
	}
	return failure
}

// process runs a processor on copies of the items. The failure is the processor's error.
func process(list *krm.ResourceList, processor framework.ResourceListProcessor) (failure, err error) {
	given := &framework.ResourceList{}
	if config := list.FunctionConfig(); config != nil {
		given.FunctionConfig = kyaml.NewRNode(config)
	}
	items := make(map[*kyaml.RNode]*krm.Item, len(list.Items()))
	for _, item := range list.Items() {
		if err := item.Parse(); err != nil {
			return nil, err
		}
		tree := item.RNode().Copy()
		given.Items = append(given.Items, tree)
		items[tree] = item
	}
	annotations, err := kio.PreprocessResourcesForInternalAnnotationMigration(given.Items)
	if err != nil {
		return nil, err
	}
	failure = processor.Process(given)
	if err := kio.ReconcileInternalAnnotations(given.Items, annotations); err != nil {
		return nil, errors.Join(err, failure)
	}
	list.Remove(list.Items()...)
	for _, tree := range given.Items {
		item, known := items[tree]
		delete(items, tree) // a tree that is in the list twice is two items
		if !known {
			item = krm.FromNode(tree.YNode(), "")
		} else if err := change(item, tree); err != nil {
			return nil, err
		}
		list.Append(item)
	}
	list.ReportInOrder(results(given.Results)...)
	return failure, nil
}

// change replaces an item's tree. If kyaml has removed the last of its annotations, so is the field.
func change(item *krm.Item, tree *kyaml.RNode) error {
	before, err := item.RNode().Pipe(kyaml.Lookup(kyaml.MetadataField, kyaml.AnnotationsField))
	if err != nil {
		return err
	}
	if before == nil || !before.IsNilOrEmpty() {
		if err := kyaml.ClearEmptyAnnotations(tree); err != nil {
			return err
		}
	}
	return item.Edit(func(object *kyaml.RNode) error {
		object.SetYNode(tree.YNode())
		return nil
	})
}

func results(given framework.Results) []krm.Result {
	out := make([]krm.Result, len(given))
	for n, one := range given {
		out[n] = krm.Result{
			Message: one.Message, Severity: krm.Severity(one.Severity), ResourceRef: one.ResourceRef,
			Field: (*krm.Field)(one.Field), File: (*krm.File)(one.File), Tags: one.Tags,
		}
	}
	return out
}
