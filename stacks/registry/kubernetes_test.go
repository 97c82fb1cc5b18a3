package registry

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The types of a Deployment have the fields and tags of k8s.io/api. UPDATE_GOLDEN writes them.
func TestDeploymentTypes(t *testing.T) {
	t.Parallel()
	const file = "zz_generated.deployment.go"
	bodies := map[string]string{}
	nameOf(reflect.TypeFor[appsv1.DeploymentSpec](), bodies)
	var out strings.Builder
	out.WriteString("// Code generated from k8s.io/api by UPDATE_GOLDEN=1 go test ./stacks/registry. DO NOT EDIT.\n\npackage registry\n\ntype (\n")
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		fmt.Fprintf(&out, "%s %s\n", name, bodies[name])
	}
	out.WriteString(")\n")
	want, err := format.Source([]byte(out.String()))
	require.NoError(t, err)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, want, 0o600))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run UPDATE_GOLDEN=1 go test ./stacks/registry")
}

// nameOf returns the name of a type, and adds it and the types of its fields to bodies.
func nameOf(t reflect.Type, bodies map[string]string) string {
	switch {
	case t == reflect.TypeFor[resource.Quantity]():
		return "quantity"
	case t == reflect.TypeFor[intstr.IntOrString]():
		return "intOrString"
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return "managed"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + nameOf(t.Elem(), bodies)
	case reflect.Slice:
		return "[]" + nameOf(t.Elem(), bodies)
	case reflect.Map:
		return "map[" + nameOf(t.Key(), bodies) + "]" + nameOf(t.Elem(), bodies)
	case reflect.Struct:
	default:
		return t.Kind().String()
	}
	name := strings.ToLower(t.Name()[:1]) + t.Name()[1:]
	if _, known := bodies[name]; known {
		return name
	}
	bodies[name] = "" // it is known while its fields are read
	bodies[name] = "struct {\n" + fieldsOf(t, bodies) + "}"
	return name
}

// fieldsOf returns the fields of a struct, including those of embedded structs.
func fieldsOf(t reflect.Type, bodies map[string]string) string {
	var out strings.Builder
	for field := range t.Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && key == "" {
			out.WriteString(fieldsOf(field.Type, bodies))
			continue
		}
		tag := fmt.Sprintf("json:%q", field.Tag.Get("json"))
		if mergeKey := field.Tag.Get("patchMergeKey"); mergeKey != "" {
			tag += fmt.Sprintf(" patchMergeKey:%q", mergeKey)
		}
		fmt.Fprintf(&out, "%s %s `%s`\n", field.Name, nameOf(field.Type, bodies), tag)
	}
	return out.String()
}

// A Deployment is read as with the types of k8s.io/api: with the same problems and into the same tree.
func TestDeployment_isReadAsThatOfKubernetes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"replicas: 1", "replicas: x", "replicas: '1'", "replicas: 0o17", "replicas: 99999999999", "Replicas: 1", "relpicas: 1", "unknown: 1",
		"paused: yes", "paused: 'yes'", "minReadySeconds: 010", "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 25%}}",
		"strategy: {rollingUpdate: {maxSurge: [1]}}", "selector: {matchLabels: {a: 1, b: yes, c: null}}", "template: null", "template: []",
		"template: {metadata: {creationTimestamp: now, managedFields: [{time: x, fieldsV1: {}}], labels: {a: b, a: c}}}",
		"template: {spec: {hostNetwork: on, containers: [{image: a}, {name: b, ports: [{containerPort: 80}, {hostPort: 1}]}, null]}}",
		"template: {spec: {containers: [{name: a, resources: {limits: {cpu: 1, memory: 1e3, x: 1.5, y: 0x10, z: much, w: true}}}]}}",
		"template: {spec: {volumes: [{name: a, emptyDir: {sizeLimit: 1Gi}}, {name: b, configMap: {name: c, defaultMode: 0400}}, {secret: 1}]}}",
		"template: {spec: {containers: [{name: a, livenessProbe: {httpGet: {port: http}, exec: {command: [a, 1]}}, env: [{name: A, value: yes}]}]}}",
	} {
		read := func(target any) (string, []strictyaml.Problem) {
			root, problem := strictyaml.Parse([]byte(text))
			require.Nil(t, problem, text)
			tree, problems := strictyaml.IntoObject(root, "spec", target)
			printed, err := yamlprint.Encode(tree)
			require.NoError(t, err)
			return string(printed), problems
		}
		want, wanted := read(&appsv1.DeploymentSpec{})
		got, found := read(&deploymentSpec{})
		assert.Equal(t, want, got, text)
		assert.Equal(t, wanted, found, text)
	}
}

func TestQuantity_isThatOfKubernetes(t *testing.T) {
	t.Parallel()
	random, valid := checkout.Random(t), 0
	for range 100_000 {
		text := make([]byte, 1+random.IntN(7))
		for i := range text {
			text[i] = "0123456789012345.+-eEinumkKMGTPx "[random.IntN(33)]
		}
		_, err := resource.ParseQuantity(string(text))
		if !strings.ContainsAny(string(text), "0123456789") {
			continue // strictyaml refuses it
		}
		got := new(quantity).UnmarshalJSON([]byte(`"` + string(text) + `"`))
		require.Equal(t, err == nil, got == nil, "%q: %v", text, err)
		if got == nil {
			valid++
		}
	}
	assert.Positive(t, valid)
}
