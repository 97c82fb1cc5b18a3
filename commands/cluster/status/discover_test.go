package status

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/report"
)

// canary is the value of every Secret in the tests. It must never be printed.
const canary = "canary-7f3a"

// dump builds kubectl's output for a sandbox "shop" with the resource "db" in namespace "ns".
type dump struct{ items []any }

// at returns a time in minutes after the first.
func at(minutes int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC))
}

func meta(name, phase, step, generation string, made int) metav1.ObjectMeta {
	labels := map[string]string{
		contract.SandboxIDKey: "id", contract.SandboxKey: "shop", contract.ResourceKey: "db", contract.PhaseKey: phase,
		contract.StepKey: step, contract.ManagedByKey: contract.ManagedBy,
	}
	annotations := map[string]string{contract.GenerationKey: generation, contract.PhaseKey: phase}
	return metav1.ObjectMeta{
		Name: name, Namespace: "ns", UID: "1", Labels: labels, Annotations: annotations, CreationTimestamp: at(made),
	}
}

func (d *dump) add(object any) { d.items = append(d.items, object) }

// secret adds the Secret of a step.
func (d *dump) secret(phase, step, generation, published string) *corev1.Secret {
	s := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: meta("of-"+step, phase, step, generation, 0),
		Data:       map[string][]byte{"password": []byte(canary)}, StringData: map[string]string{"password": canary},
	}
	s.Annotations["kubectl.kubernetes.io/last-applied-configuration"] = `{"stringData":{"password":"` + canary + `"}}`
	if published != "" {
		s.Annotations[contract.PublishedKey] = published
	}
	d.add(s)
	return s
}

// job adds the Job of a step that reads the outputs of others.
func (d *dump) job(phase, step, generation string, made int, reads ...string) *batchv1.Job {
	j := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: meta(step+"-"+generation, phase, step, generation, made),
	}
	start, limit := at(made), int32(0)
	j.Status.StartTime, j.Spec.BackoffLimit = &start, &limit
	j.Spec.Template.Annotations = map[string]string{contract.OutputSecretKey: "of-" + step}
	d.reads(j, reads)
	plan := contract.Plan{Step: step, Outputs: []contract.Output{{Name: "url"}}}
	for _, producer := range reads {
		plan.Producers = append(plan.Producers, contract.Producer{Step: producer, Inputs: []contract.Input{{Output: "url"}}})
	}
	text, _ := json.Marshal(plan)
	j.Spec.Template.Spec.InitContainers = []corev1.Container{{
		Name: contract.InputManager, Env: []corev1.EnvVar{{Name: contract.PlanVariable, Value: string(text)}},
	}}
	j.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: contract.MainContainer, Env: []corev1.EnvVar{{Name: "PASSWORD", Value: canary}},
	}}
	d.add(j)
	return j
}

func (d *dump) reads(j *batchv1.Job, steps []string) {
	for i, step := range steps {
		j.Spec.Template.Annotations[contract.InputSecretKey(i)] = "of-" + step
	}
	if len(steps) > 0 {
		j.Annotations[contract.DependsOnKey] = strings.Join(steps, ",")
	}
}

// helper adds the Job of a helper.
func (d *dump) helper(phase, name string, made int, reads ...string) *batchv1.Job {
	j := d.job(phase, name, "h", made, reads...)
	delete(j.Labels, contract.StepKey)
	delete(j.Spec.Template.Annotations, contract.OutputSecretKey)
	j.Labels[contract.HelperKey] = name
	env := j.Spec.Template.Spec.InitContainers[0].Env
	env[0].Value = strings.Replace(env[0].Value, `"outputs":[{"name":"url","path":""}]`, `"outputs":[]`, 1)
	return j
}

// pod adds a Pod of a Job.
func (d *dump) pod(j *batchv1.Job, name string) *corev1.Pod {
	p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: *j.ObjectMeta.DeepCopy()}
	p.Name = j.Name + "-" + name
	p.Labels[batchv1.JobNameLabel] = j.Name
	d.add(p)
	return p
}

// warning adds an event.
func (d *dump) warning(kind, name, reason, message string, minutes int) {
	d.add(&corev1.Event{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}, ObjectMeta: metav1.ObjectMeta{Name: name + reason, Namespace: "ns"},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, Namespace: "ns"},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: at(minutes),
	})
}

func end(j *batchv1.Job, condition batchv1.JobConditionType, reason string, minutes int) {
	j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{
		Type: condition, Status: corev1.ConditionTrue, Reason: reason, Message: "Job has ended", LastTransitionTime: at(minutes),
	})
}

func runs(j *batchv1.Job) {
	ready := int32(1)
	j.Status.Active, j.Status.Ready = 1, &ready
}

func waits(p *corev1.Pod, container, reason, message string) {
	p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
		Name: container, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	})
}

func exits(p *corev1.Pod, container string, code int32, message string) {
	p.Status.Phase = corev1.PodFailed
	p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
		Name: container, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Message: message, Reason: "Error", FinishedAt: at(9),
		}},
	})
}

// text returns the dump as kubectl prints it.
func (d *dump) text(t *testing.T) []byte {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": d.items}, "", "    ")
	require.NoError(t, err)
	return text
}

// objects reads a dump.
func objects(t *testing.T, text []byte) *Objects {
	t.Helper()
	o := &Objects{}
	require.NoError(t, o.Read(text))
	o.LackUnread()
	return o
}

// dumps are states of a cluster; testdata has the report on each of them.
var dumps = []struct {
	name string
	want State
	make func(*dump)
}{
	{"ready", Ready, func(d *dump) {
		d.secret("create", "make", "a", "a")
		d.secret("create", "seed", "a", "a")
		end(d.job("create", "seed", "a", 1, "make"), batchv1.JobComplete, "", 4)
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
	}},
	{"waits", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		d.secret("create", "seed", "a", "")
		runs(d.job("create", "seed", "a", 1, "make"))
		runs(d.job("create", "make", "a", 1))
		d.warning("Job", "other", "X", "the clock of the dump", 31)
	}},
	{"failed", Failed, func(d *dump) {
		d.secret("create", "make", "a", "")
		d.secret("create", "seed", "a", "")
		j := d.job("create", "make", "a", 1)
		end(j, batchv1.JobFailed, "BackoffLimitExceeded", 3)
		p := d.pod(j, "x1")
		exits(p, "main", 3, "no disk\nthe script exited with 3")
		exits(p, contract.OutputManager, 1, "the script exited with 3\n")
		exits(d.pod(j, "x2"), "main", 3, "the script exited with 3")
		d.warning("Job", j.Name, "BackoffLimitExceeded", "Job has reached the limit", 3)
		seed := d.job("create", "seed", "a", 1, "make")
		end(seed, batchv1.JobFailed, "BackoffLimitExceeded", 4)
		exits(d.pod(seed, "y1"), contract.InputManager, 1, "step \"make\" has failed")
	}},
	{"tries-again", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		limit := int32(3)
		j.Spec.BackoffLimit = &limit
		j.Status.Failed = 2
		runs(j)
		exits(d.pod(j, "x1"), "main", 3, "the script exited with 3")
		exits(d.pod(j, "x2"), "main", 3, "the script exited with 3")
	}},
	{"made-room", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		d.secret("create", "seed", "a", "")
		runs(d.job("create", "make", "a", 1))
		j := d.job("create", "seed", "a", 1, "make")
		exits(d.pod(j, "x1"), contract.InputManager, contract.ExitWaited, "waited for \"make\"")
		waits(d.pod(j, "x2"), "main", "PodInitializing", "")
		runs(j)
	}},
	{"quota", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		d.warning("Job", j.Name, "FailedCreate", "pods \"x\" is forbidden: exceeded quota: few", 4)
		d.warning("Job", j.Name, "FailedCreate", "an older message", 2)
	}},
	{"image", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		j.Status.Active = 1
		p := d.pod(j, "x1")
		waits(p, "main", "ImagePullBackOff", "Back-off pulling image \"nowhere/none\"")
		d.warning("Pod", p.Name, "Failed", "Error: ImagePullBackOff", 4)
		d.warning("Pod", p.Name, "FailedMount", "MountVolume.SetUp failed:\nconfigmap \"script\" not found", 3)
	}},
	{"unschedulable", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		j.Status.Active = 1
		p := d.pod(j, "x1")
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable,
			Message: "0/1 nodes are available: 1 Insufficient cpu.",
		}}
		d.warning("Pod", p.Name, "FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu.", 4)
	}},
	{"unschedulable-and-gone", Failed, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		end(j, batchv1.JobFailed, "DeadlineExceeded", 5)
		d.warning("Pod", j.Name+"-x1", "FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu.", 4)
	}},
	{"suspended", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "")
		suspend := true
		d.job("create", "make", "a", 1).Spec.Suspend = &suspend
	}},
	{"job-removed-after-its-end", Ready, func(d *dump) {
		d.secret("create", "make", "a", "a")
		d.secret("create", "seed", "a", "a")
		end(d.job("create", "seed", "a", 1, "make"), batchv1.JobComplete, "", 4)
	}},
	{"job-never-made", Missing, func(d *dump) { d.secret("create", "make", "a", "") }},
	{"earlier-render-again", Stale, func(d *dump) {
		d.secret("create", "make", "a", "b")
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		end(d.job("create", "make", "b", 3), batchv1.JobComplete, "", 4)
	}},
	{"next-render", InProgress, func(d *dump) {
		d.secret("create", "make", "b", "a")
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		runs(d.job("create", "make", "b", 3))
	}},
	{"earlier-render-still-runs", Missing, func(d *dump) {
		d.secret("create", "make", "b", "a")
		runs(d.job("create", "make", "a", 1))
	}},
	{"deleting", InProgress, func(d *dump) {
		d.secret("create", "make", "a", "a")
		d.secret("delete", "drop", "a", "")
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		runs(d.job("delete", "drop", "a", 5, "make"))
		runs(d.helper("delete", "cleanup", 5, "drop", "make"))
	}},
	{"deleted", Ready, func(d *dump) {
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		end(d.job("delete", "drop", "a", 5, "make"), batchv1.JobComplete, "", 6)
		end(d.helper("delete", "cleanup", 5, "drop", "make"), batchv1.JobComplete, "", 7)
		d.add(&corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: meta("params", "create", "", "", 1),
		})
		d.add(&corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Name: "another's"}})
	}},
	{"half-deleted", Ready, func(d *dump) {
		s := d.secret("create", "make", "a", "a")
		now := at(40)
		s.DeletionTimestamp, s.Finalizers = &now, []string{"example.com/hold"}
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
	}},
	{"only-a-config-map", Missing, func(d *dump) {
		d.add(&corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: meta("params", "create", "", "", 1),
		})
	}},
	{"copies", Stale, func(d *dump) {
		d.secret("create", "make", "a", "a")
		d.secret("create", "make", "a", "").Namespace = "shop"
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		j := d.helper("create", "copy", 1, "make")
		j.Annotations[contract.CopyToKey] = "shop"
		end(j, batchv1.JobComplete, "", 3)
	}},
	{"secrets-not-known", InProgress, func(d *dump) {
		end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
		j := d.helper("create", "copy", 1, "make")
		j.Annotations[contract.CopyToKey] = "shop"
		end(j, batchv1.JobComplete, "", 3)
		seed := d.job("create", "seed", "a", 1, "make")
		runs(seed)
		runs(d.job("create", "use", "a", 1, "seed", "make"))
		d.pod(seed, "x1")
	}},
	{"hook-runs", InProgress, func(d *dump) { // Argo CD creates it when the Application is deleted
		d.secret("delete", "drop", "a", "")
		j := d.job("delete", "drop", "a", 5, "make")
		j.Annotations["argocd.argoproj.io/hook"] = "PostDelete"
		runs(j)
	}},
	{"pods", Failed, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		d.items = d.items[:1]
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: j.ObjectMeta, Spec: j.Spec.Template.Spec}
		p.Annotations[contract.OutputSecretKey] = "of-make"
		exits(p, "main", 137, "")
		d.add(p)
	}},
	{"hostile", Failed, func(d *dump) {
		d.secret("create", "make", "a", "")
		j := d.job("create", "make", "a", 1)
		end(j, batchv1.JobFailed, "Bad\x1b[31m", 3)
		exits(d.pod(j, "x1"), "main", 3, "red \x1b[31m \u202e turned\x00")
		d.warning("Job", j.Name, "X\x07", "a\nb\x1b]0;title\x07", 4)
	}},
	{"nothing", Missing, func(*dump) {}},
}

// testdata has the text output for each dump. A dump in YAML, or split into several files in any order, gives the same
// report.
func TestObjects_goldens(t *testing.T) {
	t.Parallel()
	for _, c := range dumps {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var d dump
			c.make(&d)
			text := d.text(t)
			require.Equal(t, strings.Contains(string(text), canary), len(d.items) > 1 || c.name == "job-never-made" || c.name == "quota",
				"the dump must have values")
			o := objects(t, text)
			judged := o.Judge([]string{"shop"})
			assert.Equal(t, c.want, judged.Status)
			got := judged.Text(o.Newest(), report.Style{})
			golden(t, filepath.Join("testdata", c.name+".txt"), got)
			assert.NotContains(t, got, canary)
			assert.NotContains(t, got, "\x1b")
			assert.NotContains(t, judged.Text(o.Newest(), report.Style{Color: true}), canary)
			asJSON, err := json.Marshal(judged)
			require.NoError(t, err)
			assert.NotContains(t, string(asJSON), canary)

			asYAML, err := yaml.JSONToYAML(text)
			require.NoError(t, err)
			again := objects(t, asYAML)
			judged = again.Judge(nil)
			assert.Equal(t, got, judged.Text(again.Newest(), report.Style{}), "in YAML")

			stream := &Objects{}
			for i := range d.items {
				text, err := json.Marshal(d.items[len(d.items)-1-i])
				require.NoError(t, err)
				require.NoError(t, stream.Read(text))
			}
			stream.LackUnread()
			judged = stream.Judge(nil)
			assert.Len(t, judged.Text(stream.Newest(), report.Style{}), len(got), "one object a file, the last first")

			judged = o.Judge([]string{"another"})
			assert.Empty(t, judged.Steps)
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "UPDATE_GOLDEN=1 writes it")
}

// Pictures show the steps with their states, but no values of Secrets.
func TestReport_pictures(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(*dump){
		"create": func(d *dump) {
			for _, step := range []string{"make", "seed", "grant", "tell"} {
				d.secret("create", step, "a", map[string]string{"make": "a", "grant": "b"}[step])
			}
			end(d.job("create", "make", "a", 1), batchv1.JobComplete, "", 2)
			end(d.job("create", "seed", "a", 1, "make"), batchv1.JobFailed, "X", 2)
			end(d.job("create", "grant", "a", 1, "make"), batchv1.JobComplete, "", 2)
			runs(d.job("create", "use", "a", 1, "seed", "grant"))
			copied := d.helper("create", "copy", 1, "make")
			copied.Annotations[contract.CopyToKey] = "shop"
			runs(copied)
		},
		"delete": func(d *dump) {
			d.secret("create", "make", "a", "a")
			d.secret("delete", "drop", "a", "")
			drop := d.job("delete", "drop", "a", 5, "make")
			drop.Spec.Template.Spec.InitContainers[0].Env[0].Value = `{"producers":[{"step":"make","inputs":[{"output":"url"}]}]}`
			runs(drop)
			runs(d.helper("delete", "cleanup", 5, "drop", "make"))
		},
	} {
		var d dump
		build(&d)
		judged := objects(t, d.text(t)).Judge(nil)
		pictures, err := judged.Pictures()
		require.NoError(t, err)
		for _, format := range diagram.Formats {
			text, err := diagram.Draw(format, pictures)
			require.NoError(t, err)
			assert.NotContains(t, string(text), canary)
			golden(t, filepath.Join("testdata", name+"."+string(format)), string(text))
		}
	}
}

// States and marks of pictures are equal, and in the same order.
func TestStates_areMarks(t *testing.T) {
	t.Parallel()
	require.Len(t, diagram.Marks, len(states))
	for i, state := range states {
		assert.Equal(t, string(state), string(diagram.Marks[i]))
	}
}

// Errors do not contain the text, which may be a value of a Secret.
func TestRead_errors(t *testing.T) {
	t.Parallel()
	ours := `"labels":{"resourceplugins.dev/sandbox":"s","resourceplugins.dev/resource":"r"}`
	for _, c := range []struct{ name, text, want string }{
		{"text", canary, "must hold objects of Kubernetes, as kubectl get prints them with -o json or -o yaml"},
		{"list", "- " + canary, "must hold objects of Kubernetes, as kubectl get prints them with -o json or -o yaml"},
		{"JSON that ends", "{\n\"data\": \"" + canary, "must be YAML or JSON: see line 2"},
		{"JSON with a bad value", "{\n\"data\": " + canary + "}", "must be YAML or JSON: see line 2"},
		{"YAML", "kind: Secret\ndata:\n  a: b: " + canary + "\n", "must be YAML or JSON: see line 3"},
		{"YAML with an unknown alias", "kind: Secret\ndata: *" + canary + "\n", "must be YAML or JSON"},
		{"a Secret with bad metadata", `{"kind":"Secret","metadata":{"name":"n","namespace":"ns",` + ours + `,"creationTimestamp":"` + canary + `"}}`,
			`must have Secret "n" of namespace "ns" as kubectl prints it`},
		{"a Job with a bad status", `{"kind":"List","items":[{"kind":"Job","metadata":{"name":"n",` + ours + `},"status":"` + canary + `"}]}`,
			`must have Job "n" of namespace "" as kubectl prints it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.EqualError(t, (&Objects{}).Read([]byte(c.text)), c.want)
		})
	}
}

// Items of a list of one kind may lack the kind, and values of Secrets may have any type.
func TestRead_typedLists(t *testing.T) {
	t.Parallel()
	o := &Objects{}
	require.NoError(t, o.Read([]byte(`{"kind":"SecretList","items":[{"metadata":{"name":"n","labels":{
		"resourceplugins.dev/sandbox":"s","resourceplugins.dev/resource":"r"}},"data":[1]}]}`)))
	require.NoError(t, o.Read([]byte("\n---\n# nothing\n---\nkind: PodList\n")))
	assert.Len(t, o.secrets, 1)
}

// Events of both API versions are read, and unknown fields ignored.
func TestRead_versions(t *testing.T) {
	t.Parallel()
	var d dump
	d.secret("create", "make", "a", "")
	j := d.job("create", "make", "a", 1)
	o := &Objects{}
	require.NoError(t, o.Read(d.text(t)))
	for _, text := range []string{
		`apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: e, namespace: ns, creationTimestamp: "2026-01-02T03:10:00Z"}
eventTime: "2026-01-02T03:20:00.123456Z"
regarding: {kind: Job, name: ` + j.Name + `, namespace: ns}
type: Warning
reason: FailedCreate
note: of the newer version
series: {count: 4, lastObservedTime: "2026-01-02T03:20:00.123456Z"}
`, `{"apiVersion": "v2", "kind": "ConfigMap", "unknown": {"a": [1]}, "metadata": {"name": "m", "unknown": true, "labels": {
			"resourceplugins.dev/sandbox": "shop", "resourceplugins.dev/resource": "db"}}}`,
	} {
		require.NoError(t, o.Read([]byte(text)))
	}
	judged := o.Judge(nil)
	require.Len(t, judged.Steps, 1)
	assert.Equal(t, []Cause{{Object: "job/make-a", Reason: "FailedCreate", Message: "of the newer version"}}, judged.Steps[0].Causes)
	assert.Equal(t, "20m", duration.HumanDuration(o.Newest().Sub(at(0).Time)))
}

// Whatever a dump contains, reports have no control characters and no values of Secrets.
func FuzzObjects(f *testing.F) {
	for _, c := range dumps {
		var d dump
		c.make(&d)
		text, err := json.Marshal(map[string]any{"kind": "List", "items": d.items})
		require.NoError(f, err)
		f.Add(text)
	}
	for _, text := range recorded(f) {
		f.Add(text)
	}
	f.Add([]byte(`{"kind":"Workflow","metadata":{"name":"w","labels":{"resourceplugins.dev/sandbox":"s","resourceplugins.dev/resource":"r"}},
		"spec":{"templates":[{"dag":{"tasks":[{"name":"a","template":"a"},{}]}},{"name":"a","metadata":{"labels":{
		"resourceplugins.dev/helper":"copy"}},"container":{"env":[{"name":"RESOURCEPLUGINS_PLAN","value":"{\"producers\":[{\"copies\":[\"b\"]}]}"}]}}]}}`))
	f.Add([]byte(`{"kind":"Job","metadata":{"labels":{"resourceplugins.dev/sandbox":"s","resourceplugins.dev/resource":"r"}}}`))
	f.Add([]byte(`{"kind":"Job","metadata":{"annotations":{"resourceplugins.dev/phase":"x"},"labels":{
		"resourceplugins.dev/sandbox":"s","resourceplugins.dev/resource":"r"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := &Objects{}
		if o.Read(text) != nil {
			return
		}
		judged := o.Judge(nil)
		_, _ = judged.Pictures() // steps that wait for each other cannot be drawn
		for _, r := range judged.Text(o.Newest(), report.Style{}) {
			require.False(t, r < ' ' && r != '\n' || r == 0x7f, "%q", r)
		}
	})
}
