package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Documents that kustomize and kpt would deliver are read, however they are written.
func TestReadTakesWhatOrchestratorsDeliver(t *testing.T) {
	t.Parallel()
	const object = "{apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: a}}"
	for name, text := range map[string]string{
		"a List":           "apiVersion: v1\nkind: List\nitems: [" + object + "]\n",
		"a list of a kind": "apiVersion: resourceplugins.dev/v1alpha1\nkind: SandboxList\nitems: [" + object + "]\n",
		"a list of others": "apiVersion: example.com/v1\nkind: ThingList\nitems: [" + object + "]\n",
		"a list in a list": "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [" + object + "]}]\n",
		"an alias":         "apiVersion: v1\nkind: List\nx: &x " + object + "\nitems: [*x]\n",
		"escapes": "apiVersion: v1\nkind: List\n" +
			`items: [{apiVersion: "resourceplugins\x2edev/v1alpha1", kind: "Sandb\u006fx", metadata: {name: a}}]` + "\n",
		"base64": "apiVersion: v1\nkind: List\n" +
			"items: [{apiVersion: !!binary cmVzb3VyY2VwbHVnaW5zLmRldi92MWFscGhhMQ==, kind: Sandbox, metadata: {name: a}}]\n",
		"a kind in base64":           "apiVersion: resourceplugins.dev/v1alpha1\nkind: !!binary U2FuZGJveA==\nmetadata: {name: a}\n",
		"a kind in base64, on lines": "apiVersion: resourceplugins.dev/v1alpha1\nkind: !!binary |\n  U2Fu\n  ZGJveA==\nmetadata: {name: a}\n",
		"an apiVersion in base64":    "apiVersion: !!binary cmVzb3VyY2VwbHVnaW5zLmRldi92MWFscGhhMQ==\nkind: Sandbox\nmetadata: {name: a}\n",
		"a merge key":                "x: &x {apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox}\n<<: *x\nmetadata: {name: a}\n",
		"merge keys":                 "x: &x {apiVersion: v1, kind: Sandbox}\n<<: [{apiVersion: resourceplugins.dev/v1alpha1}, *x]\nmetadata: {name: a}\n",
		"indented":                   "  apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata: {name: a}\n",
		"quoted keys":                "\"apiVersion\": resourceplugins.dev/v1alpha1\n'kind': Sandbox\n\"metadat\\u0061\": {name: a}\n",
		"escaped keys":               "\"\\u0061piVersion\": resourceplugins.dev/v1alpha1\n\"kin\\u0064\": Sandbox\nmetadata: {name: a}\n",
		"tagged keys":                "!!str apiVersion: resourceplugins.dev/v1alpha1\n!!str kind: Sandbox\nmetadata: {name: a}\n",
		"complex keys":               "? apiVersion\n: resourceplugins.dev/v1alpha1\n? kind\n: Sandbox\nmetadata: {name: a}\n",
		"flow style":                 "--- " + object + "\n",
		"flow style on lines":        "{\n  apiVersion: resourceplugins.dev/v1alpha1,\n  kind: Sandbox,\n  metadata: {name: a}}\n",
		"JSON":                       `{"items": [], "apiVersion": "resourceplugins.dev/v1alpha1", "kind": "Sandbox", "metadata": {"name": "a"}}`,
		"a document with a tag":      "!!map\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: a}\n",
		"an alias as the kind":       "x: &x Sandbox\napiVersion: resourceplugins.dev/v1alpha1\nkind: *x\nmetadata: {name: a}\n",
		"braces in a comment":        "# {{ .Values.x }}\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: a}\n",
		"braces in a string":         "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: a, x: '{{ if }}'}\n",
	} {
		dir := folder(t, "")
		nativeWrite(t, dir+"/a.yaml", text)
		read, err := load.Read([]string{dir}, load.Options{})
		require.NoError(t, err, name)
		assert.Empty(t, told(read, dir), name)
		require.Equal(t, []string{"Sandbox a a.yaml"}, names(read, dir), name)
		assert.Equal(t, "resourceplugins.dev/v1alpha1", read.Documents[0].Item.APIVersion(), name)
	}
}

// The items of a list keep their order and places; a list without objects of ours is one object.
func TestReadReplacesListsByTheirItems(t *testing.T) {
	t.Parallel()
	dir := folder(t, `
-- a.yaml --
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: a}}
- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata:
    name: b
-- b.yaml --
apiVersion: v1
kind: ConfigMapList
items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]
`)
	read, err := load.Read([]string{dir}, load.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"Secret a a.yaml", "Sandbox b a.yaml", "ConfigMapList  b.yaml"}, names(read, dir))
	assert.Equal(t, 8, read.Documents[1].Item.PlaceOf("metadata.name").Line)

	deep := strings.Repeat("{apiVersion: resourceplugins.dev/v1, kind: List, items: [", 20) + strings.Repeat("]}", 20)
	read, err = load.Read([]string{load.Stdin}, load.Options{Input: strings.NewReader(deep)})
	require.NoError(t, err)
	require.Len(t, read.Results(), 1)
	assert.Equal(t, "lists must not be nested deeper than 8", read.Results()[0].Message)
}
