package schemas

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	external "github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// fixtures are valid documents with all fields that have a limit.
var fixtures = map[string]string{
	contract.ResourcePlugin: "../../pkg/validate/testdata/plugin.yaml",
	contract.Sandbox:        "../../pkg/validate/testdata/sandbox.yaml",
	contract.RouteGroup:     "testdata/routegroup.yaml",
	contract.Catalog:        "../../pkg/resolve/testdata/full.yaml",
	contract.PluginLock:     "testdata/pluginlock.yaml",
	contract.PluginTest:     "../../pkg/validate/testdata/plugintest.yaml",
	contract.OutputSecret:   "../../pkg/validate/testdata/outputsecret.yaml",
	external.Kind:           "../../kubebuilder/testdata/externalplugin.yaml",
}

// values returns replacements for each limited value: at the limits of every form and length.
func values() []any {
	all := []any{0, 1, 65535, 65536, -1}
	for _, text := range strings.Split("|a|ab|a-b|-a|a-|1a|a1|A|Ab|a_b|a.b|a..b|.a|a b|ä|a/b|/|/a|/a/|/a/b|_A|a=b|"+
		"ab@1|ab@1.0.0|ab@v1.0|ab@1.0.0-rc.1+b|ab@latest|ab@^1|ab@x y|ab@|1.0.0|1.0|v1.0.0|1.0.0-rc.1+b.2|"+
		"http|grpc|HTTP|tcp|upsert|delete|merge|strategic|json|signadot/env|createdAt|updatedAt|noMatchedSandboxes|"+
		"file|folder|link|string|int|bool|init|edit|create api|v1alpha1|Deployment|deployment|Rollout|ArgoRollout|Service|Job|1m|2h|3d|4w|5s|d|4294967295d|4294967296d|"+
		"host:1|host:0|host|:1|[::1]:80|::1:80|::1|::ffff:1.2.3.4|1.2.3.4|a.b.|http://a|a.b|a-b.c-d|1.b|a.1|a b.c", "|") {
		all = append(all, text)
	}
	for _, length := range []int{30, 31, 63, 64, 253, 254, 255, 256} {
		all = append(all, strings.Repeat("a", length), strings.Repeat("a", length-4)+"@1.0")
	}
	return append(all, "sha256:"+strings.Repeat("0a", 32), "sha256:"+strings.Repeat("0A", 32), "sha256:0a")
}

// looser are limits that accept more values than the rules, since an exact pattern would be unreadable.
var looser = []limit{pluginName, reference, subdomain, file, address, host, duration, outputKey, semver, tag, {pattern: labelKey}}

// A schema accepts all values that the rules accept. If rules reject the form of a value, the schema rejects it, too, except
// for looser limits.
func TestLimitsAgreeWithTheRules(t *testing.T) {
	t.Parallel()
	for _, d := range documents {
		t.Run(d.kind, func(t *testing.T) {
			t.Parallel()
			schema := compile(t, fileOf(d.kind))
			compared, refused := 0, 0
			for path, form := range d.limits() {
				if strings.HasSuffix(path, "{}") || form.keys != "" || form.required && form.pattern == "" || form.least == 1 && form.most == 0 {
					continue // see TestWhatSchemasRefuse
				}
				for _, value := range values() {
					root, at := with(t, fixtures[d.kind], path, value)
					_, isText := value.(string)
					if isText == (form.most > 0) {
						continue
					}
					wrong := problemsAt(t, root, at)
					invalid := schema.Validate(asJSON(t, root)) != nil
					compared++
					if invalid {
						refused++
						assert.NotEmpty(t, wrong, "the schema refuses what no rule does: %s: %v", at, value)
					} else if !slices.ContainsFunc(looser, func(l limit) bool { return l.pattern == form.pattern && l.pattern != "" }) {
						assert.Empty(t, wrong, "a rule refuses what the schema does not: %s: %v", at, value)
					}
				}
			}
			assert.Greater(t, compared, 50)
			assert.Greater(t, refused, 20)
		})
	}
}

// with loads a document and sets the value at a limit's path, in the first elements of lists that contain it.
func with(t *testing.T, file, path string, value any) (*yaml.Node, krm.Path) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &document))
	root := document.Content[0]
	if path == "name" {
		path = "metadata.name"
	}
	steps := strings.Split(strings.ReplaceAll(path, "[]", ".[]"), ".")
	node, at := find(root, steps, "", false)
	if node == nil {
		node, at = find(root, steps, "", true)
	}
	require.NotNil(t, node, "%s has no %s", file, path)
	*node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: fmt.Sprint(value)}
	if number, ok := value.(int); ok {
		*node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(number)}
	}
	return root, at
}

// find follows the steps to the first matching place. With create, missing mappings are added.
func find(node *yaml.Node, steps []string, at krm.Path, create bool) (*yaml.Node, krm.Path) {
	if len(steps) == 0 {
		return node, at
	}
	if steps[0] != "[]" {
		if below := krm.Value(node, steps[0]); below != nil {
			return find(below, steps[1:], at.Key(steps[0]), create)
		}
		if !create || node.Kind != yaml.MappingNode {
			return nil, ""
		}
		fresh := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: steps[0]}, fresh)
		return find(fresh, steps[1:], at.Key(steps[0]), create)
	}
	for i, element := range node.Content {
		if found, path := find(element, steps[1:], at.Index(i), create); found != nil {
			return found, path
		}
	}
	return nil, ""
}

// problemsAt returns the errors about the form of the value at a path.
func problemsAt(t *testing.T, root *yaml.Node, path krm.Path) []string {
	t.Helper()
	item := krm.FromNode(root, "")
	var problems []krm.Result
	switch item.Kind() {
	case contract.Catalog:
		_, problems = resolve.ReadCatalogDocument(item)
	case contract.PluginLock:
		problems = resolve.CheckLock(item)
	default:
		report, err := validate.Check(krm.NewList(item), options())
		require.NoError(t, err)
		problems = report.Results
	}
	var wrong []string
	for _, p := range problems {
		across := slices.ContainsFunc([]string{"unique", "unknown-", "-clash", "resource-reference", "fork-reference", "source"},
			func(part string) bool { return strings.Contains(p.Tags["rule"], part) })
		if krm.Path(p.Field.Path) == path && p.Severity == krm.Error && !across {
			wrong = append(wrong, p.Message)
		}
	}
	return wrong
}

func asJSON(t *testing.T, root *yaml.Node) any {
	t.Helper()
	var value any
	require.NoError(t, root.Decode(&value))
	text, err := json.Marshal(plain(value))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &value))
	return value
}
