package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

var otherEngines = []string{argo.Name, tekton.Name}

// askEngines runs the oracle over objects.
func askEngines(t *testing.T, objects []object, args ...string) []byte {
	t.Helper()
	command := exec.Command(checkout.Tool(t, "engines"), args...)
	command.Stdin = bytes.NewReader(printed(objects))
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "%s", stderr.String())
	return out
}

// With any options, the engines' own types, schemas and validators accept the rendered objects.
func TestEngines_acceptWhatIsRendered(t *testing.T) {
	t.Parallel()
	var all []object
	for _, name := range otherEngines {
		for _, folder := range folders {
			for i, options := range []Options{
				running(name),
				running(name, func(o *Options) {
					o.PodSecurity, o.Retries, o.ImagePullSecrets, o.StepTimeoutSeconds = restricted, 3, []string{"registry"}, 1
				}),
				running(name, func(o *Options) {
					if name == argo.Name {
						o.TTLSecondsAfterFinished = 0
					}
					o.StepTimeoutSeconds = 1 << 30
				}),
			} {
				for _, phase := range v1alpha1.Phases {
					compiled, problems := compile(read(t, folder), phase, options, variant{})
					if compiled == nil {
						require.Contains(t, fmt.Sprint(problems), "with engine tekton", "%s %d", folder, i)
						continue
					}
					objects, problems := compiled.render(&testRequest)
					require.Empty(t, problems)
					all = append(all, objects...)
				}
			}
		}
	}
	workloads := slices.DeleteFunc(slices.Clone(all), func(o object) bool { return o.kind != argo.Kind && o.kind != tekton.Kind })
	assert.Equal(t, fmt.Sprintf("checked %d\n", len(workloads)), string(askEngines(t, all)))
	assert.Greater(t, len(workloads), 20)
}

// The lists of fields that are too new for an engine are those of the Kubernetes API in its go.mod and in ours.
func TestEngines_knowNewerFields(t *testing.T) {
	t.Parallel()
	for _, name := range otherEngines {
		file := filepath.Join(checkout.Root(), "internal", "engine", name, "newer.go")
		got := askEngines(t, nil, "fields", name)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(file, got, 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "UPDATE_GOLDEN=1 make engines writes it")
	}
}

// Each engine publishes to the same Secrets, and a step has the same generation: one engine can delete the resources
// that another has created, and a published step does not run again.
func TestEngines_agreeOnSecretsAndGenerations(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"hello", "files"} {
		for _, phase := range v1alpha1.Phases {
			want := rendered(t, read(t, folder), phase, DefaultOptions(), testRequest)
			for _, name := range otherEngines {
				got := rendered(t, read(t, folder), phase, running(name), testRequest)
				assert.Equal(t, secretsAndScripts(want), secretsAndScripts(got), "%s %s %s", folder, phase, name)
				assert.Equal(t, generations(want), generations(got), "%s %s %s", folder, phase, name)
			}
		}
	}
}

func secretsAndScripts(objects []object) (texts []string) {
	for _, o := range objects {
		if o.kind == "Secret" || o.isShared {
			texts = append(texts, string(o.yaml(nil)))
		}
	}
	return texts
}

var generationIn = regexp.MustCompile(`resourceplugins\.dev/generation: "?(\w+)|\\?"generation\\?":\\?"(\w+)`)

func generations(objects []object) []string {
	var found []string
	for _, o := range objects {
		for _, match := range generationIn.FindAllStringSubmatch(string(o.yaml(nil)), -1) {
			found = append(found, match[1]+match[2])
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Two workloads have the same name if and only if they have the same spec: Argo Workflows ignores another spec under a name,
// and Tekton refuses it.
func TestEngines_namesCoverTheSpec(t *testing.T) {
	t.Parallel()
	for _, name := range otherEngines {
		specs := map[string]string{}
		for i, c := range []struct {
			changes func(*Options)
			request func(*request)
			isOld   bool
		}{
			{},
			{isOld: true},
			{request: func(r *request) { r.Plugin, r.Digest = "plugin@1.0.1", "sha256:1" }, isOld: true},
			{request: func(r *request) { r.Params = map[string]string{"dbname": "other"} }},
			{changes: func(o *Options) { o.StepTimeoutSeconds = 7 }},
			{changes: func(o *Options) { o.Retries = 1 }},
			{changes: func(o *Options) { o.HelperImage = "example.com/runtime:v9" }},
			{changes: func(o *Options) { o.ImagePullSecrets = []string{"registry"} }},
			{changes: func(o *Options) { o.PodSecurity = restricted }},
		} {
			options, of := running(name), testRequest
			if c.changes != nil {
				c.changes(&options)
			}
			if c.request != nil {
				c.request(&of)
			}
			objects := rendered(t, parse(t, flowing), v1alpha1.PhaseCreate, options, of)
			workload := objects[len(objects)-1]
			_, spec, found := strings.Cut(string(workload.yaml(nil)), "\nspec:\n")
			require.True(t, found)
			old, isOld := specs[workload.GetName()]
			assert.Equal(t, c.isOld, isOld, "%s %d", name, i)
			if isOld {
				assert.Equal(t, old, spec, "%s %d", name, i)
			}
			specs[workload.GetName()] = spec
		}
	}
}

// flowing is a plugin with data flow.
const flowing = `
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: flowing@1.0.0}
spec:
  runner: {image: busybox}
  create:
  - name: Make
    inputs:
    - {name: dbname, valueFromSandbox: true, as: {env: DBNAME, path: /in/dbname}}
    outputs: [{name: a, valueFromPath: /tmp/a}, {name: b, valueFromPath: /tmp/b}]
    script: "#!/bin/sh"
  - name: make
    script: "#!/bin/sh"
  - name: use
    inputs:
    - {name: a, valueFromStep: {name: Make, output: a}, as: {path: /in/a}}
    - {name: b, valueFromStep: {name: Make, output: b}, as: {env: B, path: /in/b}}
    script: "#!/bin/sh"
  delete:
  - name: cleanup
    inputs: [{name: a, valueFromStep: {name: Make, output: a}}]
    script: "#!/bin/sh"
`

// awkward are texts that engines, Kubernetes, shells and formats interpret.
var awkward = []string{
	"{{workflow.name}}", "{{ workflow.uid }}", "{{=workflow.name}}", "{{='x'}}", "{{pod.name}}", "{{inputs.parameters.x}}",
	"{{workflow.labels.app.kubernetes.io/managed-by}}", "{{", "}}", "{", "}", "{{{", "\\u007b", "\\{{", "{{\"}}", "{{\n}}",
	"$(params.x)", "$(context.taskRun.name)", "$(steps.main.results.x.path)", "$(HOME)", "$(SIGNADOT_SANDBOX_ID)", "$", "$$",
	"$$(", "$(", ")", "\"", "'", "\\", "\n", "\r\n", "\t", " ", "\u0085", "\u2028", "ä", "😀", "<&>", "#", "- ", ": ", "%", "x",
}

func awkwardText(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(6) {
		text.WriteString(awkward[random.IntN(len(awkward))])
	}
	return text.String()
}

// Whatever the values contain, main gets the same variables, files, command and mounts from each engine, after the
// engine's own substitution and Kubernetes' expansion.
func TestEngines_valuesArriveUnchanged(t *testing.T) {
	t.Parallel()
	checkout.Tool(t, "engines")
	random := checkout.Random(t)
	inTekton := tekton.Engine{}.Traits().Expansion
	for range checkout.Rounds(10) {
		of := testRequest
		of.Params = map[string]string{"dbname": awkwardText(random)}
		overlay := awkwardText(random)
		plugin := func(forTekton bool) *document.Plugin {
			p := parse(t, flowing)
			value := overlay
			for forTekton && inTekton.MatchString(value) { // text that cannot be escaped is an error, which other tests expect
				value = inTekton.ReplaceAllString(value, "")
			}
			annotation := strings.ReplaceAll(value, "{", "") + "{{ .Data.x }}"
			text, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{
				"example.com/template": annotation,
			}}, "spec": map[string]any{"containers": []any{
				map[string]any{"name": "main", "workingDir": "/w" + value, "env": []any{
					map[string]any{"name": "FIRST", "value": "1"}, map[string]any{"name": "OVERLAY", "value": value},
				}},
				map[string]any{"name": "beside", "image": "x", "command": []string{"a", value}, "args": []string{value}},
			}}})
			require.NoError(t, err)
			p.Spec.Runner.PodTemplateOverlay = string(text)
			p.Spec.Delete = nil // a container beside main is an error there
			p.Spec.Create[0].Outputs[0].ValueFromPath = "/tmp/x" + strings.Map(printable, overlay)
			return p
		}
		for _, name := range otherEngines {
			want := podsOfJobs(rendered(t, plugin(name == tekton.Name), v1alpha1.PhaseCreate, DefaultOptions(), of))
			objects := rendered(t, plugin(name == tekton.Name), v1alpha1.PhaseCreate, running(name), of)
			got := podsOf(t, askEngines(t, objects, "pods"))
			require.Len(t, got, len(want))
			data, outputs := configMaps(objects), 0
			for step, pod := range want {
				require.Contains(t, got, step)
				published := outputsOf(t, pod)
				outputs += len(published)
				assert.Equal(t, effective(pod, nil), effective(got[step], data), "%s %s %q %q", name, step, of.Params, overlay)
				const key = "example.com/template"
				assert.Equal(t, pod.Annotations[key], got[step].Annotations[key], name)
				assert.Equal(t, published, outputsOf(t, got[step]), name)
			}
			declared := 0
			for _, step := range plugin(false).Spec.Create {
				declared += len(step.Outputs)
			}
			assert.Positive(t, declared)
			assert.Equal(t, declared, outputs, name)
		}
	}
}

// The names that Argo Workflows reserves are refused: those of the containers and volumes that its controller adds to
// Pods.
func TestEngines_takeNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	want := podsOfJobs(rendered(t, parse(t, flowing), v1alpha1.PhaseCreate, DefaultOptions(), testRequest))
	got := podsOf(t, askEngines(t, rendered(t, parse(t, flowing), v1alpha1.PhaseCreate, running(argo.Name), testRequest), "pods"))
	refused := 0
	refuses := func(overlay corev1.PodSpec, name string) {
		problems := argo.Engine{}.Check(&corev1.PodTemplateSpec{Spec: overlay})
		require.NotEmpty(t, problems, name)
		assert.Contains(t, problems[0].Message, fmt.Sprintf("must not be %q", name))
		refused++
	}
	require.Len(t, got, len(want))
	for step, pod := range want {
		for _, v := range got[step].Spec.Volumes {
			isOurs := slices.ContainsFunc(pod.Spec.Volumes, func(o corev1.Volume) bool { return o.Name == v.Name })
			if !isOurs && !strings.HasPrefix(v.Name, "resourceplugins-") {
				refuses(corev1.PodSpec{Volumes: []corev1.Volume{{Name: v.Name}}}, v.Name)
			}
		}
		for _, c := range got[step].Spec.Containers {
			if containerNamed(pod.Spec.Containers, c.Name) == nil {
				refuses(corev1.PodSpec{Containers: []corev1.Container{{Name: c.Name}}}, c.Name)
			}
		}
		if c := got[step].Spec.InitContainers[0]; containerNamed(pod.Spec.InitContainers, c.Name) == nil {
			refuses(corev1.PodSpec{InitContainers: []corev1.Container{{Name: c.Name}}}, c.Name)
		}
	}
	assert.GreaterOrEqual(t, refused, 5*len(want), "volumes, wait and init of each Pod")
}

// podsOfJobs returns the Pods of Jobs, by their steps or helpers.
func podsOfJobs(objects []object) map[string]*corev1.Pod {
	pods := map[string]*corev1.Pod{}
	for _, o := range objects {
		if j, isJob := o.Manifest.(*batchv1.Job); isJob {
			pods[stepOf(j.Spec.Template.Annotations)] = &corev1.Pod{ObjectMeta: j.Spec.Template.ObjectMeta, Spec: j.Spec.Template.Spec}
		}
	}
	return pods
}

func stepOf(annotations map[string]string) string {
	return annotations[contract.StepKey] + annotations[contract.HelperKey]
}

func podsOf(t *testing.T, lines []byte) map[string]*corev1.Pod {
	t.Helper()
	pods := map[string]*corev1.Pod{}
	for line := range bytes.Lines(lines) {
		var one struct{ Pod *corev1.Pod }
		require.NoError(t, json.Unmarshal(line, &one))
		pods[stepOf(one.Pod.Annotations)] = one.Pod
	}
	return pods
}

func configMaps(objects []object) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, o := range objects {
		if m, is := o.Manifest.(*corev1.ConfigMap); is {
			all[m.Name] = m.Data
		}
	}
	return all
}

// effectiveContainer holds the fields of a container that count when it runs.
type effectiveContainer struct {
	Words, Mounts []string
	Env           map[string]string
}

// effective returns the containers of a Pod that users or steps write.
func effective(pod *corev1.Pod, data map[string]map[string]string) map[string]effectiveContainer {
	all := map[string]effectiveContainer{}
	for _, c := range pod.Spec.Containers {
		if c.Name != contract.MainContainer && c.Name != "beside" {
			continue
		}
		env := map[string]string{}
		for _, v := range c.Env {
			switch from := v.ValueFrom; {
			case from == nil && strings.HasPrefix(v.Name, "ARGO_"):
			case from == nil:
				env[v.Name] = expand(v.Value, env)
			case from.ConfigMapKeyRef != nil:
				env[v.Name] = data[from.ConfigMapKeyRef.Name][from.ConfigMapKeyRef.Key]
			case from.SecretKeyRef != nil:
				env[v.Name] = "secret " + from.SecretKeyRef.Name + " " + from.SecretKeyRef.Key
			}
		}
		one := effectiveContainer{Env: env, Words: []string{c.WorkingDir}}
		for _, word := range slices.Concat(c.Command, c.Args) {
			one.Words = append(one.Words, expand(word, env))
		}
		for _, m := range c.VolumeMounts {
			if strings.HasPrefix(m.MountPath, "/in/") {
				one.Mounts = append(one.Mounts, m.MountPath)
			}
		}
		all[c.Name] = one
	}
	return all
}

// Tekton mounts the files of inputs from the Secrets of their producers: nothing could write them before.
func TestTekton_mountsOutputsFromSecrets(t *testing.T) {
	t.Parallel()
	compiled, problems := compile(parse(t, flowing), v1alpha1.PhaseCreate, running(tekton.Name), variant{})
	require.Empty(t, problems)
	objects, problems := compiled.render(&testRequest)
	require.Empty(t, problems)
	tasks := objects[len(objects)-1].Manifest.(*tekton.PipelineRun).Spec.PipelineSpec.Tasks
	require.Len(t, tasks, 3)
	use := tasks[2].TaskSpec
	assert.Equal(t, "use", tasks[2].Name)
	assert.Equal(t, []string{"make"}, tasks[2].RunAfter)
	assert.Regexp(t, "^make-[a-z2-7]{12}$", tasks[1].Name, "a name of its own in lower case")
	assert.Equal(t, []corev1.VolumeMount{
		{Name: "resourceplugins-outputs-0", MountPath: "/in/a", SubPath: "a", ReadOnly: true},
		{Name: "resourceplugins-outputs-0", MountPath: "/in/b", SubPath: "b", ReadOnly: true},
	}, use.Steps[1].VolumeMounts[2:])
	secret := use.Volumes[0].Secret
	require.NotNil(t, secret)
	assert.Equal(t, contract.OutputSecretName(testRequest.SandboxID, testRequest.Resource, "Make"), secret.SecretName)
	assert.Equal(t, []corev1.KeyToPath{{Key: "a", Path: "a"}, {Key: "b", Path: "b"}}, secret.Items)
	assert.NotContains(t, use.Steps[0].Env[0].Value, `"file"`, "the helper writes no files")
}

// outputsOf returns the outputs of a step in the plan of the helper that publishes them.
func outputsOf(t *testing.T, pod *corev1.Pod) []contract.Output {
	t.Helper()
	manager := containerNamed(pod.Spec.Containers, contract.OutputManager)
	if manager == nil {
		return nil
	}
	i := slices.IndexFunc(manager.Env, func(v corev1.EnvVar) bool { return v.Name == contract.PlanVariable })
	require.GreaterOrEqual(t, i, 0)
	var plan contract.Plan
	require.NoError(t, json.Unmarshal([]byte(expand(manager.Env[i].Value, nil)), &plan))
	return plan.Outputs
}

// A param of 900 kB that is read as a file is in a ConfigMap, not in the workload that an engine stores and
// substitutes.
func TestEngines_takeLargeParams(t *testing.T) {
	t.Parallel()
	of := testRequest
	of.Params = map[string]string{"dbname": strings.Repeat("{{workflow.name}}$(params.x)\n", 30_000)}
	plugin := strings.Replace(flowing, "env: DBNAME, path", "path", 1)
	for _, name := range otherEngines {
		objects := rendered(t, parse(t, plugin), v1alpha1.PhaseCreate, running(name), of)
		isHeld := false
		for _, data := range configMaps(objects) {
			isHeld = isHeld || data["dbname"] == of.Params["dbname"]
		}
		assert.True(t, isHeld, name)
		assert.Less(t, len(objects[len(objects)-1].yaml(nil)), 30_000, name)
	}
}

// Text that the engine would replace is refused where a reference cannot be used instead.
func TestEngines_refuseWhatTheyReplace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		engine, old, new string
		problem          string
	}{
		{argo.Name, "/in/a}", "'/in/{{a}}'}", `spec.create[2].inputs[0].as.path: must not hold "{{", which Argo Workflows replaces`},
		{tekton.Name, "/in/a}", "/in/$(params.a)}", `spec.create[2].inputs[0].as.path: must not hold "$(params.", which Tekton replaces`},
		{argo.Name, "image: busybox", "image: '{{x}}'", `spec.runner.image: must not hold "{{"`},
		{tekton.Name, "image: busybox", "image: $(context.x)", `spec.runner.image: must not hold "$(context."`},
	} {
		compiled, problems := compile(parse(t, strings.Replace(flowing, c.old, c.new, 1)), v1alpha1.PhaseCreate, running(c.engine), variant{})
		assert.Nil(t, compiled)
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].String(), c.problem)
		compiled, problems = compile(parse(t, strings.Replace(flowing, c.old, c.new, 1)), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
		assert.NotNil(t, compiled, "%v", problems)
	}
	compiled, problems := compile(parse(t, flowing), v1alpha1.PhaseCreate, running(argo.Name), variant{})
	require.Empty(t, problems)
	of := testRequest
	of.Resource = "a{{b"
	_, problems = compiled.render(&of)
	require.Len(t, problems, 1)
	assert.Equal(t, krm.Path("name"), problems[0].Path)
	of = testRequest
	of.Sandbox = "a{{b"
	_, problems = compiled.render(&of)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, "the name of the sandbox")
}

func TestOptions_refuseWhatAnEngineCannotDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*Options)
		field  string
	}{
		{func(o *Options) { o.Engine = "job" }, "engine"},
		{func(o *Options) { o.Engine, o.Workload = argo.Name, pod }, "workload"},
		{func(o *Options) { o.Engine, o.Workload = tekton.Name, pod }, "workload"},
		{func(o *Options) { o.Engine, o.TTLSecondsAfterFinished = tekton.Name, 60 }, "ttlSecondsAfterFinished"},
		{func(o *Options) { o.Engine, o.TTLSecondsAfterFinished = argo.Name, 60 }, ""},
		{func(o *Options) { o.Engine, o.Delivery, o.Phases = argo.Name, helm, []string{"create", "delete"} }, "phases"},
		{func(o *Options) { o.Engine, o.Delivery, o.Phases = argo.Name, argoCD, []string{"create", "delete"} }, ""},
	} {
		options := changed(c.change)
		wrong := options.Validate()
		if c.field == "" {
			assert.Empty(t, wrong)
			continue
		}
		require.Len(t, wrong, 1)
		assert.Equal(t, krm.Path(c.field), wrong[0].Option)
	}
}

// printable leaves out control characters, which no path holds.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}
