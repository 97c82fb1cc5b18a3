package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// schema: the list, or each item or result, of the run conforms to a schema.
func schema(j *judgement) error {
	compiled, err := j.compile()
	if err != nil {
		return err
	}
	if j.answered() {
		for _, problem := range violations(compiled, j.c.Check.Of, j.only().list) {
			j.problem("%s", problem)
		}
	}
	return nil
}

// every-schema: each result, or the list, of every run conforms to a schema.
func everySchema(j *judgement) error {
	compiled, err := j.compile()
	if err != nil {
		return err
	}
	seen := false
	for _, r := range j.runs {
		if r.list == nil {
			continue
		}
		if resourcelist.Get(r.list.Root, "results") != nil {
			seen = true
		}
		for _, problem := range violations(compiled, j.c.Check.Of, r.list) {
			j.problemOf(r, "%s", problem)
		}
	}
	if !seen {
		j.unknown = "no run had results: give a list that the function rejects, with --invalid FILE"
	}
	return nil
}

func (j *judgement) compile() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("case.json", j.c.Check.Schema); err != nil {
		return nil, err
	}
	return compiler.Compile("case.json")
}

// violations returns one line for each node that does not conform.
func violations(compiled *jsonschema.Schema, of string, list *resourcelist.List) []string {
	nodes, name := []*yaml.Node{list.Root}, "the list"
	switch of {
	case "result-list":
		nodes, name = nil, "results"
		if results := resourcelist.Get(list.Root, "results"); results != nil {
			nodes = []*yaml.Node{results}
		}
	case "items":
		nodes, name = list.Items, "items[%d]"
	case "results":
		nodes, name = list.Results, "results[%d]"
	}
	var found []string
	for i, node := range nodes {
		err := compiled.Validate(resourcelist.Plain(node))
		if err == nil {
			continue
		}
		where := name
		if strings.Contains(name, "%d") {
			where = fmt.Sprintf(name, i)
		}
		found = append(found, where+": "+explain(err))
	}
	return found
}

// explain returns the innermost reasons of a validation error in one line.
func explain(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(invalid.Error()), "\n")
	return strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- ")
}
