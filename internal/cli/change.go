package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// change is what a result proposes, as other bytes of a file.
type change struct {
	file string
	text *edit.Text
	// edit counts from behind a byte order mark.
	edit edit.Edit
}

// isCertain tells whether a result proposes what must be there instead.
func isCertain(result krm.Result) bool {
	return result.Field != nil && result.Field.ProposedValue != nil
}

// change returns the change that a result proposes: another value, or another key. The error says why it must be made
// by hand.
func (t *texts) change(result krm.Result) (change, error) {
	text, scalar, err := t.scalar(result)
	if err != nil {
		return change{}, err
	}
	if scalar.Block {
		return change{}, errors.New("a value of several lines must be changed by hand")
	}
	written, err := written(result.Field.ProposedValue, scalar.Style)
	return change{
		file: result.Place.File, text: text,
		edit: edit.Edit{From: scalar.Start, To: scalar.End, Text: written},
	}, err
}

// scalar finds the value or key that a result shows at its place.
func (t *texts) scalar(result krm.Result) (*edit.Text, *edit.Scalar, error) {
	place := result.Place
	text := t.of(place.File)
	if text == nil || place.Column == 0 {
		return nil, nil, errors.New("its place in a file is not known")
	}
	var current string
	if result.Field != nil {
		current, _ = result.Field.CurrentValue.(string)
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: place.Line, Column: place.Column}
	scalar, ok := text.Scalar(node, current)
	if !ok {
		return nil, nil, fmt.Errorf("the file does not say %q there: a template may give it", current)
	}
	return text, scalar, nil
}

// written returns a value as YAML and JSON have it.
func written(value any, style yaml.Style) (string, error) {
	if text, ok := value.(string); ok {
		return krm.Quote(text, style), nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
