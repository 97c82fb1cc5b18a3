package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// ours is the template of a step with data flow, with an element that is likely to be in overlays, too.
const ours = `
metadata: {labels: {a: ours, z: z}, annotations: {x: y}}
spec:
  restartPolicy: Never
  serviceAccountName: ours
  activeDeadlineSeconds: 1800
  initContainers:
  - {name: signadot-execunit-input-manager, image: helper, resources: {limits: {cpu: 500m}}}
  containers:
  - name: main
    image: busybox
    env: [{name: Z, value: z}, {name: A, value: a}]
    volumeMounts: [{name: script, mountPath: /s}, {name: io, mountPath: /io}]
  - {name: signadot-execunit-output-manager, image: helper}
  volumes: [{name: script, configMap: {name: script}}, {name: io, emptyDir: {}}]
  imagePullSecrets: [{name: b}, {name: c}]
`

// needed are templates of steps that are merged with an overlay: a minimal one, a bare step, and a step with data flow.
var needed = []string{"spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}", `
spec:
  activeDeadlineSeconds: 60
  automountServiceAccountToken: false
  restartPolicy: Never
  containers:
  - name: main
    image: busybox
    command: [/script]
    env: [{name: SIGNADOT_SANDBOX_ID, value: abc}, {name: HOST, value: $$(X)}]
    volumeMounts: [{name: resourceplugins-script, mountPath: /s, readOnly: true}]
  volumes: [{name: resourceplugins-script, configMap: {name: s, defaultMode: 365}}]
`, ours}

// The real kubectl merges the templates of steps with overlays as we do. Starting it is slow, so it gets all overlays for a
// patch at once.
func TestMergeTemplates_equalsKubectl(t *testing.T) {
	t.Parallel()
	kubectl := checkout.Tool(t, "kubectl")
	overlays := slices.Concat(written(t), corpus(t))
	require.GreaterOrEqual(t, len(overlays), 30)
	for i, text := range needed {
		patch := template(t, text)
		got := patched(t, kubectl, overlays, patch, i, len(needed))
		for n := i; n < len(overlays); n += len(needed) {
			want, err := engine.MergeTemplates(template(t, overlays[n]), patch)
			require.NoError(t, err)
			require.Contains(t, got, strconv.Itoa(n))
			assert.True(t, equality.Semantic.DeepEqual(*want, got[strconv.Itoa(n)]), "%s\nkubectl: %+v\nwe:      %+v",
				overlays[n], got[strconv.Itoa(n)], want)
		}
	}
	t.Logf("%d overlays, as %s merges them", len(overlays), kubectl)
}

// template reads a template, whose reserved names do not matter here.
func template(t *testing.T, text string) *corev1.PodTemplateSpec {
	t.Helper()
	o, _ := overlay.Parse(text)
	return &o.Template
}

// written are the overlays of the tests of package overlay.
func written(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "internal/overlay/testdata/overlays"))
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// corpus are the overlays of real plugins.
func corpus(t *testing.T) (texts []string) {
	t.Helper()
	if !checkout.HasCorpus() {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "signadot/plugins/*/plugin/pod-template.yaml"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return texts
}

// patched are the pod templates that kubectl makes of a patch and the overlays first, first+step, ..., as they are written,
// by the overlay's number.
func patched(
	t *testing.T, kubectl string, overlays []string, patch *corev1.PodTemplateSpec, first, step int,
) map[string]corev1.PodTemplateSpec {
	t.Helper()
	folder := t.TempDir()
	for n := first; n < len(overlays); n += step {
		base, err := sigsyaml.YAMLToJSON([]byte(overlays[n]))
		require.NoError(t, err)
		if string(base) == "null" {
			base = []byte("{}")
		}
		object := fmt.Sprintf(`{"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"%d"},"template":%s}`, n, base)
		require.NoError(t, os.WriteFile(filepath.Join(folder, strconv.Itoa(n)+".json"), []byte(object), 0o600))
	}
	command := exec.Command(kubectl, "patch", "--local", "--type=strategic", "-o", "json", "-f", folder, "-p",
		string(yamlprint.AppendJSON(nil, map[string]any{"template": patch})))
	command.Env = append(os.Environ(), "KUBECONFIG="+os.DevNull)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, stderr.String())
	templates := map[string]corev1.PodTemplateSpec{}
	for stream := json.NewDecoder(bytes.NewReader(out)); stream.More(); {
		var answer corev1.PodTemplate
		require.NoError(t, stream.Decode(&answer))
		templates[answer.Name] = answer.Template
	}
	return templates
}
