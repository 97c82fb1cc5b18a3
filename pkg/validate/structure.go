package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// documentVersion: contract, Module, group, images. A document of another version would silently not be checked.
var documentVersion = Rule{
	ID: "api-version", Severity: krm.Error,
	Demand:  "A document of the group resourceplugins.dev has the apiVersion resourceplugins.dev/v1alpha1.",
	Why:     "Documents of a version that is not known are neither checked nor rendered.",
	Example: "apiVersion: resourceplugins.dev/v1",
}

// documentKind: contract, Module, group, images. A misspelled kind would silently not be checked.
var documentKind = Rule{
	ID: "kind", Severity: krm.Error,
	Demand:  "A document's kind is spelled as it is known.",
	Why:     "Documents of a kind that is not known are passed on as they are, neither checked nor rendered.",
	Example: "kind: ResourcePlugins",
}

// formerKind: ResourcePlugin reference, Old syntax. The object may be there for another tool, so it warns.
var formerKind = Rule{
	ID: "former-kind", Severity: krm.Warning,
	Demand:  "A plugin is a ResourcePlugin, not the SignadotResourcePlugin of before 2023.",
	Why:     "The old form has other fields, and nothing here reads it.",
	Example: "kind: SignadotResourcePlugin",
}

// fieldType: package decode; ResourcePlugin spec and Sandbox spec for each field.
var fieldType = Rule{
	ID: strictyaml.RuleType, Severity: krm.Error,
	Demand:  "Each field has the type that its specification gives it.",
	Why:     "The vendor's loader refuses the document.",
	Example: "spec.description: [a, b]",
}

// unknownKey: the vendor's client models know no other keys under spec.
var unknownKey = Rule{
	ID: strictyaml.RuleUnknown, Severity: krm.Error,
	Demand:  "Under spec there are only the keys of the specification. Keys beside spec that nobody reads are warnings.",
	Why:     "A misspelled key would vanish silently, and the vendor's loader refuses what it does not know.",
	Example: "spec.discription: a database",
}

// duplicateKey: ResourcePlugin reference, Document. The vendor's loader takes the last of duplicate keys.
var duplicateKey = Rule{
	ID: strictyaml.RuleDuplicate, Severity: krm.Error,
	Demand:  "A key is given once in a mapping.",
	Why:     "Readers disagree on which of the values counts, so one of them is lost.",
	Example: "spec.runner: {image: a, image: b}",
}

// ambiguousYAML: contract, Identity. The vendor's loader reads YAML 1.1.
var ambiguousYAML = Rule{
	ID: strictyaml.RuleAmbiguous, Severity: krm.Error,
	Demand:  "A string that YAML readers disagree on is quoted.",
	Why:     "A plain yes, on or 1_000 is a boolean or a number to some readers, and a date gets another form.",
	Example: "spec.description: yes",
}

// aliasLimit: package decode. A few lines of aliases can mean billions of values.
var aliasLimit = Rule{
	ID: strictyaml.RuleAlias, Severity: krm.Error,
	Demand:  "A document reaches few values through aliases, and no alias leads to itself.",
	Why:     "What a reader makes of it could be larger than any memory.",
	Example: "spec.runner: &a {image: postgres, <<: [*a]}",
}

// depthLimit: package decode. The matches of a route group may hold each other without an end.
var depthLimit = Rule{
	ID: strictyaml.RuleDepth, Severity: krm.Error,
	Demand:  "What is read of a document stands in at most 100 lists and mappings.",
	Why:     "Nobody writes such a document by hand, and each level costs whoever reads it.",
	Example: "spec.match.any[1].all: (a match within 100 others)",
}

// misfits reports the objects of our group that no rule would ever see.
func misfits(list *krm.ResourceList, levels Levels) krm.Results {
	var results krm.Results
	for _, item := range list.Items() {
		apiVersion := item.APIVersion()
		if item.Kind() == "SignadotResourcePlugin" {
			c := check{item: item, rule: &formerKind}
			c.report("kind", "%q is the old form: a plugin must be a %s of %s today, and its spec must be written anew",
				item.Kind(), contract.ResourcePlugin, contract.APIVersion)
			results = append(results, c.results(levels)...)
			continue
		}
		if !strings.HasPrefix(apiVersion, contract.Group+"/") {
			continue
		}
		c := check{item: item}
		if apiVersion != contract.APIVersion {
			c.rule = &documentVersion
			c.propose("apiVersion", contract.APIVersion, "must be %q, not %q", contract.APIVersion, apiVersion)
		} else if kind := item.Kind(); !slices.Contains(documents, kind) {
			c.rule = &documentKind
			if nearest, sure := strictyaml.Nearest(kind, documents); nearest != "" && typo(kind, nearest) {
				c.propose("kind", certain(nearest, sure), "unknown kind %q: did you mean %q?", kind, nearest)
			}
		}
		results = append(results, c.results(levels)...)
	}
	return results
}

// documents are the kinds of documents. Function configs are of our group too: their kinds must not be taken for
// misspelled ones.
var documents = []string{
	contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup, contract.Catalog, contract.PluginLock,
}

// typo tells a misspelled kind from a kind of its own: `PluginCatalog` is none of ours.
func typo(kind, nearest string) bool {
	longer, shorter := max(len(kind), len(nearest)), min(len(kind), len(nearest))
	return longer-shorter <= 2
}

// topLevel adds the keys beside `spec` that nobody reads. Of native documents only name and spec get this far.
func topLevel(item *krm.Item, problems []strictyaml.Problem) []strictyaml.Problem {
	content := item.YNode().Content
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i].Value
		if slices.Contains(topLevelKeys, key) {
			continue
		}
		p := strictyaml.Problem{
			Rule: strictyaml.RuleUnknown, Severity: krm.Warning, Path: krm.Path("").Key(key),
			Message: fmt.Sprintf("key %q is ignored: a document has metadata and spec only", key),
		}
		if nearest, sure := strictyaml.Nearest(key, []string{"metadata", "spec"}); nearest != "" {
			p.Severity, p.Proposed = krm.Error, certain(nearest, sure)
			p.Message = fmt.Sprintf("unknown key %q: did you mean %q?", key, nearest)
		}
		problems = append(problems, p)
	}
	return problems
}

// topLevelKeys are those of a Kubernetes object; `status` is what the vendor's tool prints.
var topLevelKeys = []string{"apiVersion", "kind", "metadata", "spec", "status"}
