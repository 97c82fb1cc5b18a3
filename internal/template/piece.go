package template

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// piece is what one directive gives.
type piece struct {
	text   string
	tree   bool // the text is YAML that takes the value's place
	origin Origin
}

// builder puts a value together.
type builder struct {
	out     strings.Builder
	origins []Origin
	read    int  // how much of the written value is dealt with
	tree    bool // the value is a tree: see piece
}

func (b *builder) text(literal string) { b.out.WriteString(literal) }

func (b *builder) piece(p piece) {
	p.origin.Start = b.out.Len()
	b.out.WriteString(p.text)
	p.origin.End = b.out.Len()
	b.origins = append(b.origins, p.origin)
	b.tree = p.tree
}

var (
	errReported = errors.New("reported before")
	errNotText  = errors.New(`what is filled in must be UTF-8 text: use the encoding [binary] for anything else`)
)

// piece does what the directive d of value asks for.
func (e *Expander) piece(d directive, value string) (piece, error) {
	o, err := d.parse()
	if err != nil {
		return piece{}, err
	}
	if o.encoding != raw && len(d.text) != len(value) {
		return piece{}, fmt.Errorf("%q: the encoding %q must be used only where the directive is the whole string",
			d.text, o.encoding)
	}
	p, err := e.look(o)
	if err != nil {
		return piece{}, describe(d, err)
	}
	if o.encoding == binary {
		p.text = base64.StdEncoding.EncodeToString([]byte(p.text))
		p.origin.Encoded = true
	}
	if err := e.grow(p.text); err != nil {
		return piece{}, describe(d, err)
	}
	p.tree = o.encoding == asYAML
	return p, nil
}

func describe(d directive, err error) error {
	if errors.Is(err, errReported) {
		return err
	}
	return fmt.Errorf("%q: %w", d.text, err)
}

// look finds the text that is asked for.
func (e *Expander) look(o order) (piece, error) {
	if o.operation == "" {
		text, err := e.variable(o.argument)
		return piece{text: text, origin: Origin{Variable: o.argument}}, err
	}
	if e.Files == nil {
		return piece{}, errors.New("files must not be embedded here")
	}
	content, path, err := e.Files.Embed(o.argument)
	return piece{text: string(content), origin: Origin{File: path, Line: 1, Column: 1}}, err
}

func (e *Expander) variable(name string) (string, error) {
	if value, ok := e.Values[name]; ok {
		return value, nil
	}
	if e.missing[name] {
		return "", errReported
	}
	if e.missing == nil {
		e.missing = map[string]bool{}
	}
	e.missing[name] = true
	return "", errors.New(e.missingMessage(name))
}

func (e *Expander) missingMessage(name string) string {
	message := fmt.Sprintf("variable %q must have a value: give it with --set %s=VALUE", name, name)
	given := make([]string, 0, len(e.Values))
	for other := range e.Values {
		given = append(given, other)
	}
	slices.Sort(given)
	if near, _ := strictyaml.Nearest(name, given); near != "" {
		message += fmt.Sprintf(" (there is one for %q)", near)
	}
	return message + gitHint(name)
}
