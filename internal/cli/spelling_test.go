package cli_test

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// spelling is a function that finds spelling mistakes: `tuh` as a value and `form` as a key, whose corrections are
// certain, and the word `mistake` in every text of several lines.
type spelling struct {
	Wish string `json:"wish" help:"must not be given"`
}

func (s *spelling) Process(call cli.Call) (string, error) {
	if s.Wish != "" {
		call.List.Report(krm.NewResult(krm.Error, "there must be no wish"))
	}
	for _, item := range call.List.Items() {
		call.List.Report(misspelt(item, "", item.YNode())...)
	}
	return "read " + strconv.Itoa(len(call.List.Items())) + " documents", nil
}

func misspelt(item *krm.Item, path krm.Path, node *yaml.Node) krm.Results {
	var found krm.Results
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			below := path.Key(node.Content[i].Value)
			if node.Content[i].Value == "form" {
				result := krm.AtKey(item, below, krm.Error, `unknown key "form": did you mean "from"?`)
				result.Tags[krm.RuleTag], result.Field.ProposedValue = "key", "from"
				found = append(found, result)
			}
			found = append(found, misspelt(item, below, node.Content[i+1])...)
		}
	case yaml.SequenceNode:
		for i, element := range node.Content {
			found = append(found, misspelt(item, path.Index(i), element)...)
		}
	case yaml.AliasNode:
		found = misspelt(item, path, node.Alias)
	case yaml.ScalarNode:
		found = misspeltText(item, path, node.Value)
	default:
	}
	return found
}

func misspeltText(item *krm.Item, path krm.Path, text string) krm.Results {
	if text == "tuh" || text == "tuh\n" {
		result := krm.At(item, path, krm.Warning, `must not be "tuh"`)
		result.Tags, result.Field.ProposedValue = map[string]string{krm.RuleTag: "value"}, "the"
		return krm.Results{result}
	}
	var found krm.Results
	for n, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "mistake"); at >= 0 {
			column := len([]rune(line[:at])) + 1
			found = append(found, krm.AtInside(item, path, n+1, column, krm.Info, "must be right"))
		}
	}
	return found
}

func speller() cli.Function {
	return cli.Function{
		Name: "spell", Purpose: "spells.", Kind: "Spelling",
		Modes:  func() []cli.Mode { return []cli.Mode{&cli.Findings{}} },
		Config: func() cli.Config { return &spelling{} },
		Rules: []*validate.Rule{
			{
				ID: "key", Severity: krm.Error, Summary: "A key is known.", Why: "Others vanish.", Example: "a: b",
				Kinds: []string{"Spelling", "Other"}, Sources: []string{"https://example.org/spelling"}, Page: validate.RulesPage + "#key",
			},
			{
				ID: "unused", Severity: krm.Info, Summary: "Nothing.", Why: "No reason.", Example: "e: f",
				Kinds: []string{"Spelling", "Other"}, Sources: []string{"https://example.org/spelling"}, Page: validate.RulesPage + "#unused",
			},
		},
	}
}
