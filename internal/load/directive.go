package load

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// directivePattern is that of the vendor's tool.
var directivePattern = lazily(`@\{[^}]+\}`)

// HasDirective reports whether a text has a directive.
func HasDirective(text string) bool { return directivePattern().MatchString(text) }

// directive is a parsed `@{…}` of a value.
type directive struct {
	embed    bool   // of a file, else of a variable
	argument string // the variable's name or the file's
	encoding string
}

// The encodings that may follow a variable or an operation in brackets.
const (
	raw    = "raw"    // the text as it is
	asYAML = "yaml"   // the text parsed as YAML
	binary = "binary" // base64 of the bytes
)

var encodings = []string{raw, asYAML, binary}

const (
	embed   = "embed"   // the only operation
	include = "include" // the name of embed before 2023
)

// parseDirective parses the text between the braces: `name`, `name[encoding]`, `operation: argument` or
// `operation[encoding]: argument`, with blanks around each.
func parseDirective(text string) (directive, error) {
	head, argument, operates := strings.Cut(text[len("@{"):len(text)-1], ":")
	name, encoding, err := cutEncoding(strings.TrimSpace(head))
	argument = strings.TrimSpace(argument)
	switch {
	case err != nil:
		return directive{}, fmt.Errorf("%q: %w", text, err)
	case operates:
		return directive{true, argument, encoding}, checkOperation(text, name, argument)
	case !IsVariable(name):
		return directive{}, fmt.Errorf("%q: a variable must start with a letter and hold letters, digits, %q only%s",
			text, "_.-", cmp.Or(gitHint(name), "; "+noEscape))
	}
	return directive{false, name, encoding}, nil
}

func checkOperation(text, name, argument string) error {
	near, _ := strictyaml.Nearest(name, []string{embed})
	switch {
	case name == include:
		return fmt.Errorf("%q: operation %q is called %q today: write %q", text, include, embed, "@{embed: "+argument+"}")
	case name != embed && near != "":
		return fmt.Errorf("%q: unknown operation %q: did you mean %q?", text, name, near)
	case name != embed:
		return fmt.Errorf("%q: unknown operation %q: must be %q; %s", text, name, embed, noEscape)
	case argument == "":
		return fmt.Errorf("%q: the file to embed must be named, as in %q", text, "@{embed: ./script.sh}")
	}
	return nil
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

var variablePattern = lazily(`^[a-zA-Z][a-zA-Z0-9_.-]*$`)

// IsVariable reports whether text is a valid name of a variable: `^[a-zA-Z][a-zA-Z0-9_.-]*$`.
func IsVariable(text string) bool { return variablePattern().MatchString(text) }

// VariableError is the error for an invalid name of a variable.
func VariableError(name string) error {
	return fmt.Errorf("variable %q must start with a letter and hold letters, digits, %q only", name, "_.-")
}

// noEscape is the advice for text that looks like a directive but is not meant as one.
const noEscape = "there is no escape: put text that is not meant as a directive into a file that is embedded"

var gitRevision = lazily(`^(u|upstream|push|now|yesterday|-?[0-9]+)$`)

// gitHint explains that a script cannot use git's revision syntax, such as `@{u}` and `HEAD@{1}`. It returns "" for
// other names.
func gitHint(name string) string {
	if !gitRevision().MatchString(name) {
		return ""
	}
	return "; git's own @{" + name + "} is not possible in a document: " + noEscape
}
