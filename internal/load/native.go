package load

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// native reads a `name` and `spec` document: it fills in the templates, infers the kind and makes the object.
func (r *reader) native(root *yaml.Node) {
	d := Document{Native: true, Problems: topLevel(root)}
	files := &embedFolder{path: r.source.folder(), outside: r.options.EmbedOutside, files: r.options.Files,
		shared: r.shared}
	e := &Expander{Values: r.options.Values, Files: files, KeepUnset: r.options.KeepUnset, shared: r.shared}
	for i := 0; i+1 < len(root.Content); i += 2 {
		e.Expand(root.Content[i+1], pathOf(root.Content[i].Value))
	}
	d.Problems = append(d.Problems, e.Problems...)
	d.Failed, d.Unset, d.Origins = e.Failed, e.Unset(), e.Origins
	r.embedded = files.read
	r.places.fill(e, files.read)
	spec := value(root, "spec")
	kind, err := kindOf(spec)
	switch {
	case err != nil && len(e.Failed) == 0:
		r.report(spec.Line, spec.Column, krm.Error, err.Error())
		return
	case err != nil && len(e.Problems) == 0:
		r.report(spec.Line, spec.Column, krm.Warning,
			"spec cannot be checked without the values of its variables: give them with --set or --values")
		return
	}
	d.Item = krm.FromSource(object(root, kind), r.places)
	r.documents = append(r.documents, d)
}

// pathOf returns the path of a native document's key in the object.
func pathOf(key string) krm.Path {
	if strings.EqualFold(key, "name") {
		return "metadata.name"
	}
	return krm.Path("").Key(key)
}

// object makes the KRM object of a native document: the name becomes metadata.name, and the spec stays as it is.
func object(root *yaml.Node, kind string) *yaml.Node {
	name, spec := key(root, "name"), key(root, "spec")
	metadata := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: root.Line, Column: root.Column}
	if name >= 0 {
		root.Content[name].Value = "name"
		metadata.Line, metadata.Column = root.Content[name].Line, root.Content[name].Column
		metadata.Content = []*yaml.Node{root.Content[name], root.Content[name+1]}
	}
	root.Content[spec].Value = "spec"
	at := func(value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: root.Line, Column: root.Column}
	}
	first := at("apiVersion")
	first.HeadComment = headComment(root)
	return &yaml.Node{
		Kind: yaml.MappingNode, Tag: "!!map", Line: root.Line, Column: root.Column,
		Content: []*yaml.Node{
			first, at(contract.APIVersion), at("kind"), at(kind), at("metadata"), metadata,
			root.Content[spec], root.Content[spec+1],
		},
	}
}

// headComment removes and returns the comment in front of a document, without an interpreter line (#!).
func headComment(root *yaml.Node) string {
	first := root.Content[0]
	comment := first.HeadComment
	first.HeadComment = ""
	if strings.HasPrefix(comment, "#!") {
		_, comment, _ = strings.Cut(comment, "\n")
	}
	return strings.TrimLeft(comment, "\n")
}

// value returns the value of a key of a native document, nil if it is absent.
func value(root *yaml.Node, name string) *yaml.Node {
	if at := key(root, name); at >= 0 {
		return root.Content[at+1]
	}
	return nil
}

// topLevel checks the keys of a native document. The vendor's tool ignores those it does not know.
func topLevel(root *yaml.Node) []strictyaml.Problem {
	var problems []strictyaml.Problem
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		node := root.Content[i]
		problem := topLevelKey(node.Value, seen)
		if problem.Message == "" {
			continue
		}
		problem.Path, problem.Key = krm.Path("").Key(node.Value), node.Value
		problem.Line, problem.Column = node.Line, node.Column
		problems = append(problems, problem)
	}
	return problems
}

func topLevelKey(name string, seen map[string]bool) strictyaml.Problem {
	known := strings.ToLower(name)
	switch {
	case known == "version":
		return strictyaml.Problem{Rule: strictyaml.RuleUnknown, Severity: strictyaml.SeverityWarning,
			Message: `key "version" is ignored: the version must be part of the name, as in name: hello-db@1.2.0`}
	case known != "name" && known != "spec":
		return strictyaml.Problem{Rule: strictyaml.RuleUnknown, Severity: strictyaml.SeverityWarning,
			Message: fmt.Sprintf("key %q is ignored: a native document has name and spec only", name)}
	case seen[known]:
		return strictyaml.Problem{Rule: strictyaml.RuleDuplicate, Severity: strictyaml.SeverityError,
			Message: fmt.Sprintf("must be given once: key %q is repeated", name)}
	}
	seen[known] = true
	if known != name {
		return strictyaml.Problem{Rule: strictyaml.RuleUnknown, Severity: strictyaml.SeverityError, Proposed: known,
			Message: fmt.Sprintf("unknown key %q: did you mean %q?", name, known)}
	}
	return strictyaml.Problem{}
}
