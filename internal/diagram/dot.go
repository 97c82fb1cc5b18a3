package diagram

import (
	_ "embed" // the template
	"strings"
)

// dot draws a cluster for each plugin, and in it one for each phase. Steps of a layer have one rank.
//
//go:embed dot.tmpl
var dot string

// quoteDOT writes lines as a label. A label is read for escapes such as \N and for HTML's entities.
func quoteDOT(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
