package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Files finds the subjects of results in their files. It is not safe for concurrent use.
type Files struct {
	read  func(file string) []byte
	known map[string]*Text
}

// NewFiles returns files whose content comes from read, which returns nil for a file that does not exist.
func NewFiles(read func(file string) []byte) *Files {
	return &Files{read: read, known: map[string]*Text{}}
}

// Text returns the text of a file without its byte order mark, or nil if the file is not known.
func (f *Files) Text(file string) *Text {
	if text, ok := f.known[file]; ok {
		return text
	}
	var text *Text
	if content := f.read(file); content != nil {
		text = NewFile(file, bytes.TrimPrefix(content, []byte(byteOrderMark)))
	}
	f.known[file] = text
	return text
}

// Scalar finds the value or the key that a result shows, at the result's position.
func (f *Files) Scalar(result krm.Result) (*Text, *Scalar, error) {
	place := result.Place
	text := f.Text(place.File)
	if text == nil || place.Column == 0 {
		return nil, nil, errors.New("its place in a file is not known")
	}
	var current string
	if result.Field != nil {
		current, _ = result.Field.CurrentValue.(string)
	}
	scalar, ok := text.Scalar(place.Line, place.Column, current)
	if !ok {
		return nil, nil, fmt.Errorf("the file does not say %q there: a template may give it", current)
	}
	return text, scalar, nil
}

// IsCertain reports whether a result proposes the only possible value or key.
func IsCertain(result krm.Result) bool {
	return result.Field != nil && result.Field.ProposedValue != nil
}

// Proposal returns the edit that a result proposes, and the text to which it applies. The error explains why the change
// must be made by hand.
func (f *Files) Proposal(result krm.Result) (*Text, Edit, error) {
	text, scalar, err := f.Scalar(result)
	if err != nil {
		return nil, Edit{}, err
	}
	if scalar.Block {
		return nil, Edit{}, errors.New("a value of several lines must be changed by hand")
	}
	value, ok := result.Field.ProposedValue.(string)
	if ok {
		style := scalar.Style
		if text.isJSON {
			style = yaml.DoubleQuotedStyle
		}
		value = yamlprint.Quote(value, style)
	} else {
		encoded, err := json.Marshal(result.Field.ProposedValue)
		if err != nil {
			return nil, Edit{}, err
		}
		value = string(encoded)
	}
	return text, Edit{From: scalar.Start, To: scalar.End, Text: value}, nil
}
