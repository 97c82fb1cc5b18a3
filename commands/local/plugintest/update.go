package plugintest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Update writes the actual values of outputs into expectations `equals` that differ. All other bytes of the files stay. read
// returns the content of a file of the documents. The lines report the changes, and those that must be made by hand.
func (r *Report) Update(ctx context.Context, read func(file string) []byte) (lines []string, err error) {
	files := edit.NewFiles(read)
	changes := map[string][]edit.Edit{}
	for _, t := range r.Tests {
		for _, testCase := range t.cases {
			for _, expected := range testCase.outdated() {
				file := t.test.Item.PlaceOf(expected.path).File
				change, err := t.change(files, expected)
				if err != nil {
					lines = append(lines, fmt.Sprintf("not updated: %s: %s: %v", file, expected.path, err))
					continue
				}
				changes[file] = append(changes[file], change)
				lines = append(lines, fmt.Sprintf("updated: %s: %s", file, expected.path))
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(changes)) {
		before := read(file)
		after, err := edit.Apply(file, before, changes[file])
		if err != nil {
			return lines, fmt.Errorf("%s: %w", file, err)
		}
		if bytes.Equal(before, after) {
			continue
		}
		if err := atomicfile.UpdateFile(ctx, filepath.FromSlash(file), func() ([]byte, error) { return after, nil }); err != nil {
			return lines, err
		}
	}
	return lines, nil
}

// outdated is an expected value that differs from the published one.
type outdated struct {
	path  krm.Path
	value []byte
}

// outdated returns the expectations of a case that differ from the outputs of its first round.
func (r *caseRun) outdated() []outdated {
	var all []outdated
	index := slices.IndexFunc(r.test.Spec.Cases, func(c v1alpha1.TestCase) bool { return c.Name == r.testCase.Name })
	for _, phase := range v1alpha1.Phases {
		for n, expected := range r.testCase.Expectation(phase).Outputs {
			value, published := r.got[phase][key(expected.Step, expected.Output)]
			if expected.Equals == nil || !published || string(value) == *expected.Equals {
				continue
			}
			path := krm.Path("spec.cases").Index(index).Key(string(phase)).Key("outputs").Index(n).Key("equals")
			all = append(all, outdated{path, value})
		}
	}
	return all
}

// change returns the edit that writes a value.
func (t *TestReport) change(files *edit.Files, expected outdated) (edit.Edit, error) {
	if !utf8.Valid(expected.value) {
		return edit.Edit{}, errors.New("the value is not text: expect something else than equals")
	}
	result := krm.At(t.test.Item, expected.path, krm.Error, "")
	_, scalar, err := files.Scalar(result)
	if err != nil {
		return edit.Edit{}, err
	}
	if scalar.Block {
		return edit.Edit{}, errors.New("a value of several lines must be changed by hand")
	}
	style := scalar.Style
	if isJSON(t.File) {
		style = yaml.DoubleQuotedStyle
	}
	return edit.Edit{From: scalar.Start, To: scalar.End, Text: yamlprint.Quote(string(expected.value), style)}, nil
}

func isJSON(file string) bool { return filepath.Ext(file) == ".json" }
