package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var documentVersion = Rule{
	ID: "api-version", Severity: krm.Error,
	Summary: "A document of the group resourceplugins.dev, or of a misspelled or no group, has the apiVersion " +
		"resourceplugins.dev/v1alpha1.",
	Why:     "Documents of an unknown version are neither checked nor rendered.",
	Sources: []string{},
	Example: "apiVersion: resourceplugins.dev/v1",
}

var otherVersion = Rule{
	ID: "other-api-version", Severity: krm.Warning,
	Summary: "An object of another group does not look like a plugin, sandbox or route group.",
	Why: "With another apiVersion it is neither checked nor rendered. It looks like one by its kind and the form of its " +
		"spec. It may be meant for another tool, so it is a warning.",
	Sources: []string{},
	Example: "apiVersion: signadot.com/v1",
}

var documentKind = Rule{
	ID: "kind", Severity: krm.Error,
	Summary: "The kind of a document of the group resourceplugins.dev is not a misspelled one, and not a list of documents.",
	Why:     "Documents of an unknown kind are passed on unchanged, neither checked nor rendered.",
	Sources: []string{},
	Example: "kind: ResourcePlugins",
}

var formerKind = Rule{
	ID: "former-kind", Severity: krm.Warning,
	Summary: "A plugin is a ResourcePlugin, not the SignadotResourcePlugin of before 2023.",
	Why:     "The old kind has other fields, and no function here reads it. Another tool may still use it, so it is a warning.",
	Sources: []string{},
	Example: "kind: SignadotResourcePlugin",
}

// unknownDocuments reports the objects of our group that no other rule looks at.
func unknownDocuments(list *krm.ResourceList, options Options) krm.Results {
	var results krm.Results
	kinds := options.kinds()
	for _, item := range list.Items() {
		if found := unknownDocument(item, kinds).results(options); len(found) > 0 {
			results = append(results, found...)
		}
	}
	return results
}

// unknownDocument checks an object, which may be no document of ours.
func unknownDocument(item *krm.Item, kinds []string) *Document {
	c := &Document{item: item}
	kind, apiVersion := item.Kind(), item.APIVersion()
	isOfGroup, isKnown := strings.HasPrefix(apiVersion, contract.Group+"/"), slices.Contains(kinds, kind)
	if isOfGroup && !isKnown || !isOfGroup && item.CheckIdentity() != nil { // others may take it for one of ours
		c.problems = document.RepeatedKeys(item)
	}
	switch {
	case kind == contract.FormerPlugin:
		c.Report(&formerKind, "kind", "%q is an old kind: a plugin must be a %s of %s, and its spec must be rewritten",
			kind, contract.ResourcePlugin, contract.APIVersion)
	case document.LooksLike(item) != "":
		rule := &otherVersion
		if apiVersion == "" || misspelledGroup().MatchString(apiVersion) {
			rule = &documentVersion
		}
		c.Report(rule, "apiVersion", "%s", document.WrongVersion(kind, apiVersion))
	case isListOfOurs(item):
		c.Report(&documentKind, "kind", "%q must be replaced by its items: documents of a list are not read", kind)
	case !isOfGroup:
	case apiVersion != contract.APIVersion:
		c.Propose(&documentVersion, "apiVersion", contract.APIVersion, "must be %q, not %q", contract.APIVersion, apiVersion)
	case !isKnown:
		if nearest, sure := strictyaml.Nearest(kind, kinds); nearest != "" && misspelled(kind, nearest) {
			c.Propose(&documentKind, "kind", certain(nearest, sure), "unknown kind %q: did you mean %q?", kind, nearest)
		}
	}
	return c
}

// misspelledGroup matches the apiVersion of a group that can only be meant to be ours.
var misspelledGroup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)resources?-?plugin`) })

// isListOfOurs reports whether an object is a list that has an object of our group, or should.
func isListOfOurs(item *krm.Item) bool {
	if !strings.HasSuffix(item.Kind(), "List") {
		return false
	}
	items := krm.Value(item.YNode(), "items")
	return items != nil && slices.ContainsFunc(items.Content, func(node *yaml.Node) bool {
		one := krm.FromNode(node, "")
		return node.Kind == yaml.MappingNode && (strings.HasPrefix(one.APIVersion(), contract.Group+"/") ||
			document.LooksLike(one) != "" || isListOfOurs(one))
	})
}

// kinds returns the kinds of documents. Function configs are of our group too: their kinds are not misspelled ones.
func (o Options) kinds() []string {
	kinds := []string{
		contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup, contract.Catalog, contract.PluginLock,
		contract.PluginTest, contract.OutputSecret,
	}
	for _, e := range o.Extensions {
		kinds = append(kinds, e.Kinds...)
	}
	return kinds
}

// misspelled distinguishes a misspelled kind from another kind such as PluginCatalog.
func misspelled(kind, nearest string) bool {
	longer, shorter := max(len(kind), len(nearest)), min(len(kind), len(nearest))
	return longer-shorter <= 2
}

// topLevel adds the keys beside `spec` that are ignored. Native documents have been converted: only name and spec are left
// of them.
func topLevel(item *krm.Item, problems []strictyaml.Problem) []strictyaml.Problem {
	content := item.YNode().Content
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i].Value
		if slices.Contains(topLevelKeys, key) {
			continue
		}
		p := strictyaml.Problem{
			Rule: strictyaml.RuleUnknown, Severity: strictyaml.SeverityWarning, Path: krm.Path("").Key(key),
			Message: fmt.Sprintf("key %q is ignored: a document has metadata and spec only", key),
		}
		if nearest, sure := strictyaml.Nearest(key, []string{"metadata", "spec"}); nearest != "" {
			p.Severity, p.Proposed = strictyaml.SeverityError, certain(nearest, sure)
			p.Message = fmt.Sprintf("unknown key %q: did you mean %q?", key, nearest)
		}
		problems = append(problems, p)
	}
	return problems
}

// topLevelKeys are those of a Kubernetes object. Signadot's command line tool prints `status`.
var topLevelKeys = []string{"apiVersion", "kind", "metadata", "spec", "status"}
