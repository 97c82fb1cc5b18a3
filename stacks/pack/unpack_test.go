package pack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// The cases in the archives of package v010 are not repeated here.

func TestUnpack_reportsHostileFiles(t *testing.T) {
	t.Parallel()
	const app = "permissionScope: Cluster\n"
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'j'; c++ {
		bomb += fmt.Sprintf("%c: &%[1]c [*%c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c,*%[2]c]\n", c, c-1)
	}
	for _, test := range []struct{ name, file, content, message string }{
		{"deep", "x.crd.yaml", strings.Repeat("{a: ", 5000) + "1" + strings.Repeat("}", 5000), "must not be nested in more than 500"},
		{"deeper", "x.crd.yaml", strings.Repeat("[", 20000), "exceeded max depth"},
		{"alias bomb", "x.crd.yaml", bomb, "alias"},
		{"alias to itself", "group.yaml", "title: &a [*a]", "alias"},
		{"not UTF-8", "app.yaml", "title: \xff", "must be valid YAML"},
		{"NUL", "install.yaml", "\x00", "must not hold the control character U+0000"},
		{"tabs", "resource.yaml", "id:\n\t- x", "not with tabs"},
		{"a list", "behavior.yaml", "[]", "must be a mapping"},
		{"a scalar", "x.crd.yaml", "text", "kind"},
		{"spec of a wrong kind", "x.crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: []", "spec: must be a mapping, not a list"},
		{"Deployment without spec", "install.yaml", "kind: Deployment\nspec: 1", "must be the spec of a Deployment"},
		{"wrong type", "install.yaml", "kind: Deployment\nspec: {replicas: many}", "spec.replicas"},
		{"label of a wrong type", "x.crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
			"metadata: {labels: {a: [1]}}", "metadata.labels: must be a string, not a list"},
		{"schema of a wrong type", "x.crd.yaml", "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n" +
			"spec: {validation: {openAPIV3Schema: {properties: {a: {additionalProperties: 1}}}}}", "boolean or JSON schema expected"},
		{"yes for a string", "install.yaml", "kind: Deployment\nspec: {template: {spec: {hostname: yes}}}", "spec.template.spec.hostname"},
		{"merge of no mapping", "group.yaml", "<<: 1", "<<"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := registry.Files{"app.yaml": []byte(app)}
			files[test.file] = []byte(test.content)
			u, results := pack.Unpack(files, registry.Options{})
			assert.Nil(t, u)
			require.True(t, results.Failed())
			var lines strings.Builder
			for _, result := range results {
				assert.Equal(t, ".registry/"+test.file, result.Place.File)
				lines.WriteString(report.Line(result, report.Style{}) + "\n")
			}
			assert.Contains(t, lines.String(), test.message)
		})
	}
}

func TestUnpack_namesRecord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options       registry.Options
		name, version string
	}{
		{registry.Options{Image: "registry.example.org:5000/acme/redis:v1"}, "redis", "v1"},
		{registry.Options{Image: "registry.example.org:5000/acme/redis"}, "redis", ""},
		{registry.Options{Image: "redis@sha256:0", Dir: "a/b/.registry"}, "redis", ""},
		{registry.Options{Dir: "a/b/.registry"}, "b", ""},
		{registry.Options{Dir: "a/My_Stack/.registry"}, "my-stack", ""},
		{registry.Options{}, "", ""},
		{registry.Options{Name: "mine", Image: "redis:v1"}, "mine", "v1"},
	} {
		u, results := pack.Unpack(registry.Files{"app.yaml": []byte("permissionScope: Cluster")}, test.options)
		require.NotNil(t, u, results)
		record := kyaml.NewRNode(u.Record)
		assert.Equal(t, test.name, record.GetName())
		version, _ := record.GetString("spec.version")
		assert.Equal(t, test.version, version)
	}
}

// The unpacked objects can be read again, and unpacking does not change its input.
func FuzzUnpack(f *testing.F) {
	for _, name := range []string{"app.yaml", "install.yaml", "behavior.yaml", "a/x.crd.yaml", "group.yaml", "resource.yaml", "a/icon.svg"} {
		for _, content := range []string{
			"", "a: b", "permissionScope: Cluster", "kind: Deployment\nspec: {template: {}}", "source: {path: a}",
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {annotations: {a: b}}\n" +
				"spec: {group: a, names: {kind: B, plural: bs}, versions: [{name: v1}]}",
		} {
			f.Add(name, []byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" +
			"spec: {group: x, names: {kind: X, plural: xs}, version: v1}"
		files := registry.Files{"app.yaml": []byte("permissionScope: Cluster"), "a/b/crd.yaml": []byte(crd)}
		files[name] = content
		u, results := pack.Unpack(files, registry.Options{})
		if u == nil {
			require.True(t, results.Failed())
			return
		}
		text, err := u.YAML()
		require.NoError(t, err)
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(document), &object), "%s", text)
		}
		again, _ := pack.Unpack(files, registry.Options{})
		repeated, err := again.YAML()
		require.NoError(t, err)
		assert.Equal(t, string(text), string(repeated))
	})
}
