package htmlreport_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// hideable is documents in which every scalar with "canary" must be hidden, and which have no other mistakes.
const hideable = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: pp@1.0.0}
spec:
  description: a plugin
  runner:
    image: alpine
    namespace: tools
    podTemplateOverlay: OVERLAY
  create:
  - name: one
    inputs:
    - {name: pass, valueFromSandbox: true, as: {env: PASS}}
    script: "#!/bin/sh"
    outputs:
    - {name: out, valueFromPath: /out}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: sb}
spec:
  cluster: demo
  description: a sandbox
  labels: {team: shop}
  resources:
  - {name: db, plugin: pp@1.0.0, params: {pass: canary}}
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations:
      images: [{image: "web:2"}]
      env:
      - {name: A, value: canary}
      - {name: B, valueFrom: {secret: {name: s, key: k}}}
      patch: {type: merge, value: "{canary: canary}"}
  local:
  - name: l
    from: {kind: Deployment, namespace: shop, name: web}
    mappings: [{port: 80, toLocal: "localhost:80"}]
    env: [{name: A, value: canary}]
    files: [{path: x, value: canary}]
  middleware:
  - {name: m, match: [{workload: l}], args: [{name: a, value: canary}]}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: PluginTest
metadata: {name: tests}
spec:
  plugin: pp@1.0.0
  fixtures:
  - {name: f, image: alpine, command: [canary], env: {PASS: canary}, port: 80, ready: [canary]}
  secrets: [{name: s, data: {a: canary}}]
  cases:
  - name: c
    params: {pass: canary}
    create: {outputs: [{step: one, output: out, equals: canary}]}
---
apiVersion: resourceplugins.dev/v1alpha1
kind: RouteGroup
metadata: {name: rg}
spec:
  cluster: demo
  match: {label: {key: team, value: shop}}
  endpoints: [{name: e, target: "http://web.shop.svc:80"}]
---
apiVersion: v1
kind: Secret
metadata: {name: s, annotations: {note: canary}}
stringData: {a: canary}
`

// hideableObjects have no type that the page knows: only plain keys, such as names, are shown.
const hideableObjects = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - {name: web, image: "web:1", command: [canary], env: [{name: A, value: canary}]}
---
spec: {password: canary, replicas: 1, hosts: [{token: canary}]}
token: canary
apiVersion: shop.example.com/v1
kind: Login
metadata: {name: l}
status: {token: canary}
`

// hideableOverlay is an overlay with the same convention.
const hideableOverlay = `metadata: {annotations: {note: canary}}
spec:
  serviceAccountName: admin
  automountServiceAccountToken: false
  containers:
  - name: main
    image: alpine
    args: [canary]
    env:
    - {name: A, value: canary}
    - name: B
      value: canary
`

// hider makes documents with mistakes, and values that must be hidden, at random places.
type hider struct {
	*rand.Rand
	canaries int
}

// value returns a scalar that must be hidden, in any style.
func (h *hider) value() *yaml.Node {
	h.canaries++
	text := fmt.Sprintf("canary%dx", h.canaries)
	switch h.IntN(6) {
	case 2:
		text = "# " + text + "\n\t# " + text
	case 0:
		text += " and\n" + strings.Repeat("more ", h.IntN(4)) + text + "\n"
	case 1:
		text += ": \"'#{" + text
	}
	styles := []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: styles[h.IntN(len(styles))]}
}

// tree returns a scalar, a list or a mapping whose scalars must be hidden.
func (h *hider) tree(depth int) *yaml.Node {
	style := []yaml.Style{0, yaml.FlowStyle}[h.IntN(2)]
	switch kind := h.IntN(3); {
	case kind == 0 && depth > 0:
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: style, Content: []*yaml.Node{h.tree(depth - 1), h.tree(depth - 1)}}
	case kind == 1 && depth > 0:
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: []string{"value", "pass", "env", "x"}[h.IntN(4)]}
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: style, Content: []*yaml.Node{key, h.tree(depth - 1)}}
	}
	return h.value()
}

// mappings returns the mappings of a tree.
func mappings(node *yaml.Node) (all []*yaml.Node) {
	isLabels := len(node.Content) > 0 && node.Content[0].Value == "team" // any key is one, and values are shown
	if node.Kind == yaml.MappingNode && len(node.Content) > 0 && !isLabels {
		all = append(all, node)
	}
	for _, child := range node.Content {
		all = append(all, mappings(child)...)
	}
	return all
}

// fill replaces the scalars that must be hidden.
func (h *hider) fill(node *yaml.Node, all bool) {
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.MappingNode && i%2 == 0:
		case child.Kind == yaml.ScalarNode && (all || strings.Contains(child.Value, "canary")):
			node.Content[i] = h.value()
		default:
			h.fill(child, all)
		}
	}
	node.Style &^= yaml.FlowStyle * yaml.Style(h.IntN(2))
}

// breakOne breaks a document at a random place.
func (h *hider) breakOne(root *yaml.Node) {
	all := mappings(root)
	mapping := all[h.IntN(len(all))]
	at := 2 * h.IntN(len(mapping.Content)/2)
	key, value := mapping.Content[at], mapping.Content[at+1]
	switch h.IntN(4) {
	case 0: // a misspelled key, with values
		key.Value = key.Value[:len(key.Value)-1] + "zz"
		if value.Kind == yaml.ScalarNode {
			mapping.Content[at+1] = h.value()
		} else {
			h.fill(value, true)
		}
	case 1: // an unknown key
		unknown := &yaml.Node{Kind: yaml.ScalarNode, Value: []string{"parms", "value", "password", "envs"}[h.IntN(4)] + "Q"}
		mapping.Content = slices.Insert(mapping.Content, at, unknown, h.tree(2))
	case 2: // another type
		if value.Kind == yaml.ScalarNode {
			mapping.Content[at+1] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{h.value(), h.value()}}
		} else if !slices.ContainsFunc(value.Content, func(one *yaml.Node) bool { return strings.Contains(one.Value, "canary") }) {
			mapping.Content[at+1] = h.value() // but not in place of a list that was put in place of a text
		}
	default: // a finding at a known field
		if value.Kind == yaml.ScalarNode && !strings.Contains(value.Value, "canary") {
			*value = yaml.Node{Kind: yaml.ScalarNode, Value: "-1", Tag: "!!int"}
		}
	}
}

func printed(t *testing.T, node *yaml.Node, indent int) string {
	t.Helper()
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(indent)
	require.NoError(t, encoder.Encode(node))
	return b.String()
}

// native turns some documents into native ones, which have a name and a spec only: their other keys are ignored.
func (h *hider) native(root *yaml.Node) {
	kind, metadata := root.Content[3], root.Content[5]
	if !slices.Contains([]string{"ResourcePlugin", "Sandbox", "RouteGroup"}, kind.Value) || h.IntN(2) == 0 {
		return
	}
	root.Content = append(slices.Clone(metadata.Content), root.Content[6:]...)
	for i := range h.IntN(4) {
		ignored := &yaml.Node{Kind: yaml.ScalarNode, Value: []string{"password", "metadata", "version", "e"}[h.IntN(4)] + strings.Repeat("q", i)}
		root.Content = slices.Insert(root.Content, 2*h.IntN(len(root.Content)/2+1), ignored, h.tree(3))
	}
	root.Style = []yaml.Style{0, 0, yaml.FlowStyle}[h.IntN(3)]
}

// documents returns documents with values that must be hidden, and with mistakes.
func (h *hider) documents(t *testing.T) string {
	t.Helper()
	tree := func(text string) *yaml.Node {
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		h.fill(document.Content[0], false)
		if document.Content[0].Content[0].Value == "apiVersion" {
			h.native(document.Content[0])
		}
		for range 1 + h.IntN(3) {
			h.breakOne(document.Content[0])
		}
		return document.Content[0]
	}
	overlay := printed(t, tree(hideableOverlay), 2+2*h.IntN(2))
	var all []string
	for _, text := range strings.Split(hideable, "---\n") {
		document := tree(text)
		for _, mapping := range mappings(document) {
			for i := 1; i < len(mapping.Content); i += 2 {
				if mapping.Content[i].Value == "OVERLAY" {
					styles := []yaml.Style{yaml.LiteralStyle, yaml.LiteralStyle, yaml.DoubleQuotedStyle, yaml.FoldedStyle}
					mapping.Content[i] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: overlay, Style: styles[h.IntN(4)]}
				}
			}
		}
		all = append(all, printed(t, document, 2+2*h.IntN(2)))
	}
	for _, text := range strings.Split(hideableObjects, "---\n") {
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(text), &document))
		h.fill(document.Content[0], false)
		all = append(all, printed(t, document.Content[0], 2))
	}
	h.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(all, "---\n")
}

// No scalar of documents with mistakes is in a page, unless its field is known to be harmless.
func TestValuesAreHidden_generated(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "makes pages of hundreds of documents")
	h := &hider{Rand: checkout.Random(t)}
	canary := regexp.MustCompile(`.{0,80}canary\d+x.{0,40}`)
	excerpts := 0
	for range checkout.Rounds(100) { // of seven documents each
		text := h.documents(t)
		got := page(t, folder(t, map[string]string{"all.yaml": text}))
		excerpts += strings.Count(got, "(hidden)")
		if found := canary.FindString(got); !assert.Empty(t, found, "%s", text) {
			return
		}
	}
	assert.Greater(t, excerpts, 500, "lines with hidden values are shown")
}

// The lines of an overlay show harmless values.
func TestOverlayLines(t *testing.T) {
	t.Parallel()
	text := strings.Replace(plugin, "runner: {image: alpine}", "runner:\n    image: alpine\n    podTemplateOverlay: |\n"+
		"      spec:\n        containers:\n        - name: main\n          env:\n          - name: A\n            value: secret-1\n"+
		"            valeu: secret-2\n          - {name: B, value: secret-3}\n          workingDirr: /x", 1)
	got := page(t, folder(t, map[string]string{"all.yaml": text}))
	assert.NotContains(t, got, "secret")
	assert.Contains(t, got, "name: A")
	assert.Contains(t, got, "{name: B, value: (hidden)")
}

// A key that is ignored in front of a native document is not in its tree, and its value is hidden.
func TestIgnoredKeysOfNativeDocuments(t *testing.T) {
	t.Parallel()
	got := page(t, folder(t, map[string]string{"all.yaml": "password: secret-1\ntoken: {a: secret-2}\nname: Bad_Name@1.0.0\nspec:\n" +
		"  runner: {image: alpine}\n  create:\n  - {name: one, script: \"#!/bin/sh\"}\n"}))
	assert.NotContains(t, got, "secret-")
	assert.Contains(t, got, "(hidden)")
}

// A list in place of a name is a mistake, and may hold anything. Lists of names are shown.
func TestListsAtPlainKeys(t *testing.T) {
	t.Parallel()
	got := page(t, folder(t, map[string]string{"all.yaml": "apiVersion: example.com/v1\nkind: Login\nmetadata: {name: l}\nspec:\n" +
		"  names: {shortNames: [shown-1], name: [secret-1]}\n---\nname: Bad_Name@1.0.0\nspec:\n" +
		"  runner: {image: alpine}\n  create:\n  - {name: one, script: \"#!/bin/sh\"}\n"}))
	assert.NotContains(t, got, "secret-1")
	assert.Contains(t, got, "shortNames: [shown-1]")
}
