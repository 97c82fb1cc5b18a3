package registry

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// document is the YAML document of a file.
type document struct {
	file string // the name in messages
	root *yaml.Node
}

func (d *document) apiVersion() string { return Text(d.root, "apiVersion") }

func (d *document) kind() string { return Text(d.root, "kind") }

// document reads a file as one YAML document, with its aliases replaced. It returns nil if the file cannot be read or has
// no content.
func (r *Package) document(file string, content []byte) *document {
	root, problem := onlyDocument(content)
	if problem == nil && root != nil {
		problem = nesting(root)
	}
	if problem != nil {
		r.report(file, problem.Severity, problem.Message)
		r.findings[len(r.findings)-1].Line = problem.Line
		return nil
	}
	if root == nil {
		return nil
	}
	expanded, problems := strictyaml.Expand(root, "")
	if r.problems(&document{r.shown(file), root}, problems); len(problems) > 0 {
		return nil
	}
	d := &document{r.shown(file), expanded}
	r.problems(d, unrepeated(expanded, ""))
	return d
}

// unrepeated reports repeated keys and removes all but the last one, which crossplane used.
func unrepeated(node *yaml.Node, at field.Path) []strictyaml.Problem {
	var problems []strictyaml.Problem
	if node.Kind != yaml.MappingNode {
		for i, element := range node.Content {
			problems = append(problems, unrepeated(element, at.Index(i))...)
		}
		return problems
	}
	last := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		last[node.Content[i].Value] = i
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if last[key.Value] == i {
			kept = append(kept, key, value)
			problems = append(problems, unrepeated(value, at.Key(key.Value))...)
			continue
		}
		problem := strictyaml.Repeated(at.Key(key.Value), key.Value)
		problem.Severity, problem.Line, problem.Column = strictyaml.SeverityWarning, key.Line, key.Column
		problem.Message += "; the last one counts"
		problems = append(problems, problem)
	}
	node.Content = kept
	return problems
}

// mismatch reports the reason why crossplane could not decode a file. It returns false if crossplane could decode it.
func (r *Package) mismatch(d *document, kind string, content []byte) bool {
	if r.options.Mismatch == nil {
		return false
	}
	found := r.options.Mismatch(kind, content)
	if found != nil {
		r.problems(d, []strictyaml.Problem{*found})
	}
	return found != nil
}

// onlyDocument returns the only document of a text that has content.
func onlyDocument(content []byte) (*yaml.Node, *strictyaml.Problem) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var only *yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return only, nil
		case err != nil:
			_, problem := strictyaml.Parse(content) // for the wording of the error
			if problem == nil {
				wrapped := strictyaml.Error("", "must be valid YAML: %s", err)
				problem = &wrapped
			}
			return nil, problem
		case document.Content[0].ShortTag() == "!!null":
		case only != nil:
			problem := strictyaml.Error("", "must be one YAML document: move the second one, which begins here, to another file")
			problem.Line = document.Content[0].Line
			return nil, &problem
		default:
			only = document.Content[0]
		}
	}
}

// nesting reports a tree that is nested too deeply.
func nesting(root *yaml.Node) *strictyaml.Problem {
	level := []*yaml.Node{root}
	for range maxLevels {
		var below []*yaml.Node
		for _, node := range level {
			below = append(below, node.Content...)
		}
		if level = below; len(level) == 0 {
			return nil
		}
	}
	problem := strictyaml.Error("", "must not be nested in more than %d lists and mappings", maxLevels)
	problem.Line = level[0].Line
	return &problem
}

// decode decodes a file into target and reports its problems. It returns false if there is nothing to decode.
func (r *Package) decode(file string, content []byte, target any) bool {
	d := r.document(file, content)
	if d == nil {
		return false
	}
	r.problems(d, strictyaml.Into(d.root, "", target))
	return true
}
