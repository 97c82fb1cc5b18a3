package krm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Severity is the severity of a result.
type Severity string

// The severities of the KRM Functions Specification. A run fails if and only if it has an error.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// ResourceRef names an object.
type ResourceRef = kyaml.ResourceIdentifier

// Field is a field of an object. Its values are scalars: kpt prints them in one line.
type Field struct {
	Path          string `json:"path,omitempty"`
	CurrentValue  any    `json:"currentValue,omitempty"`
	ProposedValue any    `json:"proposedValue,omitempty"`
}

// File is the file of a package that the object is in. Index is the object's position in it, from 0.
type File struct {
	Path  string `json:"path,omitempty"`
	Index int    `json:"index,omitempty"`
}

// Result is one finding, in the shape of the KRM Functions Specification. Its severity defaults to error. At, AtKey and
// AtInside make results about items, NewResult one about the run. The fields are those of kyaml's framework.Result.
//
// https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md
type Result struct {
	Message     string            `json:"message,omitempty"`
	Severity    Severity          `json:"severity,omitempty"`
	ResourceRef *ResourceRef      `json:"resourceRef,omitempty"`
	Field       *Field            `json:"field,omitempty"`
	File        *File             `json:"file,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`

	// Place is its position for users; only file mode prints it.
	Place Place `json:"-"`

	order  int   // of the object in the list
	item   *Item // nil if it is about no item
	inside int   // the line of the scalar's value, or 0 for the whole scalar
	others int   // the number of omitted findings
}

// maxFindings is the highest number of findings reported about one object: more than anyone reads at once, and already
// many times as large as the object.
const maxFindings = 1000

// Place is a position in a file. Line and Column start at 1; 0 means unknown.
type Place struct {
	File         string
	Line, Column int
}

// String returns the result in one line, as kyaml's framework does: [error] v1/Service/orders spec.ports: must be a list.
func (r Result) String() string {
	text := fmt.Sprintf("[%s]", cmp.Or(r.Severity, Info))
	if ref := r.ResourceRef; ref != nil {
		parts := []string{ref.APIVersion, ref.Kind, ref.Namespace, ref.Name}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		if len(parts) > 0 {
			text += " " + strings.Join(parts, "/")
		}
	}
	if r.Field != nil {
		text += " " + r.Field.Path
	}
	return text + ": " + r.Message
}

// NewResult returns a result about the run. The message is one line in lower case, with the action to take.
func NewResult(severity Severity, message string) Result {
	return Result{Severity: severity, Message: message}
}

// Results is a list of findings.
type Results []Result

// Failed reports whether one of the results is an error.
func (r Results) Failed() bool {
	return slices.ContainsFunc(r, func(one Result) bool { return one.Severity == Error || one.Severity == "" })
}

// Sort orders the results by file, document, position, field, severity and message, and drops duplicates. List elements
// are in numerical order.
func (r Results) Sort() Results {
	slices.SortStableFunc(r, compareResults)
	return slices.CompactFunc(r, func(a, b Result) bool { return compareResults(a, b) == 0 })
}

// limited returns the first findings of each object, and one with the number of the others, as severe as the worst of
// them.
func (r Results) limited() Results {
	counts := map[*Item]int{}
	most := 0
	for i := range r {
		if r[i].item != nil && r[i].others == 0 {
			counts[r[i].item]++
			most = max(most, counts[r[i].item])
		}
	}
	if most <= maxFindings {
		return r
	}
	kept := make(Results, 0, len(r))
	omitted := map[*Item]*Result{}
	clear(counts)
	for _, one := range r {
		if one.others == 0 {
			counts[one.item]++
		}
		if one.item == nil || one.others == 0 && counts[one.item] <= maxFindings {
			kept = append(kept, one)
			continue
		}
		rest := omitted[one.item]
		if rest == nil {
			first := about(one.item, "", one.Severity, "")
			rest = &first
			rest.Place = one.item.PlaceOf("")
			omitted[one.item] = rest
		}
		rest.others += max(one.others, 1)
		if rank(one.Severity) < rank(rest.Severity) {
			rest.Severity = one.Severity
		}
	}
	for _, rest := range omitted {
		rest.Message = fmt.Sprintf("has %d other findings: only the first %d are reported", rest.others, maxFindings)
		kept = append(kept, *rest)
	}
	return kept.Sort()
}

// Compare is the order of Results.Sort.
func (r Result) Compare(other Result) int { return compareResults(r, other) }

func compareResults(a, b Result) int {
	return cmp.Or(
		cmp.Compare(a.Place.File, b.Place.File),
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.Place.Line, b.Place.Line),
		cmp.Compare(a.Place.Column, b.Place.Column),
		field.Compare(a.path(), b.path()),
		cmp.Compare(rank(a.Severity), rank(b.Severity)),
		cmp.Compare(a.Message, b.Message),
	)
}

func (r Result) path() Path {
	if r.Field == nil {
		return ""
	}
	return Path(r.Field.Path)
}

func rank(severity Severity) int {
	switch severity {
	case Info:
		return 2
	case Warning:
		return 1
	default:
		return 0
	}
}

// tree returns the results as a list.
func (r Results) tree() (*yaml.Node, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	conforming := make([]Result, len(r))
	for i := range r {
		conforming[i] = r[i].conforming()
	}
	if err := encoder.Encode(conforming); err != nil {
		return nil, err
	}
	return yamlprint.ReadJSON(text.String()), nil
}

// conforming returns the result without a resourceRef that lacks a required field, such as that of a functionConfig without
// a name, and without its field, which requires a resourceRef. The message names the object and the field in their place.
func (r Result) conforming() Result {
	ref := r.ResourceRef
	if ref == nil || ref.APIVersion != "" && ref.Kind != "" && ref.Name != "" {
		return r
	}
	var subject []string
	if ref.Kind != "" {
		subject = append(subject, ref.Kind)
	}
	if r.Field != nil && r.Field.Path != "" {
		subject = append(subject, r.Field.Path)
	}
	if len(subject) > 0 {
		r.Message = strings.Join(subject, " ") + ": " + r.Message
	}
	r.ResourceRef, r.Field = nil, nil
	return r
}
