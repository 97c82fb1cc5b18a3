package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// function is a small KRM function that changes nothing, and rejects items with spec.invalid. Faults change its behaviour.
type function struct {
	input  []byte
	root   *yaml.Node
	items  *yaml.Node
	config *yaml.Node
	fault  fault
}

// fault is the behaviour of a faulty function. All fields may be nil.
type fault struct {
	before func(f *function) error // is called before the input is parsed; f.input may be changed
	syntax func(f *function, err error) error
	check  func(f *function) error // may reject the list
	edit   func(f *function)       // may change the list
	result func(result map[string]any)
	output func(text string) string // may change the output
	fail   func(err error) int      // replaces the message of a failure and the exit code
	code   func(code int) int
}

// main runs the function as a process would, and returns its exit code.
func (f *function) main() int {
	code, err := f.run()
	switch {
	case err == nil:
		if f.fault.code != nil {
			code = f.fault.code(code)
		}
		return code
	case f.fault.fail != nil:
		return f.fault.fail(err)
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 2
}

func (f *function) run() (int, error) {
	var err error
	if f.input, err = io.ReadAll(os.Stdin); err != nil {
		return 0, err
	}
	if f.fault.before != nil {
		if err := f.fault.before(f); err != nil {
			return 0, err
		}
	}
	if err := f.parse(); err != nil {
		return 0, err
	}
	if f.fault.check != nil {
		if err := f.fault.check(f); err != nil {
			return 0, err
		}
	}
	if f.fault.edit != nil {
		f.fault.edit(f)
	}
	code := f.validate()
	return code, f.print()
}

func (f *function) parse() error {
	if !utf8.Valid(f.input) {
		return errors.New("the input must be UTF-8")
	}
	var document yaml.Node
	if err := yaml.Unmarshal(f.input, &document); err != nil {
		if f.fault.syntax == nil {
			return err
		}
		if err := f.fault.syntax(f, err); err != nil {
			return err
		}
		if err := yaml.Unmarshal(f.input, &document); err != nil {
			return err
		}
	}
	f.root = document.Content[0]
	f.items, f.config = resourcelist.Get(f.root, "items"), resourcelist.Get(f.root, "functionConfig")
	kind := resourcelist.Get(f.root, "kind")
	if kind == nil || kind.Value != "ResourceList" {
		return errors.New("the input must be a ResourceList")
	}
	if f.items == nil || f.items.ShortTag() == "!!null" {
		f.items = &yaml.Node{Kind: yaml.SequenceNode}
		f.set("items", f.items)
	}
	if f.items.Kind != yaml.SequenceNode {
		return errors.New("items must be a list")
	}
	for _, item := range f.items.Content {
		if item.Kind != yaml.MappingNode {
			return errors.New("an item must be an object")
		}
	}
	return nil
}

// validate adds a result for each item with spec.invalid.
func (f *function) validate() int {
	var results []any
	for _, item := range f.items.Content {
		if resourcelist.Get(item, "spec", "invalid") == nil {
			continue
		}
		result := map[string]any{
			"message": "is invalid", "severity": "error",
			"resourceRef": map[string]any{"apiVersion": text(item, "apiVersion"), "kind": text(item, "kind"),
				"name": text(item, "metadata", "name"), "namespace": "conformance"},
			"field": map[string]any{"path": "spec.invalid"},
			"file":  map[string]any{"path": "probe.yaml", "index": 0},
			"tags":  map[string]any{"rule": "invalid"},
		}
		if f.fault.result != nil {
			f.fault.result(result)
		}
		results = append(results, result)
	}
	if results == nil {
		return 0
	}
	var node yaml.Node
	if err := node.Encode(results); err != nil {
		panic(err)
	}
	f.set("results", &node)
	fmt.Fprintln(os.Stderr, "error: an item is invalid")
	return 1
}

// set sets a field of the list.
func (f *function) set(key string, value *yaml.Node) {
	for i := 0; i < len(f.root.Content); i += 2 {
		if f.root.Content[i].Value == key {
			f.root.Content[i+1] = value
			return
		}
	}
	f.root.Content = append(f.root.Content, scalarNode(key), value)
}

func (f *function) print() error {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	if err := encoder.Encode(f.root); err != nil {
		return err
	}
	printed := out.String()
	if f.fault.output != nil {
		printed = f.fault.output(printed)
	}
	_, err := io.WriteString(os.Stdout, printed)
	return err
}

func scalarNode(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// walk calls visit for each node, and removes those that visit does not keep from their mapping or list.
func walk(node *yaml.Node, visit func(key string, value *yaml.Node) (keep bool)) {
	switch node.Kind {
	case yaml.MappingNode:
		var kept []*yaml.Node
		for i := 0; i+1 < len(node.Content); i += 2 {
			if key, value := node.Content[i], node.Content[i+1]; visit(key.Value, value) {
				walk(value, visit)
				kept = append(kept, key, value)
			}
		}
		node.Content = kept
	case yaml.SequenceNode:
		node.Content = slices.DeleteFunc(node.Content, func(value *yaml.Node) bool {
			keep := visit("", value)
			walk(value, visit)
			return !keep
		})
	}
}

// generate adds items once; the text is a YAML list of objects of kind Generated.
func generate(list string) fault {
	return fault{edit: func(f *function) {
		for _, item := range f.items.Content {
			if strings.HasPrefix(text(item, "metadata", "labels", "generated"), "yes") {
				return
			}
		}
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(list), &document); err != nil {
			panic(err)
		}
		f.items.Style = 0 // an empty list is in flow style
		f.items.Content = append(f.items.Content, document.Content[0].Content...)
	}}
}

// without is the fault of a function that removes a field everywhere.
func without(keys ...string) fault {
	return editNodes(func(key string, _ *yaml.Node) bool { return !slices.Contains(keys, key) })
}

func editNodes(visit func(key string, value *yaml.Node) (keep bool)) fault {
	return fault{edit: func(f *function) { walk(f.items, visit) }}
}
