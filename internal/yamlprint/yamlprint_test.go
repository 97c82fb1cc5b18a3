package yamlprint_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yamlv3 "go.yaml.in/yaml/v3"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/randfill"
	sigsyaml "sigs.k8s.io/yaml"

	. "github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestAppendYAML_looksAsKubectlPrints(t *testing.T) {
	t.Parallel()
	tree := map[string]any{
		"apiVersion": "v1",
		"data": map[string]string{
			"script": "#!/bin/sh\nset -e\n\necho \"$HOME: it's\"\n",
			"open":   "a\nb",
			"wide":   "a\n\n\n",
		},
		"list": []any{
			map[string]any{
				"args": []string{"yes", "012", "1e3", "2020-01-01", "=", "<<", "", "~", "null", "a b", "a: b", "a #b"},
				"name": "main",
			},
			[]any{int64(1), []any{false}},
			map[string]any{}, []any{},
		},
		"x/y": "resourceplugins.dev/v1alpha1",
	}
	assert.Equal(t, `apiVersion: v1
data:
  open: |-
    a
    b
  script: |
    #!/bin/sh
    set -e

    echo "$HOME: it's"
  wide: |+
    a


list:
- args:
  - "yes"
  - "012"
  - "1e3"
  - "2020-01-01"
  - '='
  - '<<'
  - ""
  - '~'
  - "null"
  - a b
  - 'a: b'
  - 'a #b'
  name: main
- - 1
  - - false
- {}
- []
x/y: resourceplugins.dev/v1alpha1
`, string(AppendYAML(nil, tree)))
}

// job has a value of each kind that needs care.
func job() *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "j", Annotations: map[string]string{"b": "1", "a": "yes"}},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{
					Name: "main", Command: []string{},
					Env: []corev1.EnvVar{
						{Name: "EMPTY"},
						{Name: "REF", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
					},
					LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromString("http")}}},
					Resources:     corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("0.5")}},
				}, {
					Name: "side", SecurityContext: &corev1.SecurityContext{},
					LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}},
				}},
				Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			}},
		},
	}
}

func TestAppendYAML_ofTypedObject(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `apiVersion: batch/v1
kind: Job
metadata:
  annotations:
    a: "yes"
    b: "1"
  name: j
spec:
  backoffLimit: 0
  template:
    spec:
      containers:
      - env:
        - name: EMPTY
          value: ""
        - name: REF
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        livenessProbe:
          httpGet:
            port: http
        name: main
        resources:
          limits:
            cpu: "500m"
      - livenessProbe:
          httpGet:
            port: 80
        name: side
        securityContext: {}
      volumes:
      - emptyDir: {}
        name: v
`, string(AppendYAML(nil, job())))
	assert.Equal(t, "data:\n  k: AP8=\n", string(AppendYAML(nil, corev1.Secret{Data: map[string][]byte{"k": {0, 255}}})))
	assert.Equal(t, "{}\n", string(AppendYAML(nil, &corev1.Pod{})))
}

// Whatever is printed, a strict reader decodes to the same object, in both forms.
func TestAppendYAML_decodesToTheSameObject(t *testing.T) {
	t.Parallel()
	fill := randfill.NewWithSeed(7).NilChance(0.6).NumElements(0, 3).MaxDepth(14).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1e6), resource.DecimalSI)
		},
		func(i *intstr.IntOrString, c randfill.Continue) { *i = intstr.FromInt32(c.Int31()) },
		func(time *metav1.Time, c randfill.Continue) { *time = metav1.Unix(c.Int63n(1e9), 0) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { *f = *metav1.NewFieldsV1(`{"f:a":{}}`) },
		func(text *string, c randfill.Continue) { *text = nasty[c.Intn(60)] },
	)
	for range 300 {
		var want batchv1.Job
		fill.Fill(&want)
		var fromYAML, fromJSON batchv1.Job
		text := AppendYAML(nil, &want)
		require.NoError(t, sigsyaml.UnmarshalStrict(text, &fromYAML), "%s", text)
		strict, err := kjson.UnmarshalStrict(AppendJSON(nil, want), &fromJSON)
		require.NoError(t, err)
		require.Empty(t, strict)
		require.Equal(t, marshal(t, want), marshal(t, fromYAML), "%s", text)
		require.Equal(t, marshal(t, want), marshal(t, fromJSON))
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

var nasty = []string{
	"", " ", "a ", " a", "\t", "a\t", "\n", "\n\n", "a\n", "a\n\n", "\na", " \na", "a\n \nb", "a\n\tb", "a\r\nb",
	"\r", "a\x00b", "\x1b[0m", "\x7f", "\u0085", "a\u2028b", "\u2029", "\ufeff", "\ufeffa\n", "\ufffe", "😀",
	"ünï", "\ufffd", "\U0010ffff", "\U0001fffe", "yes", "Yes", "NO", "on", "off", "y", "N", "true", "False",
	"null", "Null", "~", "012", "0o7", "0x1f", "0b1", "1_000", "1e3", "1.5", ".5", "-.inf", ".NaN", "+1", "1:30",
	"190:20:30", "2020-01-01", "2020-01-01T00:00:00Z", "=", "<<", "-", "- a", "---", "...", "?", "? a", ":", "a:",
	"a: b", ": a", "#", "a #b", "a#b", "&a", "*a", "!t", "|", ">", "'", "''", "it's", `"`, `a"b`, `\`, `\n`, "%",
	"@", "`", "{", "}", "[a]", "a, b", "$(X)", "$$", "/bin/sh", "/", "(a", "_", "--- a\n--- b\n", "a\n--- b",
	"a\n...\nb", "#!/bin/sh\necho\n", "a\n  b\n c\n", "key: |\n  x\n", "a\n#b\n", "\"\n",
	strings.Repeat("x", 100_000), strings.Repeat("wörd ", 20_000), strings.Repeat("line\n", 20_000),
	strings.Repeat("9", 300), strings.Repeat("'", 1200), "null\n", "y\n",
}

func TestEveryReaderGetsTheStringBack(t *testing.T) {
	t.Parallel()
	for _, text := range nasty {
		readBack(t, text)
		readBack(t, map[string]any{text: "v", "k": []any{text, map[string]any{text: text}}})
	}
}

func FuzzEveryReaderGetsTheStringBack(f *testing.F) {
	for _, text := range nasty {
		if len(text) < 2000 {
			f.Add(text, "k")
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?")
		readBack(t, map[string]any{a: b, b: []any{a, map[string]any{b: a, "z": []any{b}}}})
	})
}

func TestEveryReaderGetsTheTreeBack(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 2000 {
		readBack(t, randomTree(random, 4))
	}
}

func TestBytesThatAreNotUTF8AreReplaced(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\"a\\ufffdb\"\n", string(AppendYAML(nil, "a\xffb")))
	assert.Equal(t, "\"a\ufffdb\"", string(AppendJSON(nil, "a\xffb")))
}

func readBack(t *testing.T, tree any) {
	t.Helper()
	text := AppendYAML(nil, tree)
	var three, five any
	require.NoError(t, yamlv3.Unmarshal(text, &three), "%q", text)
	require.Equal(t, tree, three, "yaml.v3 of %q", text)
	require.NoError(t, kyaml.Unmarshal(text, &five), "%q", text)
	require.Equal(t, tree, five, "kyaml of %q", text)
	asJSON, err := sigsyaml.YAMLToJSONStrict(text)
	require.NoError(t, err, "%q", text)
	canonical := AppendJSON(nil, tree)
	require.JSONEq(t, string(canonical), string(asJSON), "sigs.k8s.io/yaml of %q", text)
	require.Equal(t, string(encode(t, tree)), string(canonical))
}

// encode is JSON as encoding/json writes it, but without the escapes that JSON does not ask for.
func encode(t *testing.T, v any) []byte {
	t.Helper()
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(v))
	return []byte(strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\b`, `\u0008`, `\f`, `\u000c`).
		Replace(strings.TrimSuffix(out.String(), "\n")))
}

func randomTree(random *rand.Rand, depth int) any {
	switch n := random.IntN(8); {
	case n < 2 && depth > 0:
		fields := map[string]any{}
		for range random.IntN(4) {
			fields[nasty[random.IntN(60)]] = randomTree(random, depth-1)
		}
		return fields
	case n < 4 && depth > 0:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomTree(random, depth-1)
		}
		return list
	case n == 4:
		return int(random.Int64N(math.MaxInt32) - math.MaxInt16)
	case n == 5:
		return random.IntN(2) == 0
	default:
		return nasty[random.IntN(len(nasty)-8)]
	}
}

func BenchmarkAppendYAML(b *testing.B) {
	object := job()
	var out []byte
	for b.Loop() {
		out = AppendYAML(out[:0], object)
	}
	b.SetBytes(int64(len(out)))
}

func BenchmarkAppendJSON(b *testing.B) {
	object := job()
	var out []byte
	for b.Loop() {
		out = AppendJSON(out[:0], object)
	}
	b.SetBytes(int64(len(out)))
}
