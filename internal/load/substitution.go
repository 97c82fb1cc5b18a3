package load

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// substitution is the replacement of one directive.
type substitution struct {
	text   string
	tree   bool // the text is YAML that replaces the whole value
	origin Origin
}

// errReported is for problems that are already reported, or that are not reported.
var errReported = errors.New("reported before")

// substitute returns the substitution of a directive of value.
func (e *Expander) substitute(text, value string) (substitution, error) {
	d, err := parseDirective(text)
	if err != nil {
		return substitution{}, err
	}
	if d.encoding != raw && len(text) != len(value) {
		return substitution{}, fmt.Errorf("%q: the encoding %q must be used only where the directive is the whole string",
			text, d.encoding)
	}
	s, err := e.lookup(d)
	if err == nil && d.encoding == binary {
		s.text = base64.StdEncoding.EncodeToString([]byte(s.text))
		s.origin.Encoded = true
	}
	if err == nil {
		err = e.count(s.text)
	}
	if err != nil && !errors.Is(err, errReported) {
		err = fmt.Errorf("%q: %w", text, err)
	}
	s.tree = d.encoding == asYAML
	return s, err
}

// lookup returns the text of a variable or a file.
func (e *Expander) lookup(d directive) (substitution, error) {
	if d.embed {
		if e.Files == nil {
			return substitution{}, errors.New("files must not be embedded here")
		}
		content, path, err := e.Files.Embed(d.argument)
		return substitution{text: string(content), origin: Origin{File: path, Line: 1, Column: 1}}, err
	}
	text, ok := e.Values[d.argument]
	if !ok {
		return substitution{}, e.missingVariable(d.argument)
	}
	return substitution{text: text, origin: Origin{Variable: d.argument}}, nil
}

func (e *Expander) missingVariable(name string) error {
	if e.missing[name] {
		return errReported
	}
	if e.missing == nil {
		e.missing = map[string]bool{}
	}
	e.missing[name] = true
	hint := gitHint(name)
	if e.KeepUnset && hint == "" {
		return errReported
	}
	if near, _ := strictyaml.Nearest(name, slices.Sorted(maps.Keys(e.Values))); near != "" {
		hint = fmt.Sprintf(" (there is one for %q)", near) + hint
	}
	return fmt.Errorf("variable %q must have a value: give it with --set %s=VALUE, or with --values FILE%s", name, name, hint)
}

// count counts text against MaxInserted, so that a few bytes cannot expand to many.
func (e *Expander) count(text string) error {
	if e.size > MaxInserted || e.shared.add(text) != nil {
		return errReported
	}
	if e.size += len(text); e.size > MaxInserted {
		return fmt.Errorf("directives must not give more than %d bytes in one document", MaxInserted)
	}
	if !utf8.ValidString(text) {
		return errors.New("what is filled in must be UTF-8 text: use the encoding [binary] for anything else")
	}
	return nil
}
