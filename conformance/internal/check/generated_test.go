package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/program"
	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
	"github.com/resource-plugins/krm-functions/conformance/internal/suite"
)

// generated returns a function whose edits are chosen by a seed: it sets values, and adds items, of which some are wrong.
func generated(seed uint64) fault {
	random := rand.New(rand.NewPCG(seed, seed))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	values := []string{`"a b"`, `"1"`, `1`, `1e3`, `0.10`, `18446744073709551615`, `"yes"`, `true`, `null`, `""`, `[]`, `{}`, `{a: [{b: c}]}`,
		`"é 日本 😀"`, `" a "`, `"a\nb\n"`, `"a\n\n b"`, `"#c"`, `"a: b"`, `"2024-01-01"`, `"0x10"`, `"\t"`, `'` + strings.Repeat("long ", 60) + `'`}
	names := []string{"a", "b-1", "c.example.com", "1", "true", "a:b", "system:a"}
	paths := []string{"", "", "", "", "", "b.yaml", "c.yaml", "d.yaml", "folder/b.yaml", "folder/c.yaml", "generated.yaml",
		"folder/generated.yaml", "a b.yaml", "./generated.yaml", "../generated.yaml", "/generated.yaml", "folder/../generated.yaml",
		"generated.json", "generated", "folder/", "folder", "folder/generated.yaml/a.yaml", "probes.yaml", "./probes.yaml", "Kptfile",
		"folder/Kptfile", ".", "é.yaml", `a\b.yaml`}
	kinds := []string{"v1, kind: ConfigMap", "v1, kind: Secret", "example.com/v1, kind: Thing", "example.com/v1, kind: ThingList",
		"v1, kind: Namespace", "rbac.authorization.k8s.io/v1, kind: ClusterRole", "v1, kind: List", "kpt.dev/v1, kind: Kptfile",
		"kustomize.config.k8s.io/v1beta1, kind: Kustomization", "kustomize.config.k8s.io/v1beta1, kind: Component"}
	var items strings.Builder
	for range random.IntN(4) {
		fmt.Fprintf(&items, "- {apiVersion: %s, metadata: {name: %q, labels: {generated: %q%s}, annotations: {x: y", pick(kinds...), pick(names...),
			"yes", pick("", "", "", "", "", "", "", "", "", "", ", number: 1", `, "": a`))
		if path := pick(paths...); path != "" {
			fmt.Fprintf(&items, ", internal.config.kubernetes.io/path: %q, internal.config.kubernetes.io/index: %q", path, pick("0", "0", "0", "1", "1", "2", "7", "07", "12", "3", "x", "-1"))
		}
		items.WriteString(pick("", "", `, config.kubernetes.io/local-config: "true"`) + "}")
		items.WriteString(pick("", ", namespace: conformance", `, namespace: ""`) + "}, spec: {value: " + pick(values...) + "}}\n")
	}
	add, field, value := generate(items.String()), pick("", "value", "metadata"), pick(values...)
	indent, style := 1+random.IntN(4), pick("", "", "", "flow", "sorted")
	comment := pick("", "", "# a comment\n", "---\n")
	return fault{
		edit: func(f *function) {
			if items.Len() > 0 {
				add.edit(f)
			}
			for _, item := range f.items.Content {
				if spec := resourcelist.Get(item, "spec"); spec != nil && field != "" && spec.Kind == yaml.MappingNode {
					setField(spec, field, value)
				}
			}
			if style == "sorted" {
				sortFields(f.root)
			}
			if style == "flow" {
				f.root.Style = yaml.FlowStyle
			}
		},
		output: func(text string) string {
			var document yaml.Node
			if err := yaml.Unmarshal([]byte(text), &document); err != nil {
				panic(err)
			}
			var out bytes.Buffer
			encoder := yaml.NewEncoder(&out)
			encoder.SetIndent(indent + 1)
			if err := encoder.Encode(&document); err != nil {
				panic(err)
			}
			return comment + out.String()
		},
	}
}

func setField(mapping *yaml.Node, key, text string) {
	var value yaml.Node
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	if i := slices.IndexFunc(mapping.Content, func(n *yaml.Node) bool { return n.Value == key }); i >= 0 && i%2 == 0 {
		mapping.Content[i+1] = value.Content[0]
		return
	}
	mapping.Content = append(mapping.Content, scalarNode(key), value.Content[0])
}

// Kustomize and kpt accept the outputs that the suite accepts. Both are tried if they are on the PATH. CONFORMANCE_FUNCTIONS
// is the number of generated functions, CONFORMANCE_SEED the first seed.
func TestSuite_acceptsWhatOrchestratorsAccept(t *testing.T) { //nolint:tparallel // the group waits for its subtests
	t.Parallel()
	var orchestrators []string
	for _, name := range []string{"kustomize", "kpt"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("not tried: %s", err)
			continue
		}
		orchestrators = append(orchestrators, name)
	}
	require.Contains(t, orchestrators, "kustomize", "make test builds it; elsewhere it must be on the PATH")
	accepted := make(chan bool, 1<<16)
	t.Run("functions", func(t *testing.T) {
		first := number(t, "CONFORMANCE_SEED", 1)
		for seed := first; seed < first+number(t, "CONFORMANCE_FUNCTIONS", 20); seed++ {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				if isAccepted(t, seed) {
					accepted <- true
					checkOrchestrators(t, seed, orchestrators)
				}
			})
		}
	})
	t.Logf("the suite accepted %d functions", len(accepted))
	assert.NotEmpty(t, accepted)
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 32)
	require.NoError(t, err, variable)
	return n
}

// isAccepted reports whether the suite finds nothing. Only cases that are about the output are run.
func isAccepted(t *testing.T, seed uint64) bool {
	t.Helper()
	cases, err := suite.Load()
	require.NoError(t, err)
	cases = slices.DeleteFunc(cases, func(c *suite.Case) bool {
		group, _, _ := strings.Cut(c.ID, "/")
		return slices.Contains([]string{"input", "config", "hermetic", "scale"}, group)
	})
	function, err := program.New(program.Program{Args: []string{binary, "generated", strconv.FormatUint(seed, 10)}, Timeout: time.Minute})
	require.NoError(t, err)
	outcomes, err := (&Suite{Cases: cases, Program: function, Profile: suite.Generator}).Run()
	require.NoError(t, err)
	t.Log(failed(outcomes))
	return len(failed(outcomes)) == 0
}

// checkOrchestrators runs the function in kustomize and kpt, as far as they are there, with the items of the suite.
func checkOrchestrators(t *testing.T, seed uint64, orchestrators []string) {
	t.Helper()
	input, _, err := suite.Run{}.Bytes(suite.Data{})
	require.NoError(t, err)
	list, err := resourcelist.Read(input)
	require.NoError(t, err)
	folder := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755)) //nolint:gosec // one of them is a program
	}
	var documents []string
	for _, item := range list.Items {
		text, err := yaml.Marshal(item)
		require.NoError(t, err)
		documents = append(documents, string(text))
	}
	write("kustomize/items.yaml", strings.Join(documents, "---\n"))
	write("kustomize/kustomization.yaml", "resources: [items.yaml]\ntransformers: [function.yaml]\n")
	write("kustomize/function.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function\n  annotations:\n"+
		"    config.kubernetes.io/function: |\n      exec: {path: ./function}\n")
	write("kustomize/function", fmt.Sprintf("#!/bin/sh\nexec %s generated %d\n", binary, seed))
	write("kpt/items.yaml", strings.Join(documents, "---\n"))
	write("kpt/Kptfile", fmt.Sprintf("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: package}\npipeline:\n  mutators:\n"+
		"  - exec: %s generated %d\n", binary, seed))
	for _, args := range [][]string{
		{"kustomize", "build", "--enable-alpha-plugins", "--enable-exec", "kustomize"},
		{"kpt", "fn", "render", "--allow-exec", "kpt"},
		{"kpt", "fn", "render", "--allow-exec", "kpt"}, // reads its own output
	} {
		if !slices.Contains(orchestrators, args[0]) {
			continue
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s: %s\n%s", args[0], out, added(t, input, seed))
	}
}

// added returns the items that a generated function adds.
func added(t *testing.T, input []byte, seed uint64) string {
	t.Helper()
	run := exec.Command(binary, "generated", strconv.FormatUint(seed, 10))
	run.Stdin = bytes.NewReader(input)
	printed, err := run.Output()
	require.NoError(t, err)
	list, err := resourcelist.Read(printed)
	require.NoError(t, err)
	var items strings.Builder
	for _, item := range list.Items {
		if resourcelist.ProbeOf(item) == "" {
			text, err := yaml.Marshal(item)
			require.NoError(t, err)
			items.Write(text)
		}
	}
	return items.String()
}
