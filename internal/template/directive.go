package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// directive is one `@{…}` of a value.
type directive struct {
	start, end int    // in the value
	text       string // as written, `@{…}` included
}

// find returns the directives of a value, by the vendor's pattern `@{[^}]+}`.
func find(value string) []directive {
	var found []directive
	for at := 0; ; {
		open := strings.Index(value[at:], "@{")
		if open < 0 {
			return found
		}
		start := at + open
		length := strings.IndexByte(value[start+2:], '}')
		switch {
		case length < 0:
			return found
		case length == 0:
			at = start + 2
		default:
			at = start + 2 + length + 1
			found = append(found, directive{start: start, end: at, text: value[start:at]})
		}
	}
}

// The encodings that may follow a variable or an operation in brackets.
const (
	raw    = "raw"    // the text as it is
	asYAML = "yaml"   // the tree that the text is
	binary = "binary" // base64 of the bytes
)

var encodings = []string{raw, asYAML, binary}

// Operations. An empty one means a variable.
const embed = "embed"

// include is what embed was called before 2023.
const include = "include"

// order is what a directive asks for.
type order struct {
	operation string
	argument  string // the variable's name, or the operation's argument
	encoding  string
}

// parse reads what stands between the braces: `name`, `name[encoding]`, `operation: argument` or
// `operation[encoding]: argument`, with blanks around each.
func (d directive) parse() (order, error) {
	head, argument, operates := strings.Cut(d.text[len("@{"):len(d.text)-1], ":")
	name, encoding, err := cutEncoding(strings.TrimSpace(head))
	switch {
	case err != nil:
		return order{}, fmt.Errorf("%q: %w", d.text, err)
	case !operates && IsVariable(name):
		return order{argument: name, encoding: encoding}, nil
	case !operates:
		return order{}, fmt.Errorf("%q: a variable must start with a letter and hold letters, digits, %q only%s",
			d.text, "_.-", cmp.Or(gitHint(name), "; "+noEscape))
	}
	return operation(d, name, strings.TrimSpace(argument), encoding)
}

func operation(d directive, name, argument, encoding string) (order, error) {
	switch {
	case name == include:
		return order{}, fmt.Errorf("%q: operation %q is called %q today: write %q",
			d.text, include, embed, "@{embed: "+argument+"}")
	case name != embed:
		if near, _ := strictyaml.Nearest(name, []string{embed}); near != "" {
			return order{}, fmt.Errorf("%q: unknown operation %q: did you mean %q?", d.text, name, near)
		}
		return order{}, fmt.Errorf("%q: unknown operation %q: must be %q; %s", d.text, name, embed, noEscape)
	case argument == "":
		return order{}, fmt.Errorf("%q: the file to embed must be named, as in %q", d.text, "@{embed: ./script.sh}")
	}
	return order{operation: embed, argument: argument, encoding: encoding}, nil
}

// cutEncoding splits `name[encoding]`.
func cutEncoding(head string) (name, encoding string, err error) {
	name, rest, found := strings.Cut(head, "[")
	if !found {
		return head, raw, nil
	}
	encoding, closed := strings.CutSuffix(rest, "]")
	encoding = strings.TrimSpace(encoding)
	switch {
	case !closed:
		return "", "", fmt.Errorf("the bracket of an encoding must be closed, as in %q", "@{name[yaml]}")
	case !slices.Contains(encodings, encoding):
		return "", "", fmt.Errorf("unknown encoding %q: must be raw, yaml or binary", encoding)
	}
	return strings.TrimSpace(name), encoding, nil
}

// IsVariable tells whether text can name a variable: `^[a-zA-Z][a-zA-Z0-9_.-]*$`.
func IsVariable(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && c != '.' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return text != ""
}

// noEscape says what is left to do with text that looks like a directive and is none.
const noEscape = "there is no escape: text that is not meant as a directive must stand in a file that is embedded"

// gitHint tells of git's revision syntax, such as `@{u}` and `HEAD@{1}`, where a script is likely to mean that.
func gitHint(name string) string {
	switch name {
	case "u", "upstream", "push", "now", "yesterday":
	default:
		if digits := strings.TrimPrefix(name, "-"); digits == "" || strings.Trim(digits, "0123456789") != "" {
			return ""
		}
	}
	return "; git's own @{" + name + "} is not possible in a document: " + noEscape
}
