package krm

import (
	"errors"
	"io"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// Trees are the objects of a ResourceList, with the fields of kyaml's framework.ResourceList. Items may be changed, added,
// removed and reordered. Results keep their order.
type Trees struct {
	Items          []*kyaml.RNode
	FunctionConfig *kyaml.RNode // nil if it is absent
	Results        []Result
}

// Run reads a ResourceList from r, calls process with its objects, and writes the list to w. It is framework.Execute of
// kyaml, except that unchanged items keep their bytes and a list that Parse rejects is an error. Every item is parsed and
// compared with its original, which takes as long as with the framework. The example runs a processor of the framework; this
// package does not import that, since it would add a sixth to the time that a function takes to start.
//
// The error of process is returned after the list was written with the results; a program then exits with 1. With any other
// error nothing is written.
func Run(process func(list *Trees) error, r io.Reader, w io.Writer) error {
	src, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	list, err := Parse(src)
	if err != nil {
		return err
	}
	failure, err := list.process(process)
	if err != nil {
		return err
	}
	if _, err := list.WriteTo(w); err != nil {
		return err
	}
	return failure
}

// process calls work with the objects of the list. The failure is the error of work.
func (l *ResourceList) process(work func(list *Trees) error) (failure, err error) {
	if err := parseAll(l.items); err != nil {
		return nil, err
	}
	given := &Trees{}
	if l.config != nil {
		given.FunctionConfig = kyaml.NewRNode(l.config)
	}
	items := make(map[*kyaml.RNode]*Item, len(l.items))
	before := make(map[*Item]*kyaml.Node, len(l.items))
	for _, item := range l.items {
		given.Items = append(given.Items, item.tree)
		items[item.tree] = item
		before[item] = kyaml.CopyYNode(item.YNode())
	}
	annotations, err := kio.PreprocessResourcesForInternalAnnotationMigration(given.Items)
	if err != nil {
		return nil, err
	}
	failure = work(given)
	if err := kio.ReconcileInternalAnnotations(given.Items, annotations); err != nil {
		return nil, errors.Join(err, failure)
	}
	l.items = nil
	for _, tree := range given.Items {
		item := items[tree]
		delete(items, tree) // a tree that is in the list twice is two items
		if item == nil {
			item = FromNode(tree.YNode(), "")
		} else if item.changed = !identical(before[item], tree.YNode()); item.changed {
			if err := kyaml.ClearEmptyAnnotations(tree); err != nil {
				return nil, err
			}
			item.changed = !identical(before[item], tree.YNode())
		}
		l.Append(item)
	}
	for n, result := range given.Results {
		result.order = n
		l.Report(result)
	}
	return failure, nil
}
