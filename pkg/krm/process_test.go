package krm

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/parser"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/filters"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// setAnnotation is a filter that annotates the objects of a kind.
func setAnnotation(kind string) kio.Filter {
	return kio.FilterFunc(func(objects []*kyaml.RNode) ([]*kyaml.RNode, error) {
		for _, object := range objects {
			if object.GetKind() == kind {
				if err := object.PipeE(kyaml.SetAnnotation("example.com/seen", "yes")); err != nil {
					return nil, err
				}
			}
		}
		return objects, nil
	})
}

// processors returns examples of kyaml's processors.
func processors() map[string]framework.ResourceListProcessor {
	return map[string]framework.ResourceListProcessor{
		"nothing":  framework.SimpleProcessor{Config: &struct{}{}, Filter: kio.FilterAll(kyaml.FilterFunc(func(o *kyaml.RNode) (*kyaml.RNode, error) { return o, nil }))},
		"annotate": framework.SimpleProcessor{Config: &struct{}{}, Filter: setAnnotation("Beta")},
		"add and remove": framework.TemplateProcessor{
			TemplateData: &struct{}{},
			PreProcessFilters: []kio.Filter{
				filters.GrepFilter{Path: []string{"kind"}, Value: "Beta", MatchType: filters.Regexp, InvertMatch: true},
			},
			ResourceTemplates: []framework.ResourceTemplate{{Templates: parser.TemplateStrings(
				"apiVersion: v1\nkind: Added\nmetadata:\n  name: x\n  annotations: {config.kubernetes.io/index: '0', a: b}\n")}},
		},
		"report": framework.ResourceListProcessorFunc(func(list *framework.ResourceList) error {
			for n, object := range list.Items {
				id := object.GetKind()
				list.Results = append(list.Results, &framework.Result{
					Message: fmt.Sprintf("%d: must be %q", len(list.Items)-n, id), Severity: framework.Warning,
					Field: &framework.Field{Path: "kind", CurrentValue: id}, Tags: map[string]string{"a": "b"},
				})
			}
			return list.Results
		}),
	}
}

// of returns the function for Run of a processor.
func of(processor framework.ResourceListProcessor) func(*Trees) error {
	return func(list *Trees) error {
		given := &framework.ResourceList{Items: list.Items, FunctionConfig: list.FunctionConfig}
		err := processor.Process(given)
		list.Items = given.Items
		for _, one := range given.Results {
			list.Results = append(list.Results, Result{
				Message: one.Message, Severity: Severity(one.Severity), ResourceRef: one.ResourceRef,
				Field: (*Field)(one.Field), File: (*File)(one.File), Tags: one.Tags,
			})
		}
		return err
	}
}

// TestRunAgreesWithTheFramework compares the output as data. Objects that a processor does not change must keep their bytes.
func TestRunAgreesWithTheFramework(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 200 {
		src, items := randomList(random)
		for name, processor := range processors() {
			var got, want bytes.Buffer
			gotErr := Run(of(processor), strings.NewReader(src), &got)
			wantErr := framework.Execute(processor, &kio.ByteReadWriter{
				Reader: strings.NewReader(src), Writer: &want, KeepReaderAnnotations: true,
			})
			require.Equal(t, wantErr, gotErr, name)
			wantJSON, err := yaml.YAMLToJSON(want.Bytes())
			require.NoError(t, err)
			gotJSON, err := yaml.YAMLToJSON(got.Bytes())
			require.NoError(t, err, "%s\n%s", name, got.String())
			require.JSONEq(t, string(wantJSON), string(gotJSON), "%s\n%s", name, src)
			for _, item := range items {
				if name == "nothing" || name == "report" || !strings.Contains(item, "kind: Beta") {
					require.Contains(t, got.String(), item, name)
				}
			}
		}
	}
}

// randomList returns a list and the bytes of its items.
func randomList(random *rand.Rand) (src string, items []string) {
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	var out strings.Builder
	out.WriteString(head + pick("", "functionConfig:\n  kind: C\n  spec: {a: 1}\n"))
	paths := random.IntN(2) == 0
	out.WriteString("items:\n")
	for n := range 1 + random.IntN(5) {
		item := "-   apiVersion: v1 # c\n    kind: " + pick("Alpha", "Beta") + "\n    metadata:\n        name: n" + fmt.Sprint(n) + "\n"
		switch {
		case paths:
			item += fmt.Sprintf("        annotations:\n          internal.config.kubernetes.io/path: 'a.yaml' # p\n"+
				"          internal.config.kubernetes.io/index: \"%d\"\n", n)
		case random.IntN(2) == 0:
			item += "        annotations: {x: y, \"1\": \"2\"}\n"
		}
		for range random.IntN(3) {
			item += "    " + pick("a", "b", "c") + fmt.Sprint(random.Int32()) + ":" + pick(" x   # y", " [1, 'b',  {c: d}]", " |+\n      x\n\n       y\n",
				"\n      - a:  1\n        b: ~\n      -   c", " \"yes\"", " 1e3", " >-\n      a\n      b", " {}", "") + "\n"
		}
		items = append(items, item)
		out.WriteString(item + pick("", "# between\n", "\n"))
	}
	return out.String(), items
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	none := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	var out bytes.Buffer
	require.ErrorContains(t, Run(of(none), strings.NewReader("a: b\n"), &out), "not a ResourceList")
	failed := errors.New("failed")
	failing := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return failed })
	assert.Empty(t, out.String())
	src := head + "items: []\n"
	require.ErrorIs(t, Run(of(failing), strings.NewReader(src), &out), failed)
	assert.Equal(t, src, out.String())
	require.ErrorIs(t, Run(of(none), &failingReader{failed}, &out), failed)
}

type failingReader struct{ err error }

func (r *failingReader) Read([]byte) (int, error) { return 0, r.err }
