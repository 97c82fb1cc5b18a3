package load

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Files in folders are often meant for other tools. The content of a file decides, not its name:
//
//   - A Kubernetes object (apiVersion, kind) is read.
//   - A document with name and spec is read if its spec has the form of that of one of our kinds: see isNative.
//   - A broken document is an error if it is meant for us: see isMeant. So is an object of our group without a kind.
//   - A template of Helm or another tool that is not valid YAML because of its {{ }} is skipped, and so is everything else.
//
// Nothing in a file that is named is skipped.

// Reasons why something in a folder is skipped.
const (
	noDocument = "neither a Kubernetes object nor a native document (name, spec)"
	noYAML     = "not valid YAML"
	noJSON     = "not valid JSON"
	isTemplate = "a template of another tool ({{ }})"
)

// isNative reports whether a document without apiVersion and kind is meant as a native one. In a file that is named, a
// spec is enough. In a folder the spec must have the form of that of one of our kinds; or it must have
// `cluster`, and most other keys must be ours, too; or there must be a name, and in the spec a directive (`@{…}`).
func (r *reader) isNative(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode || key(root, "spec") < 0 || r.source.objectsOnly {
		return false
	}
	spec := dereference(value(root, "spec"))
	if r.source.Named || resembled(spec) || key(root, "name") >= 0 && hasDirective(spec) {
		return true
	}
	cluster := krm.Value(spec, "cluster")
	return cluster != nil && cluster.Kind == yaml.ScalarNode && mostlyKnown(root, spec)
}

// hasDirective reports whether a tree has a value with a directive of a template.
func hasDirective(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && strings.Contains(node.Value, "@{") || slices.ContainsFunc(node.Content, hasDirective)
}

// mostlyKnown reports whether most keys beside name and spec, and below spec, are those of our kinds.
func mostlyKnown(root, spec *yaml.Node) bool {
	balance := 0
	for _, node := range []*yaml.Node{root, spec} {
		for i := 0; i+1 < len(node.Content); i += 2 {
			switch key := node.Content[i].Value; {
			case node == root && (strings.EqualFold(key, "name") || strings.EqualFold(key, "spec")):
			case isKnown(key):
				balance++
			default:
				balance--
			}
		}
	}
	return balance > 0
}

// isKnown reports whether a key is one of our native documents, perhaps misspelled, or one that the vendor's tool prints.
func isKnown(key string) bool {
	near, _ := strictyaml.Nearest(key, knownKeys)
	return near != ""
}

var knownKeys = func() []string {
	keys := []string{"cluster", "description", "endpoints", "ttl", "version", "status", "routingKey", "createdAt", "updatedAt"}
	for _, one := range kindKeys {
		keys = append(keys, one.keys...)
	}
	return keys
}()

// groups returns our API group, that of the vendor, and those of the formats.
func (o Options) groups() []string {
	all := []string{contract.Group, contract.VendorGroup}
	for _, format := range o.Formats {
		for _, group := range format.Groups {
			all = append(all, group.Name)
		}
	}
	return all
}

// hasOurVersion reports whether a text has an apiVersion of one of our groups.
func (o Options) hasOurVersion(text []byte) bool {
	groups := o.groups()
	return slices.ContainsFunc(groupedVersion().FindAllSubmatch(text, -1), func(match [][]byte) bool {
		return slices.Contains(groups, string(match[1]))
	})
}

// lazily compiles a regular expression when it is first used: functions that read a list from stdin start without these.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// groupedVersion is an apiVersion with a group on a line of YAML or JSON.
	groupedVersion = lazily(`(?m)^[ \t{,["'-]*apiVersion["']?[ \t]*:[ \t]*["']?([\w.-]+)/`)
	// interpreter is the first line of a native document that can be executed.
	interpreter = lazily(`^#!.*\bsignadot +(?:sandbox|sb|resourceplugin|rp|routegroup|rg) `)
	// topLine is a line with a key at the top of a document: in JSON it may be indented.
	topLine = lazily(`(?m)^(?:[{ \t]*"([\w.$-]+)"|'?([\w.$-]+)'?)[ \t]*:`)
	// telling is a key below spec that hardly any other document with name and spec has.
	telling = lazily(`(?m)^[ \t]+["']?(cluster|runner|create|delete|forks|resources|labels)["']?[ \t]*:|@\{`)
	// unmistakable are keys that only our kinds have.
	unmistakable = []string{
		"forkOf", "podTemplateOverlay", "valueFromSandbox", "valueFromStep", "valueFromPath", "defaultRouteGroup",
	}
)

// isMeant reports whether a text that cannot be read as a document is meant for us: it names one of our API groups as its
// apiVersion; it starts with the interpreter line of a native document; it has a key that only our kinds
// have; or it has name and spec, and either no other keys at the top, or a key of our kinds or a directive (`@{…}`) below;
// or it has one of these two, and several below. A template of another tool is not.
func (o Options) isMeant(text []byte) bool {
	text = bytes.ReplaceAll(text, []byte{0}, nil) // leaves the ASCII characters of UTF-16
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		text = bytes.TrimPrefix(text, []byte(mark))
	}
	switch {
	case hasActions(text):
		return false
	case o.hasOurVersion(text), interpreter().Match(text), isUnmistakable(text):
		return true
	}
	keys := map[string]bool{}
	for _, match := range topLine().FindAllSubmatch(text, -1) {
		keys[strings.ToLower(string(match[1])+string(match[2]))] = true
	}
	below := map[string]bool{}
	for _, match := range telling().FindAllSubmatch(text, -1) {
		below[string(match[1])] = true
	}
	const both, several = 2, 2
	switch {
	case keys["apiversion"], !keys["name"] && !keys["spec"]:
		return false
	case keys["name"] && keys["spec"] && len(keys) == both:
		return true
	}
	return len(below) >= several || keys["name"] && keys["spec"] && len(below) > 0
}

// isUnmistakable reports whether a text has a key that only our kinds have.
func isUnmistakable(text []byte) bool {
	return slices.ContainsFunc(unmistakable, func(key string) bool { return bytes.Contains(text, []byte(key)) })
}

// misspelledSpec returns the key of a document that is meant to be `spec`: its value has the form of a spec of ours.
func misspelledSpec(root *yaml.Node) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if near, _ := strictyaml.Nearest(root.Content[i].Value, []string{"spec"}); near != "" && resembled(root.Content[i+1]) {
			return root.Content[i]
		}
	}
	return nil
}
