package krm

import (
	"bytes"
	"sync"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// Release drops the object's tree, which takes many times the memory of its text; it is parsed again when it is needed.
// A changed tree is printed first. Nodes that RNode and YNode have returned no longer belong to the item. Items made
// from a tree keep it, since their nodes have positions in a file.
//
// In a list with very many items, call it for each as soon as it is read. Other methods must not be called at the same
// time.
func (i *Item) Release() {
	if i.raw == nil || i.source != nil || i.err != nil || i.tree == nil {
		return
	}
	if !i.isRaw() {
		text, err := i.print()
		if err != nil {
			return // writing the item will report it
		}
		i.raw, i.element, i.printed = bytes.Clone(text), false, true
		header, isPlain := scan.Object(i.raw)
		i.header, i.unsure = header, !isPlain
	}
	i.once, i.tree = sync.Once{}, nil
	i.parsed.Store(false)
}

// Forget drops the object's tree and its text for good: only its names are left, for results about it. Other methods must
// not be called at the same time.
func (i *Item) Forget() {
	ref, file := i.Ref(), i.PlaceOf("").File
	i.header = scan.Header{Known: true, APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, Namespace: ref.Namespace}
	i.raw, i.changed, i.before, i.source = nil, false, nil, named(file)
	i.tree = kyaml.NewRNode(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"})
	i.once.Do(func() {})
}

// isRaw reports whether raw is the item.
func (i *Item) isRaw() bool { return !i.changed || i.printed }
