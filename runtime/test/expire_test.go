package test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/manager"
)

// created is when the ConfigMap of the rendered sandbox, whose ttl is two hours, was created.
var created = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// expirer is the CronJob of a namespace, with the rights and the sandbox that the renderer's golden file has.
type expirer struct {
	t      *testing.T
	server *Server
	// node is the node's clock.
	node time.Time
	log  *logBuffer
	file string // termination message

	name string // of the ConfigMap
	id   string
	plan []byte
	jobs []string
}

func newExpirer(t *testing.T) *expirer {
	t.Helper()
	e := &expirer{t: t, server: newServer(t), log: &logBuffer{}, file: filepath.Join(t.TempDir(), "termination-log")}
	require.NoError(t, os.WriteFile(e.file, nil, 0o600))
	e.server.rights = map[string][]cluster.Rule{}
	e.load(func(text string) string { return text })
	e.at(created)
	return e
}

// load applies the renderer's golden file, with a change: it has the plan as a comment.
func (e *expirer) load(change func(string) string) {
	e.t.Helper()
	text, err := os.ReadFile("../../commands/lifecycle/undo/testdata/expiry.yaml")
	require.NoError(e.t, err)
	comment, rest, _ := strings.Cut(string(text), "\n---\n")
	var plan bytes.Buffer
	require.NoError(e.t, json.Compact(&plan, []byte(strings.ReplaceAll("\n"+comment, "\n# ", "\n"))))
	before := expiry.Sealed("", plan.Bytes())
	e.plan = []byte(change(plan.String()))
	rest = change(strings.ReplaceAll(rest, before, expiry.Sealed("", e.plan)))
	var parsed expiry.Plan
	require.NoError(e.t, json.Unmarshal(e.plan, &parsed))
	e.id, e.jobs = parsed.ID, nil
	for document := range strings.SplitSeq(rest, "\n---\n") {
		var o object
		require.NoError(e.t, yaml.Unmarshal([]byte(document), &o))
		e.apply(o)
	}
	for _, task := range parsed.Apply {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		require.NoError(e.t, json.Unmarshal(task, &o))
		if o.Kind == "Job" {
			e.jobs = append(e.jobs, o.Metadata.Name)
		}
	}
	labels := object{contract.SandboxIDKey: e.id, contract.PhaseKey: "create"}
	for _, of := range parsed.Remove { // also objects of the create phase
		ref := cluster.Ref{Kind: kindOf(of.Group, of.Version, of.Resource), Namespace: of.Namespace, Name: of.Name}
		if of.Resource != "poddisruptionbudgets" {
			e.server.Put(ref, object{"metadata": object{"labels": labels, "uid": ref.String()}})
		}
	}
	e.server.Put(e.createJob(), object{"metadata": object{"labels": labels, "uid": "create", "creationTimestamp": timestamp(created)}})
	e.server.Put(e.fork(), object{"metadata": object{"labels": object{contract.SandboxIDKey: e.id}, "uid": "fork"}})
}

func (e *expirer) createJob() cluster.Ref {
	return cluster.Ref{Kind: cluster.KindJob, Namespace: "tools", Name: "create-" + e.id}
}

func (e *expirer) fork() cluster.Ref {
	return cluster.Ref{Kind: kindOf("apps", "v1", "deployments"), Namespace: "shop", Name: "web-" + e.id}
}

func kindOf(group, version, plural string) cluster.Kind {
	if plural == "secrets" {
		return cluster.KindSecret
	}
	return cluster.Kind{Group: group, Version: version, Plural: plural, Singular: strings.TrimSuffix(plural, "s")}
}

// apply creates a rendered object, and gives the account the rights of a Role.
func (e *expirer) apply(o object) {
	e.t.Helper()
	group, version, isGrouped := strings.Cut(o["apiVersion"].(string), "/")
	if !isGrouped {
		group, version = "", group
	}
	metadata := o["metadata"].(object)
	ref := cluster.Ref{
		Kind:      kindOf(group, version, strings.ToLower(o["kind"].(string))+"s"),
		Namespace: metadata["namespace"].(string), Name: metadata["name"].(string),
	}
	metadata["uid"] = ref.String()
	text, err := json.Marshal(o)
	require.NoError(e.t, err)
	if o["kind"] == "Role" && strings.Contains(ref.Name, "teardown") {
		var role struct{ Rules []cluster.Rule }
		require.NoError(e.t, json.Unmarshal(text, &role))
		e.server.rights[ref.Namespace] = append(e.server.rights[ref.Namespace], role.Rules...)
	}
	var copied object
	require.NoError(e.t, json.Unmarshal(text, &copied))
	if o["kind"] == "ConfigMap" && strings.Contains(ref.Name, "teardown") {
		e.name = ref.Name
		copied = merge(copied, object{
			"binaryData": object{expiry.PlanKey: zipped(e.plan)},
			"metadata":   object{"creationTimestamp": timestamp(created)},
		})
	}
	e.server.Put(ref, copied)
}

func zipped(text []byte) []byte {
	var data bytes.Buffer
	writer := gzip.NewWriter(&data)
	_, _ = writer.Write(text)
	_ = writer.Close()
	return data.Bytes()
}

func timestamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// at sets both clocks.
func (e *expirer) at(now time.Time) {
	e.node = now
	e.server.setClock(now)
}

// run runs the program once.
func (e *expirer) run() int { return e.runIn(e.t.Context()) }

func (e *expirer) runIn(ctx context.Context) int {
	host, port := e.server.Address()
	variables := map[string]string{
		contract.NamespaceVariable: "tools", "KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port,
	}
	timing := patient
	timing.ApplyTimeout = time.Nanosecond
	return manager.Host{
		Getenv: func(name string) string { return variables[name] }, TokenFolder: e.server.Folder, Timing: timing,
		Now:      func() time.Time { return e.node },
		Reporter: runner.Reporter{Stderr: e.log, TerminationLog: e.file},
	}.Run(ctx, []string{expiry.Helper})
}

func (e *expirer) configMap() cluster.Ref {
	return cluster.Ref{Kind: kindOf("", "v1", "configmaps"), Namespace: "tools", Name: e.name}
}

func (e *expirer) job(name string) cluster.Ref {
	return cluster.Ref{Kind: cluster.KindJob, Namespace: "tools", Name: name}
}

// end ends the Jobs of the delete phase that exist.
func (e *expirer) end(condition string) {
	for _, name := range e.jobs {
		if e.server.Object(e.job(name)) != nil {
			e.server.SetStatus(e.job(name), object{"conditions": []any{
				object{"type": condition, "status": "True", "reason": "Reason", "message": "the message"},
			}})
		}
	}
}

// left returns the objects of the sandbox.
func (e *expirer) left() (all []string) {
	e.server.mu.Lock()
	defer e.server.mu.Unlock()
	for ref, o := range e.server.state.objects {
		if selects(contract.SandboxIDKey+"="+e.id, o) {
			all = append(all, ref.String())
		}
	}
	slices.Sort(all)
	return all
}

// writes returns the requests that change something, since a number of calls.
func (e *expirer) writes(since int) (all []string) {
	for _, call := range e.server.Calls()[since:] {
		isRead := call.Verb == "patch" && !strings.Contains(call.Query, "fieldManager=expire") || strings.Contains(call.Query, "dryRun") ||
			call.Verb == "create"
		if !isRead {
			all = append(all, call.Verb+" "+call.Object.String())
		}
	}
	return all
}

// The whole end of a sandbox, with the rights of the rendered Roles and no other: forks first, then the delete phase, and when it is
// complete, everything else.
func TestExpire_tearsDown(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	before := e.left()
	e.at(created.Add(119 * time.Minute))
	require.Zero(t, e.run(), e.log)
	assert.Contains(t, e.log.String(), "expires at 2026-03-01T14:00:00Z")
	assert.Empty(t, e.writes(0))
	assert.Equal(t, before, e.left())

	e.at(created.Add(2 * time.Hour))
	since := len(e.server.Calls())
	require.Zero(t, e.run(), e.log)
	writes := e.writes(since)
	assert.Equal(t, "deletecollection deployments", writes[0], "forks go first")
	assert.Nil(t, e.server.Object(e.fork()))
	require.Len(t, e.jobs, 3)
	for _, name := range e.jobs {
		require.NotNil(t, e.server.Object(e.job(name)), name)
	}
	assert.NotNil(t, e.server.Object(cluster.Ref{Kind: cluster.KindBudget, Namespace: "shop", Name: e.budget()}))
	assert.Contains(t, e.server.Get(e.configMap()).Annotation(expiry.StateKey), "its teardown runs")

	since = len(e.server.Calls())
	require.Zero(t, e.run(), e.log)
	assert.Contains(t, e.log.String(), "0 of 3 Jobs are complete")
	assert.Empty(t, e.writes(since), "a run while the Jobs run changes nothing")

	e.end("Complete")
	require.Zero(t, e.run(), e.log)
	e.server.collect()
	assert.Empty(t, e.left())
	for _, call := range e.server.Calls() {
		assert.False(t, call.Object.Kind == cluster.KindSecret && call.Verb != "delete", "it must not read Secrets")
	}
	require.Zero(t, e.run(), e.log)
	assert.Contains(t, e.log.String(), "no sandbox of this namespace has a ttl")
}

func (e *expirer) budget() string {
	var plan expiry.Plan
	require.NoError(e.t, json.Unmarshal(e.plan, &plan))
	for _, of := range plan.Remove {
		if of.Resource == "poddisruptionbudgets" {
			return of.Name
		}
	}
	return ""
}

// Times that are missing or later than now expire nothing, nor does one of the clocks if it is ahead.
func TestExpire_clocks(t *testing.T) {
	t.Parallel()
	late := created.Add(3 * time.Hour)
	managed := func(manager string, at time.Time, key string) object {
		return object{"manager": manager, "operation": "Update", "time": timestamp(at), "fieldsV1": object{
			"f:metadata": object{"f:annotations": object{"f:" + key: object{}}},
		}}
	}
	updated := func(text string) string { return strings.ReplaceAll(text, expiry.CreatedAt, expiry.UpdatedAt) }
	for name, c := range map[string]struct {
		node, server time.Time
		metadata     object
		change       func(string) string
		expires      bool
		log          string
	}{
		"both clocks":                 {node: late, server: late, expires: true},
		"the node's clock is ahead":   {node: late, server: created, log: "expires at"},
		"the server's clock is ahead": {node: created, server: late, log: "expires at"},
		"the node's clock is at zero": {node: time.Unix(0, 0), server: late, log: "which is later than now"},
		"the server sends no time":    {node: late, log: "nothing expires: the API server must send its time"},
		"created in the future":       {node: late, server: late, metadata: object{"creationTimestamp": timestamp(late.Add(time.Hour))}, log: "later than now"},
		"created at no time":          {node: late, server: late, metadata: object{"creationTimestamp": nil}, log: "is not known"},
		"updated long ago": {
			node: late, server: late, change: updated, expires: true,
			metadata: object{"managedFields": []any{managed("kubectl", created, expiry.DocumentKey)}},
		},
		"updated later": {
			node: late, server: late, change: updated, log: "expires at",
			metadata: object{"managedFields": []any{
				managed("kubectl", created, expiry.DocumentKey), managed("helm", late.Add(-time.Minute), expiry.DocumentKey),
			}},
		},
		"annotations of others do not count": {
			node: late, server: late, change: updated, expires: true,
			metadata: object{"managedFields": []any{
				managed("kubectl", created, expiry.DocumentKey), managed("other", late.Add(-time.Minute), "example.com/other"),
			}},
		},
		"updated in the future": {
			node: late, server: late, change: updated, log: "later than now",
			metadata: object{"managedFields": []any{managed("kubectl", late.Add(time.Minute), expiry.DocumentKey)}},
		},
		"updated before the creation": {
			node: late, server: late, change: updated, log: "expires at",
			metadata: object{
				"creationTimestamp": timestamp(late.Add(-time.Minute)),
				"managedFields":     []any{managed("kubectl", created, expiry.DocumentKey)},
			},
		},
		"updated at no time": {node: late, server: late, change: updated, log: "is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newExpirer(t)
			if c.change != nil {
				e.server.rights = map[string][]cluster.Rule{}
				e.load(c.change)
			}
			e.server.Put(e.configMap(), merge(e.server.Object(e.configMap()), object{"metadata": c.metadata}))
			e.at(c.server)
			e.node = c.node
			require.Zero(t, e.run(), e.log)
			assert.Equal(t, c.expires, e.server.Object(e.job(e.jobs[0])) != nil, e.log)
			assert.Contains(t, e.log.String(), c.log)
		})
	}
}

// Clocks may jump between runs. A jump of one clock changes nothing. If both are ahead and come back, no step runs twice, nothing
// else is removed before the ttl has passed again, and sandboxes that were created meanwhile do not expire.
func TestExpire_jumpingClocks(t *testing.T) {
	t.Parallel()
	late, far := created.Add(3*time.Hour), created.Add(24*365*time.Hour)
	e := newExpirer(t)
	hasStarted := func() bool { return e.server.Object(e.job(e.jobs[0])) != nil }
	for _, clocks := range [][2]time.Time{
		{created, created}, {far, created}, {created, far}, {time.Unix(0, 0), far}, {far, time.Unix(0, 0)},
		{created.Add(-time.Hour), created.Add(-time.Hour)}, {created, created},
	} {
		e.at(clocks[1])
		e.node = clocks[0]
		require.Zero(t, e.run(), e.log)
		require.False(t, hasStarted(), "%v %s", clocks, e.log)
	}

	e.at(late)
	require.Zero(t, e.run(), e.log)
	require.True(t, hasStarted(), e.log)
	e.end("Complete")
	steps, seen := e.left(), len(e.server.Calls())
	for _, back := range []time.Time{created, created.Add(-time.Hour), time.Unix(0, 0)} {
		e.at(back)
		require.Zero(t, e.run(), e.log)
		e.at(late)
		e.node = back
		require.Zero(t, e.run(), e.log)
		assert.Equal(t, steps, e.left(), "%v %s", back, e.log)
	}
	assert.Empty(t, e.writes(seen), "the clocks are back")
	e.at(late)
	require.Zero(t, e.run(), e.log)
	e.server.collect()
	assert.Empty(t, e.left(), e.log)

	// Applied while both clocks are ahead: the creation is later than now when they are right again.
	young := newExpirer(t)
	young.server.Put(young.configMap(), merge(young.server.Object(young.configMap()), object{"metadata": object{
		"creationTimestamp": timestamp(far),
	}}))
	for _, now := range []time.Time{far, late, far.Add(time.Minute)} {
		young.at(now)
		require.Zero(t, young.run(), young.log)
		assert.Nil(t, young.server.Object(young.job(young.jobs[0])), "%v %s", now, young.log)
	}
}

// The program may be killed at each of its requests: the next run continues, no step runs twice, and nothing is left.
func TestExpire_killedAtAnyRequest(t *testing.T) {
	t.Parallel()
	for number := 1; ; number++ {
		e := newExpirer(t)
		e.at(created.Add(3 * time.Hour))
		applied := map[string]int{}
		wasKilled := false
		for runs := 0; runs < 10 && len(e.left()) > 0; runs++ {
			ctx, kill := context.WithCancelCause(t.Context())
			e.server.Inject(func(call Call) Fault {
				if call.Object.Kind == cluster.KindJob && strings.Contains(call.Query, "fieldManager=expire") {
					applied[call.Object.Name]++
				}
				if call.Number == number {
					wasKilled = true
					kill(context.Canceled)
				}
				return nil
			})
			e.runIn(ctx)
			kill(nil)
			e.server.collect()
			e.end("Complete")
		}
		require.Empty(t, e.left(), "killed at request %d: %s", number, e.log)
		for _, name := range e.jobs {
			require.LessOrEqual(t, applied[name], 2, "killed at request %d", number) // one may have been cut off
		}
		if !wasKilled {
			assert.Greater(t, number, 40)
			return
		}
	}
}

// A failing delete step: nothing else is removed, and it is said in the log, the exit code and an annotation. When the cause is fixed and
// the failed Jobs are deleted, they run again.
func TestExpire_failingStep(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	e.at(created.Add(3 * time.Hour))
	require.Zero(t, e.run(), e.log)
	e.end("Failed")
	before := e.left()
	require.Equal(t, 1, e.run())
	assert.Equal(t, before, e.left())
	message := `its teardown has failed, so nothing else is removed: Job "feature-db-forks-`
	text, err := os.ReadFile(e.file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `sandbox "feature" (id `+e.id+`): `+message)
	assert.Contains(t, string(text), `of resource "db", step "drop", failed (Reason: the message)`)
	assert.Contains(t, e.server.Get(e.configMap()).Annotation(expiry.StateKey), message)
	since := len(e.server.Calls())
	require.Equal(t, 1, e.run())
	assert.Empty(t, e.writes(since), "the same state is written once")

	for _, name := range e.jobs {
		e.server.Remove(e.job(name))
	}
	require.Zero(t, e.run(), e.log)
	e.end("Complete")
	require.Zero(t, e.run(), e.log)
	e.server.collect()
	assert.Empty(t, e.left())
}

// Two sandboxes expire at once: one whose requests are refused does not disturb the other.
func TestExpire_two(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	first, name := *e, e.name
	e.load(func(text string) string {
		return strings.NewReplacer("feature-", "second-", first.id, "b"+first.id[1:], `"feature"`, `"second"`).Replace(text)
	})
	require.NotEqual(t, first.id, e.id)
	require.NotEqual(t, name, e.name)
	e.at(created.Add(3 * time.Hour))
	e.server.Deny("patch", first.job(first.jobs[1]))
	require.Equal(t, 1, e.run())
	text, err := os.ReadFile(e.file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `sandbox "feature" (id `+first.id+`): patch job`)
	assert.NotContains(t, string(text), `"second"`)
	e.end("Complete")
	require.Equal(t, 1, e.run())
	e.server.collect()
	assert.Empty(t, e.left())
	assert.NotEmpty(t, first.left())
}

// A user who may write ConfigMaps can change neither the applied and the removed objects nor the time.
func TestExpire_changedPlan(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"another ttl":   func(text string) string { return strings.Replace(text, `"seconds":7200`, `"seconds":60`, 1) },
		"another image": func(text string) string { return strings.ReplaceAll(text, "alpine:3.22", "evil") },
		"another namespace": func(text string) string {
			return strings.ReplaceAll(text, `"namespace":"shop"`, `"namespace":"kube-system"`)
		},
	} {
		e := newExpirer(t)
		changed := []byte(change(string(e.plan)))
		require.NotEqual(t, e.plan, changed, name)
		e.server.Put(e.configMap(), merge(e.server.Object(e.configMap()), object{"binaryData": object{expiry.PlanKey: zipped(changed)}}))
		e.at(created.Add(3 * time.Hour))
		require.Equal(t, 1, e.run(), name)
		assert.Contains(t, e.log.String(), "nothing is done, since its plan has another digest than its Role", name)
		assert.Empty(t, e.writes(0), name)
	}
}

// Even a plan that the Role names applies only Jobs of its sandbox and its namespace, and objects that count Pods.
func TestExpire_refusedPlan(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*expiry.Plan)
		want   string
	}{
		"another sandbox":   {func(p *expiry.Plan) { p.ID = "other" }, "belongs to another sandbox"},
		"another namespace": {func(p *expiry.Plan) { replace(p, 2, `"namespace":"tools"`, `"namespace":"shop"`) }, "must be a Job of its namespace"},
		"another kind":      {func(p *expiry.Plan) { replace(p, 2, `"kind":"Job"`, `"kind":"CronJob"`) }, "must be a Job of its namespace"},
		"a budget elsewhere": {
			func(p *expiry.Plan) { replace(p, 0, `"namespace":"shop"`, `"namespace":"kube-system"`) }, "or a PodDisruptionBudget",
		},
		"no id":           {func(p *expiry.Plan) { p.ID = "" }, `must have the id of a sandbox, not ""`},
		"no Job":          {func(p *expiry.Plan) { p.Apply = nil }, "must have a Job"},
		"another offset":  {func(p *expiry.Plan) { p.OffsetFrom = "now" }, `must count from createdAt or updatedAt, not "now"`},
		"not an object":   {func(p *expiry.Plan) { p.Apply[0] = []byte("[]") }, "must have objects of Kubernetes"},
		"nothing to wait": {func(p *expiry.Plan) { p.Seconds = 0 }, "it must be longer than 0"},
	} {
		e := newExpirer(t)
		var plan expiry.Plan
		require.NoError(t, json.Unmarshal(e.plan, &plan))
		c.change(&plan)
		text, err := json.Marshal(plan)
		require.NoError(t, err)
		for _, rule := range e.server.rights["tools"] {
			for i, one := range rule.ResourceNames {
				if one == expiry.Sealed(e.name, e.plan) {
					rule.ResourceNames[i] = expiry.Sealed(e.name, text)
				}
			}
		}
		e.server.Put(e.configMap(), merge(e.server.Object(e.configMap()), object{"binaryData": object{expiry.PlanKey: zipped(text)}}))
		e.at(created.Add(3 * time.Hour))
		e.run()
		assert.Contains(t, e.log.String(), c.want, name)
		assert.Empty(t, e.writes(0), name)
	}
}

func replace(p *expiry.Plan, i int, from, to string) {
	p.Apply[i] = bytes.ReplaceAll(p.Apply[i], []byte(from), []byte(to))
}

// A sandbox that is created again while its teardown runs is torn down again: resources of its Jobs would leak.
func TestExpire_createdAgain(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	e.at(created.Add(3 * time.Hour))
	require.Zero(t, e.run(), e.log)
	e.end("Complete")
	again := created.Add(3*time.Hour + time.Second)
	e.server.Put(e.createJob(), merge(e.server.Object(e.createJob()), object{"metadata": object{"creationTimestamp": timestamp(again)}}))
	e.at(again.Add(time.Minute))
	require.Zero(t, e.run(), e.log)
	assert.Contains(t, e.log.String(), "it was created again at 2026-03-01T15:00:01Z")
	assert.NotNil(t, e.server.Object(e.createJob()))
	assert.Nil(t, e.server.Object(e.job(e.jobs[0])))
	require.Zero(t, e.run(), e.log)
	assert.NotNil(t, e.server.Object(e.job(e.jobs[0])))
	e.end("Complete")
	require.Zero(t, e.run(), e.log)
	e.server.collect()
	assert.Empty(t, e.left())
}

// Of a sandbox that is absent, only the ConfigMap and the rights are removed: its delete phase was delivered.
func TestExpire_absent(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	kept := e.left()
	for _, rule := range e.server.rights["tools"] {
		for i, one := range rule.ResourceNames {
			if one == expiry.Sealed(e.name, e.plan) {
				rule.ResourceNames[i] = expiry.SealedAbsent(e.name)
			}
		}
	}
	require.Zero(t, e.run(), e.log)
	e.server.collect()
	for _, one := range []string{"configmap", "role", "rolebinding"} {
		gone := fmt.Sprintf("%s %q in namespace %q", one, e.name, "tools")
		require.Contains(t, kept, gone)
		kept = slices.DeleteFunc(kept, func(name string) bool { return name == gone })
	}
	assert.Equal(t, kept, e.left())
}

// A Role that is there before its ConfigMap, or after it, expires nothing.
func TestExpire_withoutConfigMap(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	e.server.Remove(e.configMap())
	e.at(created.Add(3 * time.Hour))
	before := e.left()
	require.Zero(t, e.run(), e.log)
	assert.Equal(t, before, e.left())
}

// Without the right to delete forks, the delete phase does not start.
func TestExpire_forksAreKept(t *testing.T) {
	t.Parallel()
	e := newExpirer(t)
	e.server.Deny("deletecollection", cluster.Ref{Kind: kindOf("apps", "v1", "deployments"), Namespace: "shop"})
	e.at(created.Add(3 * time.Hour))
	require.Equal(t, 1, e.run())
	assert.Contains(t, e.log.String(), `a Role must grant the Pod's ServiceAccount "deletecollection" on it`)
	assert.Nil(t, e.server.Object(e.job(e.jobs[0])))
}
