package renderdiff_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/commands/review/renderdiff"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/edits"
)

// model is a plugin and a sandbox that are edited.
type model struct {
	version, image, namespace, overlay, description string
	helperImage, id, key                            string
	size, color                                     string
	scripts                                         map[string]string
	outputPath, env                                 string
	moreOutput, moreInput, swapped                  bool
}

func newModel() model {
	m := model{
		version: "1.0.0", image: "postgres:15", namespace: "ns", overlay: "spec: {nodeSelector: {disk: ssd}}",
		helperImage: contract.RuntimeImage, size: "1", color: "red", outputPath: "/tmp/user", env: "SIZE",
		scripts: map[string]string{},
	}
	for _, step := range modelSteps {
		m.scripts[step] = "echo " + step
	}
	return m
}

var modelSteps = []string{"plain", "idle", "make", "grant", "check", "drop", "bye"}

// producersOf are the steps whose outputs a step of the model reads.
var producersOf = map[string][]string{"grant": {"make"}, "check": {"grant"}, "drop": {"make"}}

// publishing are the steps of the model that have a Secret: those with outputs or inputs from steps, and all delete steps.
var publishing = []string{"make", "grant", "check", "drop", "bye"}

func (m model) documents(absent bool) []string {
	input := fmt.Sprintf("{name: size, valueFromSandbox: true, as: {env: %s}}", m.env)
	inputs := []string{input, "{name: color, valueFromSandbox: true, as: {path: /etc/color}}"}
	if m.swapped {
		slices.Reverse(inputs)
	}
	more := ""
	if m.moreOutput {
		more = ", {name: more, valueFromPath: /tmp/more}"
	}
	grant := ""
	if m.moreInput {
		grant = ", {name: color, valueFromSandbox: true, as: {env: COLOR}}"
	}
	script := func(step string) string { return fmt.Sprintf("script: %q", "#!/bin/sh\n"+m.scripts[step]) }
	plugin := fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: "pg@%s"}
spec:
  description: %q
  runner:
    image: %s
    namespace: %s
    podTemplateOverlay: |
      %s
  create:
  - {name: make, inputs: [%s], outputs: [{name: user, valueFromPath: %s}%s], %s}
  - {name: grant, inputs: [{name: user, valueFromStep: {name: make, output: user}, as: {env: U}}%s], outputs: [{name: done, valueFromPath: /tmp/done}], %s}
  - {name: check, inputs: [{name: done, valueFromStep: {name: grant, output: done}, as: {path: /etc/done}}], %s}
  delete:
  - {name: drop, inputs: [{name: user, valueFromStep: {name: make, output: user}, as: {env: U}}], %s}
  - {name: bye, %s}
`, m.version, m.description, m.image, m.namespace, strings.ReplaceAll(m.overlay, "\n", "\n      "),
		strings.Join(inputs, ", "), m.outputPath, more, script("make"), grant, script("grant"), script("check"),
		script("drop"), script("bye"))
	// A plugin without outputs has no Secrets: only the Job of its step records that it ran.
	bare := fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: "bare@%s"}
spec:
  description: %q
  runner:
    image: %s
    namespace: %s
    podTemplateOverlay: |
      %s
  create:
  - {name: plain, inputs: [{name: size, valueFromSandbox: true, as: {env: %s}}], %s}
  - {name: idle, %s}
`, m.version, m.description, m.image, m.namespace, strings.ReplaceAll(m.overlay, "\n", "\n      "), m.env, script("plain"),
		script("idle"))
	annotations := ""
	if absent {
		annotations += "    resourceplugins.dev/state: absent\n"
	}
	if m.id != "" {
		annotations += "    resourceplugins.dev/sandbox-id: " + m.id + "\n"
	}
	if m.key != "" {
		annotations += "    resourceplugins.dev/routing-key: " + m.key + "\n"
	}
	if annotations != "" {
		annotations = "  annotations:\n" + annotations
	}
	sandbox := fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: s
%sspec:
  cluster: c
  resources:
  - name: db
    plugin: pg@%s
    params: {size: %q, color: %q}
  - name: warm
    plugin: bare@%[2]s
    params: {size: %[3]q}
`, annotations, m.version, m.size, m.color)
	return []string{plugin + "---\n" + bare, sandbox}
}

// edit changes the model, and returns the reason for each step that it makes different by itself.
type edit func(m *model, n int) map[string]string

func all(reason string) map[string]string {
	of := map[string]string{}
	for _, step := range modelSteps {
		of[step] = reason
	}
	return of
}

func scriptEdit(step string) edit {
	return func(m *model, n int) map[string]string {
		m.scripts = maps.Clone(m.scripts)
		m.scripts[step] = fmt.Sprintf("echo %s %d", step, n)
		return map[string]string{step: "script"}
	}
}

var modelEdits = []edit{
	scriptEdit("plain"), scriptEdit("make"), scriptEdit("grant"), scriptEdit("check"), scriptEdit("drop"), scriptEdit("bye"),
	func(m *model, n int) map[string]string { m.image = fmt.Sprint("postgres:", n); return all("image") },
	func(m *model, n int) map[string]string {
		m.overlay = fmt.Sprintf("spec: {nodeSelector: {disk: ssd%d}}", n)
		return all("overlay")
	},
	func(m *model, n int) map[string]string { // a variable that every step sets itself
		m.overlay += fmt.Sprintf("\n# none\nspec: {containers: [{name: main, env: [{name: SIGNADOT_SANDBOX_ID, value: x%d}]}]}", n)
		m.overlay = strings.TrimPrefix(m.overlay[strings.LastIndex(m.overlay, "spec:"):], "\n")
		return all("overlay")
	},
	func(m *model, n int) map[string]string {
		m.size = fmt.Sprint("$size ", n)
		return map[string]string{"plain": "param size", "make": "param size"}
	},
	func(m *model, n int) map[string]string {
		m.color = fmt.Sprint("color", n)
		reasons := map[string]string{"make": "param color"}
		if m.moreInput {
			reasons["grant"] = "param color"
		}
		return reasons
	},
	func(m *model, n int) map[string]string {
		m.outputPath = fmt.Sprint("/tmp/user", n)
		return map[string]string{"make": "output user"}
	},
	func(m *model, _ int) map[string]string {
		m.moreOutput = !m.moreOutput
		return map[string]string{"make": "output more"}
	},
	func(m *model, _ int) map[string]string {
		m.moreInput = !m.moreInput
		return map[string]string{"grant": "input color"}
	},
	func(m *model, n int) map[string]string {
		m.env = fmt.Sprint("SIZE", n)
		return map[string]string{"plain": "input size", "make": "input size"}
	},
	func(m *model, _ int) map[string]string {
		m.swapped = !m.swapped
		return map[string]string{"make": "input "}
	},
	func(m *model, n int) map[string]string { m.version = fmt.Sprintf("1.%d.0", n); return nil },
	func(m *model, n int) map[string]string { m.description = fmt.Sprint("text ", n); return nil },
	func(m *model, n int) map[string]string { m.helperImage = fmt.Sprint("mirror/runtime:", n); return nil },
	func(m *model, n int) map[string]string { m.id = fmt.Sprint("own", n); return all("sandbox id") },
	func(m *model, n int) map[string]string { m.key = fmt.Sprint("key", n); return all("routing key") },
	func(m *model, n int) map[string]string { m.namespace = fmt.Sprint("ns", n); return all("namespace") },
}

// documentsOf returns all documents of a package.
func documentsOf(pack *edits.Package) (documents []string) {
	files := pack.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		documents = append(documents, strings.Split(files[name], "---\n")...)
	}
	return documents
}

// sideOf renders documents.
func sideOf(t *testing.T, helperImage string, documents ...string) []*krm.Item {
	t.Helper()
	return rendered(t, helperImage, documents...).Objects
}

func rendered(t *testing.T, helperImage string, documents ...string) build.Result {
	t.Helper()
	chain := build.New()
	chain.Render.HelperImage = helperImage
	list := krm.NewList(itemsOf(t, documents...)...)
	result, err := chain.Run(list)
	require.NoError(t, err)
	for _, one := range list.Results() {
		require.NotEqual(t, krm.Error, one.Severity, "%s\n%s", one.Message, strings.Join(documents, "---\n"))
	}
	return result
}

func itemsOf(t *testing.T, documents ...string) (items []*krm.Item) {
	t.Helper()
	for _, text := range strings.Split(strings.Join(documents, "---\n"), "---\n") {
		if text == "" {
			continue
		}
		item, err := krm.NewItem([]byte(text))
		require.NoError(t, err)
		items = append(items, item)
	}
	return items
}

// job has the fields that the test itself reads from a rendered Job.
type job struct{ name, namespace, generation string }

// jobsOf returns the Jobs of steps by sandbox/resource/phase/step.
func jobsOf(t *testing.T, items []*krm.Item) map[string]job {
	t.Helper()
	found := map[string]job{}
	for _, item := range items {
		step, isStep := item.Annotation(contract.StepKey)
		if item.Kind() != "Job" || !isStep {
			continue
		}
		annotation := func(key string) string { value, _ := item.Annotation(key); return value }
		key := strings.Join([]string{
			annotation(contract.SandboxKey), annotation(contract.ResourceKey), annotation(contract.PhaseKey), step,
		}, "/")
		found[key] = job{item.Name(), item.Namespace(), annotation(contract.GenerationKey)}
	}
	return found
}

// runs returns the steps of a report by sandbox/resource/phase/step.
func runs(report *renderdiff.Report) map[string]renderdiff.Step {
	found := map[string]renderdiff.Step{}
	for _, sandbox := range report.Sandboxes {
		for _, resource := range sandbox.Resources {
			for _, step := range resource.Steps {
				found[strings.Join([]string{sandbox.Name, resource.Name, string(step.Phase), step.Name}, "/")] = step
			}
		}
	}
	return found
}

// alive returns items as a cluster has them after they were applied.
func alive(t *testing.T, items []*krm.Item) (live []*krm.Item) {
	t.Helper()
	for i, item := range items {
		text, err := item.Bytes()
		require.NoError(t, err)
		var o map[string]any
		require.NoError(t, yaml.Unmarshal(text, &o))
		metadata := o["metadata"].(map[string]any)
		metadata["uid"], metadata["resourceVersion"] = fmt.Sprint("uid-", i), "7"
		metadata["creationTimestamp"] = "2026-01-01T00:00:00Z"
		metadata["managedFields"] = []any{map[string]any{"manager": "kubectl"}}
		if item.Kind() == "Job" {
			o["status"] = map[string]any{"succeeded": 1}
			spec := o["spec"].(map[string]any)
			spec["completionMode"], spec["parallelism"], spec["suspend"] = "NonIndexed", 1, false
			spec["selector"] = map[string]any{"matchLabels": map[string]any{"controller-uid": "x"}}
			template := spec["template"].(map[string]any)
			template["metadata"].(map[string]any)["labels"].(map[string]any)["controller-uid"] = "x"
			pod := template["spec"].(map[string]any)
			pod["dnsPolicy"], pod["schedulerName"], pod["securityContext"] = "ClusterFirst", "default-scheduler", map[string]any{}
			for _, container := range pod["containers"].([]any) {
				container := container.(map[string]any)
				container["imagePullPolicy"], container["terminationMessagePath"] = "IfNotPresent", "/dev/termination-log"
			}
		}
		if item.Kind() == "Secret" {
			o["data"] = map[string]any{"user": "c2VjcmV0"}
		}
		text, err = yaml.Marshal(o)
		require.NoError(t, err)
		live = append(live, itemsOf(t, string(text))...)
	}
	return live
}

func reasonsOf(step renderdiff.Step) (reasons []string) {
	for _, reason := range step.Reasons {
		switch reason.Kind {
		case renderdiff.ReasonParam, renderdiff.ReasonInput, renderdiff.ReasonOutput, renderdiff.ReasonProducer,
			renderdiff.ReasonVariable:
			reasons = append(reasons, string(reason.Kind)+" "+reason.Name)
		default:
			reasons = append(reasons, string(reason.Kind))
		}
	}
	slices.Sort(reasons)
	return reasons
}

// A step runs again if and only if its generation differs, or there is no record that it ran; and the reasons are those
// of the edits, with and without the documents of the plugins.
func TestCompare_reasonsAreThoseOfTheEdits(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "renders after each of many edits")
	random, again, quiet := checkout.Random(t), 0, 0
	for round := range checkout.Rounds(110) {
		before := newModel()
		for n := range random.IntN(4) {
			modelEdits[random.IntN(len(modelEdits))](&before, 100+n)
		}
		after, own := before, map[string][]string{}
		first := random.IntN(len(modelEdits))
		for n, i := range []int{first, random.IntN(len(modelEdits))}[:1+random.IntN(2)] {
			if n > 0 && (i == first || isOverlayEdit(i) && isOverlayEdit(first) || isSizeEdit(i) && isSizeEdit(first) ||
				isColorEdit(i) && isColorEdit(first)) {
				continue // one edit undoes or changes what another one did
			}
			for step, reason := range modelEdits[i](&after, 200+n) {
				own[step] = append(own[step], reason)
			}
		}
		absent := random.IntN(3) == 0
		oldDocuments, newDocuments := before.documents(absent), after.documents(absent)
		old := sideOf(t, before.helperImage, oldDocuments...)
		is := sideOf(t, after.helperImage, newDocuments...)
		oldItems, newItems := itemsOf(t, oldDocuments...), itemsOf(t, newDocuments...)
		catalog, knowsBoth := newItems, before.version != after.version
		if knowsBoth {
			catalog = slices.Concat(newItems, oldItems)
		}
		for mode, sides := range map[string][2]*renderdiff.Side{
			"documents": {renderdiff.NewSide("old", old, oldItems), renderdiff.NewSide("new", is, newItems)},
			"objects":   {renderdiff.NewSide("old", old, nil), renderdiff.NewSide("new", is, nil)},
			"live":      {renderdiff.NewLiveSide("dump", alive(t, old)), renderdiff.NewSide("new", is, catalog)},
		} {
			report, err := renderdiff.Compare(sides[0], sides[1], renderdiff.Options{})
			require.NoError(t, err)
			name := fmt.Sprintf("round %d, %s", round, mode)
			changes := runs(report)
			oldJobs, newJobs := jobsOf(t, old), jobsOf(t, is)
			oldGenerations, newGenerations := generationsOf(old), generationsOf(is)
			require.Len(t, newJobs, len(oldJobs))
			for key, is := range newJobs {
				was, step := oldJobs[key], key[strings.LastIndex(key, "/")+1:]
				isAgain := was.generation != is.generation || was.namespace != is.namespace ||
					!slices.Contains(publishing, step) && was.name != is.name
				if !isAgain {
					quiet++
					assert.NotEqual(t, renderdiff.Again, changes[key].Run, "%s: %s", name, key)
					continue
				}
				again++
				if !assert.Equal(t, renderdiff.Again, changes[key].Run, "%s: %s", name, key) {
					return
				}
				want, got := wanted(step, own, oldGenerations, newGenerations), reasonsOf(changes[key])
				if mode == "objects" || mode == "live" && !knowsBoth {
					want, got = withoutDocuments(step, want), withoutDocuments(step, got)
				}
				if was.generation == is.generation && len(want) == 0 {
					assert.NotEmpty(t, changes[key].Reasons, "%s: %s", name, key)
					for _, reason := range reasonsOf(changes[key]) {
						assert.Contains(t, ofJobs, reason, "%s: %s", name, key)
					}
					continue
				}
				if was.generation == is.generation { // the Job differs in more than the edited fields
					got = slices.DeleteFunc(got, func(reason string) bool { return slices.Contains(ofJobs, reason) })
				}
				if !assert.Equal(t, want, got, "%s: %s", name, key) {
					return
				}
			}
		}
	}
	assert.Greater(t, again, 400)
	assert.Greater(t, quiet, 250)
}

// ofJobs are the reasons of steps whose generation is the same.
var ofJobs = []string{"helper image", "script of another step", "Job"}

func isOverlayEdit(i int) bool { return i == 7 || i == 8 }
func isSizeEdit(i int) bool    { return i == 9 || i == 14 || i == 15 }
func isColorEdit(i int) bool   { return i == 10 || i == 13 || i == 15 }

// wanted returns the reasons of a step, by its own edits and the producers that the renderer gave another generation.
func wanted(step string, own map[string][]string, older, newer map[string]string) (want []string) {
	want = slices.Clone(own[step])
	for _, producer := range producersOf[step] {
		if key := "s/db/create/" + producer; older[key] != newer[key] {
			want = append(want, "producer "+producer)
		}
	}
	slices.Sort(want)
	return want
}

// withoutDocuments returns the reasons that can be found without the plugins' documents: not which variable is a param,
// nor an order of inputs that the Pod does not show.
func withoutDocuments(step string, reasons []string) []string {
	known := make([]string, len(reasons))
	for i, reason := range reasons {
		switch {
		case strings.HasPrefix(reason, "variable "), strings.HasSuffix(reason, " size"),
			step == "grant" && strings.HasSuffix(reason, " color"):
			reason = "variable"
		case reason == "input ":
			reason = "overlay"
		}
		known[i] = reason
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) > 1 { // found by elimination, so not beside others
		known = slices.DeleteFunc(known, func(reason string) bool { return reason == "overlay" })
	}
	return known
}

// generationsOf returns the generations of steps, also of those that the rendered phase does not run.
func generationsOf(items []*krm.Item) map[string]string {
	found := map[string]string{}
	for _, item := range items {
		annotation := func(key string) string { value, _ := item.Annotation(key); return value }
		if generation := annotation(contract.GenerationKey); generation != "" {
			found[strings.Join([]string{
				annotation(contract.SandboxKey), annotation(contract.ResourceKey), annotation(contract.PhaseKey),
				annotation(contract.StepKey),
			}, "/")] = generation
		}
	}
	return found
}

// Over random edits of sandboxes, a step runs again if and only if its generation or, if it publishes nothing, its Job is
// another one.
func TestCompare_sandboxEdits(t *testing.T) {
	t.Parallel()
	random, pairs, again := checkout.Random(t), 0, 0
	for range 20 {
		pack := edits.New(random.Uint64())
		before := sideOf(t, contract.RuntimeImage, documentsOf(pack)...)
		for range 20 {
			pack.Edit()
			after := sideOf(t, contract.RuntimeImage, documentsOf(pack)...)
			report, err := renderdiff.Compare(renderdiff.NewSide("old", before, nil), renderdiff.NewSide("new", after, nil),
				renderdiff.Options{})
			require.NoError(t, err)
			changes := runs(report)
			older, newer := jobsOf(t, before), jobsOf(t, after)
			for key, is := range newer {
				was, existed := older[key]
				switch {
				case !existed:
					assert.Equal(t, renderdiff.First, changes[key].Run, key)
				case was != is:
					again++
					assert.Equal(t, renderdiff.Again, changes[key].Run, key)
					assert.NotEmpty(t, changes[key].Reasons, key)
				default:
					assert.NotEqual(t, renderdiff.Again, changes[key].Run, key)
				}
			}
			for key := range older {
				if _, exists := newer[key]; !exists {
					assert.Equal(t, renderdiff.Gone, changes[key].Run, key)
				}
			}
			before = after
			pairs++
		}
	}
	assert.GreaterOrEqual(t, pairs, 300)
	assert.Positive(t, again)
}
