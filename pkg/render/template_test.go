package render

import (
	"strings"
	"text/template"
)

// executed runs a text through Go's templates.
func executed(text string) (string, error) {
	parsed, err := template.New("t").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = parsed.Execute(&out, nil)
	return out.String(), err
}
