package suite

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed cases/*.yaml plain.yaml
var files embed.FS

// groups are the files of cases, in the order in which they run. Cases that judge every run come last.
var groups = []string{"run", "output", "behavior", "input", "keep", "config", "hermetic", "scale", "exit", "results"}

// Load returns all cases, in the order in which they run.
func Load() ([]*Case, error) {
	var first, last []*Case
	for _, group := range groups {
		text, err := files.ReadFile("cases/" + group + ".yaml")
		if err != nil {
			return nil, err
		}
		var cases []*Case
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&cases); err != nil {
			return nil, fmt.Errorf("cases/%s.yaml: %w", group, err)
		}
		for _, c := range cases {
			c.ID = group + "/" + c.Name
			c.Sentence, c.Reason = oneLine(c.Sentence), oneLine(c.Reason)
			if c.Needs == "" {
				c.Needs = "output/items"
			}
			if c.Every {
				last = append(last, c)
			} else {
				first = append(first, c)
			}
		}
	}
	return append(first, last...), nil
}

// Find returns the case with an ID, or nil.
func Find(cases []*Case, id string) *Case {
	if i := slices.IndexFunc(cases, func(c *Case) bool { return c.ID == id }); i >= 0 {
		return cases[i]
	}
	return nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
