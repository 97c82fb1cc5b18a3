package check

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// faults are the seeded faults in Go, by the case that must find them.
var faults = map[string]fault{
	"behavior/deterministic": {output: func(text string) string { return text + fmt.Sprintf("# %d\n", rand.Uint64()) }},
	"behavior/idempotent": editNodes(func(key string, value *yaml.Node) bool {
		if key == "count" {
			n, _ := strconv.Atoi(value.Value)
			value.Value = strconv.Itoa(n + 1)
		}
		return true
	}),
	"behavior/invalid": without("invalid"),

	"output/one-document": {output: func(text string) string { return "1 function started\n" + text }},
	"output/kind":         {edit: func(f *function) { f.set("kind", scalarNode("List")) }},
	"output/items":        {edit: func(f *function) { f.root.Content[slices.IndexFunc(f.root.Content, isItems)].Value = "resources" }},
	"output/objects":      generate(`[{kind: Generated, metadata: {name: generated, labels: {generated: "yes"}}}]`),
	"output/names":        generate(`[{apiVersion: v1, kind: Generated, metadata: {labels: {generated: "yes"}}}]`),
	"output/annotations":  generate(`[{apiVersion: v1, kind: Generated, metadata: {name: a, annotations: {port: 80}, labels: {generated: "yes"}}}]`),
	"output/paths":        generate(`[{apiVersion: v1, kind: Generated, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: ../a.yaml}, labels: {generated: "yes"}}}]`),
	"output/indexes":      generate(`[{apiVersion: v1, kind: Generated, metadata: {name: a, annotations: {internal.config.kubernetes.io/index: x}, labels: {generated: "yes"}}}]`),
	"output/unique-keys":  generate(`[{apiVersion: v1, kind: Generated, metadata: {name: a, name: a, labels: {generated: "yes"}}}]`),
	"output/unique-items": generate(`[
  {apiVersion: v1, kind: Generated, metadata: {name: a, labels: {generated: "yes"}}},
  {apiVersion: v1, kind: Generated, metadata: {name: a}}]`),
	"output/unique-paths": generate(`[
  {apiVersion: v1, kind: Generated, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: a.yaml}, labels: {generated: "yes"}}},
  {apiVersion: v1, kind: Generated, metadata: {name: b, annotations: {internal.config.kubernetes.io/path: a.yaml}}}]`),
	"output/folders": generate(`[{apiVersion: v1, kind: Generated, metadata: {name: a, annotations: {internal.config.kubernetes.io/path: folder},
    labels: {generated: "yes"}}}]`),

	"input/json":             rejects(func(f *function) bool { return bytes.HasPrefix(f.input, []byte(`{"apiVersion":"`)) }),
	"input/crlf":             rejects(func(f *function) bool { return bytes.Contains(f.input, []byte("\r\n")) }),
	"input/byte-order-mark":  rejects(func(f *function) bool { return bytes.HasPrefix(f.input, []byte("\xef\xbb\xbf")) }),
	"input/no-final-newline": rejects(func(f *function) bool { return f.input[0] != '{' && !bytes.HasSuffix(f.input, []byte("\n")) }),
	"input/document-markers": rejects(func(f *function) bool { return bytes.HasPrefix(f.input, []byte("---")) }),
	"input/anchors":          rejects(func(f *function) bool { return bytes.Contains(f.input, []byte("&labels")) }),
	"input/v1beta1":          rejects(func(f *function) bool { return strings.HasSuffix(text(f.root, "apiVersion"), "/v1beta1") }),
	"input/version-kept":     {edit: func(f *function) { f.set("apiVersion", scalarNode("config.kubernetes.io/v1")) }},
	"input/unknown-field":    rejects(func(f *function) bool { return resourcelist.Get(f.root, "conformanceUnknown") != nil }),
	"input/items-absent": {before: func(f *function) error {
		if bytes.HasPrefix(f.input, []byte("apiVersion: ")) && !bytes.Contains(f.input, []byte("items:")) {
			return passThrough(f)
		}
		return nil
	}, fail: passed},
	"input/items-null": {before: func(f *function) error {
		if bytes.Contains(f.input, []byte("\nitems: null")) {
			return passThrough(f)
		}
		return nil
	}, fail: passed},
	"input/no-items": {edit: func(f *function) {
		if bytes.Contains(f.input, []byte("items: []")) {
			f.set("items", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
		}
	}},
	"input/not-yaml": {syntax: func(f *function, err error) error {
		if !bytes.Contains(f.input, []byte("[}")) {
			return err
		}
		f.input = bytes.Replace(f.input, []byte("[}"), []byte(`"kind": "ResourceList"}`), 1)
		return nil
	}},
	"input/truncated": {syntax: func(f *function, err error) error {
		if bytes.Contains(f.input, []byte("[}")) {
			return err
		}
		f.input = append(f.input, []byte(`nd": ""}]}`)...)
		return nil
	}},
	"input/not-utf8": {before: func(f *function) error {
		f.input = bytes.ToValidUTF8(f.input, []byte("?"))
		return nil
	}},
	"input/items-not-a-list": {before: func(f *function) error {
		f.input = bytes.Replace(f.input, []byte("items: {first: second}"), []byte("items: []"), 1)
		return nil
	}},
	"input/aliases-of-aliases": {before: func(f *function) error {
		if bytes.Contains(f.input, []byte("&i [*h")) {
			kept[0] = bytes.Repeat([]byte{1}, 600<<20)
		}
		return nil
	}},
	"input/block-scalars": editNodes(func(_ string, value *yaml.Node) bool {
		if value.Style == yaml.LiteralStyle {
			value.Value = strings.TrimRight(value.Value, "\n") + "\n"
		}
		return true
	}),

	"keep/order": {edit: func(f *function) {
		slices.SortStableFunc(f.items.Content, func(a, b *yaml.Node) int {
			return strings.Compare(text(a, "metadata", "name"), text(b, "metadata", "name"))
		})
	}},
	"keep/field-order": editNodes(func(key string, value *yaml.Node) bool {
		if key == "spec" && value.Kind == yaml.MappingNode {
			sortFields(value)
		}
		return true
	}),
	"keep/comments": editNodes(func(_ string, value *yaml.Node) bool {
		value.LineComment = ""
		return true
	}),
	"keep/path":             without("internal.config.kubernetes.io/path"),
	"keep/index":            replaces("internal.config.kubernetes.io/index", "3", "2"),
	"keep/internal-id":      without("internal.config.kubernetes.io/id"),
	"keep/internal-unknown": without("internal.config.kubernetes.io/conformance"),
	"keep/legacy-path":      without("config.kubernetes.io/path"),
	"keep/legacy-index":     replaces("config.kubernetes.io/index", "3", "2"),
	"keep/kustomize-id":     without("kustomize.config.k8s.io/id"),
	"keep/annotations":      without("tool.example.com/owner"),
	"keep/local-config": editNodes(func(_ string, value *yaml.Node) bool {
		return text(value, "metadata", "annotations", "config.kubernetes.io/local-config") != "true"
	}),
	"keep/unknown-kind": editNodes(func(_ string, value *yaml.Node) bool { return text(value, "kind") != "SomethingNew" }),
	"keep/integers":     editNumbers("!!int"),
	"keep/floats":       editNumbers("!!float"),
	"keep/strings": editNodes(func(key string, value *yaml.Node) bool {
		if value.Kind == yaml.ScalarNode && key == "number" {
			value.Style, value.Tag = 0, "!!int"
		}
		return true
	}),
	"keep/empty-values": editNodes(func(_ string, value *yaml.Node) bool {
		return value.Kind == yaml.ScalarNode || value.Kind == yaml.AliasNode || len(value.Content) > 0
	}),
	"keep/null":  editNodes(func(_ string, value *yaml.Node) bool { return value.ShortTag() != "!!null" }),
	"keep/false": editNodes(func(_ string, value *yaml.Node) bool { return value.Value != "false" || value.Tag != "!!bool" }),
	"keep/whitespace": editNodes(func(_ string, value *yaml.Node) bool {
		if value.Kind == yaml.ScalarNode {
			value.Value = strings.TrimLeft(value.Value, " ")
		}
		return true
	}),
	"keep/long-values": editNodes(func(_ string, value *yaml.Node) bool {
		value.Value = value.Value[:min(len(value.Value), 4096)]
		return true
	}),
	"keep/kustomization": rejects(func(f *function) bool {
		return slices.ContainsFunc(f.items.Content, func(item *yaml.Node) bool {
			return text(item, "kind") == "" && resourcelist.Get(item, "resources") != nil
		})
	}),
	"keep/kptfile": editNodes(func(_ string, value *yaml.Node) bool { return text(value, "kind") != "Kptfile" }),

	"config/null":           rejects(func(f *function) bool { return bytes.Contains(f.input, []byte("functionConfig: null")) }),
	"config/empty":          rejects(func(f *function) bool { return bytes.Contains(f.input, []byte("functionConfig: {}")) }),
	"config/function-input": rejects(func(f *function) bool { return text(f.config, "metadata", "name") == "function-input" }),
	"config/unknown-kind": {edit: func(f *function) {
		if text(f.config, "kind") == "Unknown" {
			f.root.Content[slices.IndexFunc(f.root.Content, isItems)].Value = "resources"
		}
	}},

	"scale/time": {edit: func(f *function) {
		for range f.items.Content {
			if len(f.items.Content) < 10_000 {
				return
			}
			for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
				_ = strings.Repeat("x", 100)
			}
		}
	}},
	"scale/memory": {edit: func(f *function) {
		for i := range kept[:min(len(f.items.Content)/1000, len(kept))] {
			kept[i] = bytes.Repeat([]byte{1}, 200<<20)
		}
	}},

	"exit/no-crash": {check: func(f *function) error {
		if text(f.config, "kind") == "Unknown" {
			var config *function
			config.input = nil
		}
		return nil
	}},
	"exit/explained": {fail: func(error) int { return 2 }},
	"exit/stdout": {fail: func(err error) int {
		fmt.Println("error:", err)
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}},
	"exit/line-break": {fail: func(err error) int {
		fmt.Fprint(os.Stderr, "error: ", err)
		return 2
	}},

	"results/message":             {result: func(r map[string]any) { delete(r, "message") }},
	"results/severity":            {result: func(r map[string]any) { r["severity"] = "critical" }},
	"results/reference":           {result: func(r map[string]any) { delete(r["resourceRef"].(map[string]any), "name") }},
	"results/reference-namespace": {result: func(r map[string]any) { r["resourceRef"].(map[string]any)["namespace"] = nil }},
	"results/field":               {result: func(r map[string]any) { r["field"] = map[string]any{"currentValue": 1} }},
	"results/field-reference":     {result: func(r map[string]any) { delete(r, "resourceRef") }},
	"results/file":                {result: func(r map[string]any) { r["file"] = map[string]any{"index": 1} }},
	"results/file-path":           {result: func(r map[string]any) { r["file"].(map[string]any)["path"] = "/tmp/probe.yaml" }},
	"results/file-index":          {result: func(r map[string]any) { r["file"].(map[string]any)["index"] = "1" }},
	"results/tags":                {result: func(r map[string]any) { r["tags"] = map[string]any{"line": 3} }},
	"results/exit-code":           {code: func(int) int { return 0 }},
}

// kept keeps memory in use.
var kept [4][]byte

var errPassed = errors.New("the input was printed")

func passThrough(f *function) error {
	_, err := os.Stdout.Write(f.input)
	return errors.Join(errPassed, err)
}

// passed is success for a function that has printed its input.
func passed(err error) int {
	if errors.Is(err, errPassed) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 2
}

func rejects(wrong func(f *function) bool) fault {
	return fault{check: func(f *function) error {
		if wrong(f) {
			return errors.New("the input is not supported")
		}
		return nil
	}}
}

func replaces(key, from, to string) fault {
	return editNodes(func(k string, value *yaml.Node) bool {
		if k == key && value.Value == from {
			value.Value = to
		}
		return true
	})
}

// editNumbers is the fault of a function that reads numbers into a type that is too small.
func editNumbers(tag string) fault {
	return editNodes(func(_ string, value *yaml.Node) bool {
		if value.Kind == yaml.ScalarNode && value.ShortTag() == tag {
			if tag == "!!int" {
				number, _ := strconv.ParseFloat(value.Value, 64)
				value.Value = strconv.FormatFloat(number, 'f', -1, 64)
			} else {
				number, _ := strconv.ParseFloat(value.Value, 32)
				value.Value = strconv.FormatFloat(number, 'g', -1, 32)
			}
		}
		return true
	})
}

func sortFields(mapping *yaml.Node) {
	var pairs [][2]*yaml.Node
	for i := 0; i < len(mapping.Content); i += 2 {
		pairs = append(pairs, [2]*yaml.Node{mapping.Content[i], mapping.Content[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	mapping.Content = nil
	for _, pair := range pairs {
		mapping.Content = append(mapping.Content, pair[0], pair[1])
	}
}

func isItems(node *yaml.Node) bool { return node.Value == "items" }
