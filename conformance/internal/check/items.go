package check

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// equal-items: the items mean the same as those of another case.
func equalItems(j *judgement) error {
	other := j.runOf(j.c.Check.Case)
	if other == nil || !j.answered() {
		return nil
	}
	j.compare(other.list, j.only().list)
	return nil
}

// compare reports how the items of two lists differ.
func (j *judgement) compare(want, got *resourcelist.List) {
	if want == nil || got == nil {
		j.problem("there is no list to compare")
		return
	}
	if len(want.Items) != len(got.Items) {
		j.problem("%d items, want %d", len(got.Items), len(want.Items))
		return
	}
	for i := range want.Items {
		if !reflect.DeepEqual(resourcelist.Canonical(want.Items[i]), resourcelist.Canonical(got.Items[i])) {
			j.problem("items[%d] (%s %s) differs", i, text(got.Items[i], "kind"), text(got.Items[i], "metadata", "name"))
		}
	}
}

// items-or-refusal: the output has a list of items, or the function fails.
func itemsOrRefusal(j *judgement) error {
	r := j.only()
	if r.Exit != 0 {
		return nil
	}
	if r.err != nil {
		j.problem("exit code 0, but %s", r.err)
		return nil //nolint:nilerr // it is a problem of the function, not of the check
	}
	if items := resourcelist.Get(r.list.Root, "items"); items == nil || items.Kind != yaml.SequenceNode {
		j.problem("exit code 0, and the output has no list `items`")
	}
	return nil
}

// refuses: the exit code is not 0.
func refuses(j *judgement) error {
	if r := j.only(); r.Exit == 0 {
		j.problem("exit code 0; stdout begins with %s", shorten(string(r.Stdout)))
	}
	return nil
}

// finds: the exit code is not 0, or there is a result of severity error.
func finds(j *judgement) error {
	if r := j.only(); r.Exit == 0 && !r.hasError() {
		j.problem("exit code 0 and no result of severity error; stdout begins with %s", shorten(string(r.Stdout)))
	}
	return nil
}

// values: the output has these values.
func values(j *judgement) error {
	if !j.answered() {
		return nil
	}
	for _, want := range j.c.Check.Values {
		name := want.Probe + ": " + strings.Join(want.Path, ".")
		item := j.only().list.Probe(want.Probe)
		if item == nil {
			j.problem("the item %s is missing", want.Probe)
			continue
		}
		got := resourcelist.Get(item, want.Path...)
		if got == nil {
			if !want.Optional {
				j.problem("%s is missing", name)
			}
			continue
		}
		var expected yaml.Node
		if err := yaml.Unmarshal([]byte(want.Equals), &expected); err != nil {
			return err
		}
		wanted, found := resourcelist.Canonical(expected.Content[0]), resourcelist.Canonical(got)
		if !reflect.DeepEqual(wanted, found) {
			j.problem("%s is %v, want %v", name, shorten(describe(found)), shorten(describe(wanted)))
		}
	}
	return nil
}

func describe(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	out, err := yaml.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// texts: stdout has these texts.
func texts(j *judgement) error {
	if !j.answered() {
		return nil
	}
	for _, want := range j.c.Check.Texts {
		if !strings.Contains(string(j.only().Stdout), want) {
			j.problem("the output does not have %s", shorten(want))
		}
	}
	return nil
}

// comments: the output has these comments.
func comments(j *judgement) error {
	if !j.answered() {
		return nil
	}
	var found strings.Builder
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		found.WriteString(node.HeadComment + "\n" + node.LineComment + "\n" + node.FootComment + "\n")
		for _, child := range node.Content {
			walk(child)
		}
	}
	for _, item := range j.only().list.Items {
		walk(item)
	}
	for _, want := range j.c.Check.Texts {
		if !strings.Contains(found.String(), want) {
			j.problem("the comment %q is lost", want)
		}
	}
	return nil
}

// order: the items of the suite that are in the output are in the order of the input.
func order(j *judgement) error {
	if !j.answered() {
		return nil
	}
	input, err := resourcelist.Read(j.only().Stdin)
	if err != nil {
		return err
	}
	before, after := probes(input), probes(j.only().list)
	before = slices.DeleteFunc(before, func(name string) bool { return !slices.Contains(after, name) })
	if !slices.Equal(before, after) {
		j.problem("the order is %s, want %s", strings.Join(after, ", "), strings.Join(before, ", "))
	}
	return nil
}

func probes(list *resourcelist.List) []string {
	var names []string
	for _, item := range list.Items {
		if name := resourcelist.ProbeOf(item); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// field-order: the fields of the spec of the first item of the suite that are in the output are in the order of the input.
func fieldOrder(j *judgement) error {
	if !j.answered() {
		return nil
	}
	input, err := resourcelist.Read(j.only().Stdin)
	if err != nil {
		return err
	}
	name := probes(input)[0]
	before, after := fields(input.Probe(name)), fields(j.only().list.Probe(name))
	before = slices.DeleteFunc(before, func(field string) bool { return !slices.Contains(after, field) })
	after = slices.DeleteFunc(after, func(field string) bool { return !slices.Contains(before, field) })
	if !slices.Equal(before, after) {
		j.problem("the fields of spec are %s, want %s", strings.Join(after, ", "), strings.Join(before, ", "))
	}
	return nil
}

func fields(item *yaml.Node) []string {
	var names []string
	if spec := resourcelist.Get(item, "spec"); spec != nil {
		for i := 0; i < len(spec.Content); i += 2 {
			names = append(names, spec.Content[i].Value)
		}
	}
	return names
}

// unchanged: the items are those of the input.
func unchanged(j *judgement) error {
	if !j.answered() {
		return nil
	}
	input, err := resourcelist.Read(j.only().Stdin)
	if err != nil {
		return err
	}
	j.compare(input, j.only().list)
	return nil
}
