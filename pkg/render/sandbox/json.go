package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/tree"
)

// JSON applies the operations of a JSON patch (RFC 6902) in their order. An error names the operation, counted from 1, and
// tells why it cannot be applied.
func JSONPatch(target, operations *yaml.Node) (*yaml.Node, error) {
	if operations.Kind != yaml.SequenceNode {
		return nil, errors.New("must be a list of operations, such as [{op: replace, path: /spec/replicas, value: 1}]")
	}
	for i, operation := range operations.Content {
		var err error
		if target, err = apply(target, operation); err != nil {
			return nil, fmt.Errorf("operation %d (%s %q) %w", i+1, tree.String(operation, "op"), tree.String(operation, "path"), err)
		}
	}
	return target, nil
}

func apply(target, operation *yaml.Node) (*yaml.Node, error) {
	at, err := pointer(operation, "path")
	if err != nil {
		return nil, err
	}
	value := tree.Get(operation, "value")
	op := tree.String(operation, "op")
	switch op {
	case "add", "replace", "test":
		if value == nil {
			return nil, errors.New("must have a value")
		}
	case "move", "copy":
		from, err := pointer(operation, "from")
		if err != nil {
			return nil, err
		}
		if value, err = find(target, from); err != nil {
			return nil, err
		}
		if op == "move" {
			if len(at) > len(from) && slices.Equal(at[:len(from)], from) {
				return nil, errors.New("must not move a value into itself")
			}
			if target, err = edit(target, from, remove, nil); err != nil {
				return nil, err
			}
		}
	}
	switch op {
	case "add", "move", "copy":
		return edit(target, at, add, value)
	case "replace":
		return edit(target, at, replace, value)
	case "remove":
		return edit(target, at, remove, nil)
	case "test":
		return target, test(target, at, value)
	}
	return nil, fmt.Errorf("must have an op of add, remove, replace, move, copy and test, not %q", op)
}

func test(target *yaml.Node, at []string, want *yaml.Node) error {
	found, err := find(target, at)
	if err != nil {
		if tree.IsNull(want) {
			return nil // as kubectl has it: what is not there is null
		}
		return err
	}
	if !tree.Equal(found, want) {
		return errors.New("must find the value that it tests for: the workload has another one there")
	}
	return nil
}

// pointer reads a JSON pointer (RFC 6901); the empty one is the document.
func pointer(operation *yaml.Node, key string) ([]string, error) {
	node := tree.Get(operation, key)
	if node == nil || node.Kind != yaml.ScalarNode || node.Value != "" && node.Value[0] != '/' {
		return nil, fmt.Errorf("must have a %s that begins with a slash", key)
	}
	if node.Value == "" {
		return nil, nil
	}
	tokens := strings.Split(node.Value[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens, nil
}

func find(node *yaml.Node, at []string) (*yaml.Node, error) {
	for i, token := range at {
		child, err := step(node, token)
		if err != nil {
			return nil, fmt.Errorf("%w (at %q)", err, "/"+strings.Join(at[:i+1], "/"))
		}
		node = node.Content[child]
	}
	return node, nil
}

var errNowhere = errors.New("must lead to a value that is there")

// step returns where in a node's content the child is that a token names.
func step(node *yaml.Node, token string) (int, error) {
	switch node.Kind {
	case yaml.MappingNode:
		if at := tree.Find(node, token); at >= 0 {
			return at + 1, nil
		}
	case yaml.SequenceNode:
		if at, err := index(token, len(node.Content)); err == nil && at < len(node.Content) {
			return at, nil
		}
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode: // nothing that a token could name
	}
	return 0, errNowhere
}

// index reads an index of a list of n elements, at most n; as for kubectl a negative one counts from the end.
func index(token string, n int) (int, error) {
	at, err := strconv.Atoi(token)
	if at < 0 {
		at += n
	}
	if err != nil || at < 0 || at > n {
		return 0, fmt.Errorf("must have an index between 0 and %d, not %q", n, token)
	}
	return at, nil
}

type verb int

const (
	add verb = iota
	replace
	remove
)

// edit returns a tree that is changed at a pointer.
func edit(node *yaml.Node, at []string, do verb, value *yaml.Node) (*yaml.Node, error) {
	if len(at) == 0 {
		if do == remove {
			return nil, errors.New("must not remove the whole object")
		}
		return value, nil
	}
	if len(at) == 1 {
		return editChild(node, at[0], do, value)
	}
	child, err := step(node, at[0])
	if err != nil {
		return nil, err
	}
	fresh, err := edit(node.Content[child], at[1:], do, value)
	if err != nil {
		return nil, err
	}
	content := slices.Clone(node.Content)
	content[child] = fresh
	return tree.WithContent(node, content), nil
}

func editChild(node *yaml.Node, token string, do verb, value *yaml.Node) (*yaml.Node, error) {
	if do == add && node.Kind == yaml.SequenceNode {
		at, err := len(node.Content), error(nil)
		if token != "-" {
			at, err = index(token, len(node.Content))
		}
		if err != nil {
			return nil, err
		}
		return tree.WithContent(node, slices.Insert(slices.Clone(node.Content), at, value)), nil
	}
	if do == add && node.Kind == yaml.MappingNode {
		return tree.With(node, token, value), nil
	}
	child, err := step(node, token)
	switch {
	case err != nil:
		return nil, err
	case node.Kind == yaml.MappingNode && do == remove:
		return tree.Without(node, token), nil
	case node.Kind == yaml.MappingNode:
		return tree.With(node, token, value), nil
	case do == remove:
		return tree.WithContent(node, slices.Delete(slices.Clone(node.Content), child, child+1)), nil
	}
	content := slices.Clone(node.Content)
	content[child] = value
	return tree.WithContent(node, content), nil
}
