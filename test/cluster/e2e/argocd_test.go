//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// startArgoCD starts the controllers of Argo CD, once. `down` of the node stops them.
func startArgoCD(t *testing.T) {
	t.Helper()
	argoCD.Do(func() { nodeScript(t, "argocd", suite.programs) })
}

var argoCD sync.Once

const argoCDName = "Argo CD"

// application is an Application of Argo CD that delivers the folder deploy of a repository to a namespace.
type application struct {
	*repository
	name string
	spec object
}

// newApplication returns an Application with automated synchronization, which create creates.
func newApplication(s *testNamespace) *application {
	s.t.Helper()
	startArgoCD(s.t)
	a := &application{repository: newRepository(s.t), name: s.name}
	a.spec = object{
		"project":     "default",
		"source":      object{"repoURL": a.url, "targetRevision": "main", "path": "deploy"},
		"destination": object{"server": "https://kubernetes.default.svc", "namespace": s.name},
		"syncPolicy":  object{"automated": object{"prune": true, "selfHeal": true}},
	}
	return a
}

// create creates the Application; its deletion deletes the delivered objects. It is deleted at the end of the test.
func (a *application) create() {
	a.t.Helper()
	must(a.t, texts(a.t, object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": a.spec,
		"metadata": object{"name": a.name, "namespace": "argocd", "finalizers": []string{"resources-finalizer.argocd.argoproj.io"}},
	}), "create", "--filename=-")
	a.t.Cleanup(func() {
		if a.t.Failed() {
			out, _ := kubectl("", "get", "application", a.name, "--namespace=argocd", "--output=yaml", "--ignore-not-found")
			a.t.Logf("%s", tail(out, 20_000))
		}
		a.remove()
	})
}

// remove deletes the Application, and nothing that it has delivered.
func (a *application) remove() {
	_, _ = kubectl("", "patch", "application", a.name, "--namespace=argocd", "--type=merge", `--patch={"metadata":{"finalizers":null}}`)
	_, _ = kubectl("", "delete", "application", a.name, "--namespace=argocd", "--wait=false", "--ignore-not-found")
}

// applicationStatus has the fields that the tests read.
type applicationStatus struct {
	Sync           struct{ Status, Revision string }
	Health         struct{ Status string }
	OperationState struct {
		Phase, Message string
		SyncResult     struct{ Revision string }
	}
	Conditions []struct{ Type, Message string }
	Resources  []struct {
		Kind, Name, Status string
		Health             struct{ Status, Message string }
	}
}

func (a *application) status() (applicationStatus, error) {
	var found struct{ Status applicationStatus }
	out, err := kubectl("", "get", "application", a.name, "--namespace=argocd", "--output=json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &found)
	}
	return found.Status, err
}

// await waits until a revision was synchronized and the Application has the states.
func (a *application) await(revision, sync, health string) applicationStatus {
	a.t.Helper()
	var last applicationStatus
	eventually(a.t, func() (string, error) {
		status, err := a.status()
		last = status
		if status.Sync.Revision == revision && status.OperationState.SyncResult.Revision == revision &&
			status.Sync.Status == sync && status.Health.Status == health {
			return "", err
		}
		return fmt.Sprintf("%s and %s at %.8s, not %s and %s at %.8s (%s: %s) %v", sync, health, revision, status.Sync.Status,
			status.Health.Status, status.Sync.Revision, status.OperationState.Phase, status.OperationState.Message, status.Conditions), err
	})
	return last
}

// health returns the messages of the objects of a kind that are not healthy, by name.
func (s applicationStatus) unhealthy(kind string) map[string]string {
	messages := map[string]string{}
	for _, resource := range s.Resources {
		if resource.Kind == kind && resource.Health.Status != "Healthy" {
			messages[resource.Name] = resource.Health.Status + ": " + resource.Health.Message
		}
	}
	return messages
}

// argoCDArguments are those of the page on Argo CD.
var argoCDArguments = []string{"--delivery", "argocd"}

// kept is a sandbox that stays, so that the folder never becomes empty: Argo CD refuses to prune everything.
func (s *testNamespace) kept() []object {
	return []object{
		s.plugin("kept@1.0.0", s.overlay(), step{name: "keep", script: script("keep", good), outputs: []string{"value"}}),
		sandbox("kept", "kept", nil),
	}
}

// A sandbox is created, changed, changed back, torn down and removed by commits alone.
func TestArgoCDLifecycle(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]any{
		"ClientSide": {}, "ServerSide": {"ServerSideApply=true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newNamespace(t)
			a := newApplication(s)
			a.spec["syncPolicy"].(object)["syncOptions"] = options
			deliverLifecycle(s, argoCDArguments, a.repository, a.create,
				func(revision string) { a.await(revision, "Synced", "Healthy") },
				func(revision string) { a.await(revision, "Synced", "Healthy") }) // though objects with Prune=false stay
			observe(t, argoCDName, "all steps have succeeded", "Synced, Healthy")
			observe(t, argoCDName, "the delete phase is done", "Synced, Healthy")
			observe(t, argoCDName, "the sandbox was removed", "Synced, Healthy")
		})
	}
}

// deliverLifecycle commits the renders of a sandbox's life, and checks after each that the steps have run, and how often.
// begin starts the delivery after the first commit, ready waits until a revision is delivered and healthy, and left until one
// is that no longer has the objects of the create phase.
func deliverLifecycle(s *testNamespace, arguments []string, r *repository, begin func(), ready, left func(revision string)) {
	s.t.Helper()
	returned := func(value string, more ...string) string {
		return render(s.t, append(more, arguments...), append(s.kept(), s.returning(),
			sandbox("returned", "returning", map[string]string{"value": value}))...)
	}
	for i, value := range []string{"one", "two", "one"} {
		revision := r.render(returned(value))
		if i == 0 {
			begin()
		}
		ready(revision)
		s.requireValue(value)
		assert.Equal(s.t, map[string]int{"make": i + 1, "use": i + 1, "tell": i + 1}, s.runs("returned"), value)
	}

	absent := sandbox("returned", "returning", map[string]string{"value": "one"})
	absent["metadata"].(object)["annotations"] = map[string]string{contract.StateKey: "absent"}
	left(r.render(render(s.t, arguments, append(s.kept(), s.returning(), absent)...)))
	eventually(s.t, func() (string, error) {
		for key, output := range s.outputs() { // the tool may have created the Secret again, empty
			if strings.HasPrefix(key, "returned/") && len(output.Data) > 0 {
				return "the removal of " + key, nil
			}
		}
		return "", nil
	})
	assert.Equal(s.t, 1, s.runs("returned")["drop"])
	left(r.render(render(s.t, arguments, s.kept()...)))
	eventually(s.t, func() (string, error) {
		found, err := list[workload](s.name, workloads[s.engine])
		if len(found) != 1 {
			return fmt.Sprintf("1 of the %s, not %d", workloads[s.engine], len(found)), err
		}
		return "", err
	})
	assert.Equal(s.t, map[string]int{"keep": 1}, s.runs("kept"), "a step runs once")
	assert.Contains(s.t, s.outputs(), "kept/keep")
}

// A failing step makes the Application degraded, with the message of the Job; the fixed script makes it healthy.
func TestArgoCDFailingStep(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	s.open(t, "go")
	revision := a.render(render(t, argoCDArguments, s.failing("exit 3"), sandbox("failed", "failing", nil)))
	a.create()
	status := a.await(revision, "Synced", "Degraded")
	observe(t, argoCDName, "a step failed", "Synced, Degraded")
	messages := status.unhealthy("Job")
	require.NotEmpty(t, messages)
	for name, message := range messages {
		if message != "Progressing: " { // another step still runs
			assert.Contains(t, message, "Degraded: Job has reached the specified backoff limit", name)
		}
	}
	a.await(a.render(render(t, argoCDArguments, s.failing(good), sandbox("failed", "failing", nil))), "Synced", "Healthy")
	assert.Equal(t, map[string]int{"make": 2, "use": 1, "slow": 1}, s.runs("failed"))
}

// While a step runs, the Application progresses.
func TestArgoCDProgress(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	revision := a.render(render(t, argoCDArguments, s.failing(good), sandbox("slow", "failing", nil)))
	a.create()
	a.await(revision, "Synced", "Progressing")
	observe(t, argoCDName, "a step runs", "Synced, Progressing")
	s.open(t, "go")
	a.await(revision, "Synced", "Healthy")
}

// A published Secret that was deleted is created again, empty. The steps do not run, and the status is Stale until the Jobs
// are deleted.
func TestArgoCDSelfHeal(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	p := newPage(s, "returned")
	manifest := s.returned("one", argoCDArguments...)
	p.write("create.yaml", manifest)
	revision := a.render(manifest)
	a.create()
	a.await(revision, "Synced", "Healthy")

	s.deleteOutputs()
	eventually(t, func() (string, error) {
		if _, ok := s.outputs()["returned/make"]; !ok {
			return "the Secret", nil
		}
		return "", nil
	})
	a.await(revision, "Synced", "Healthy")
	assert.Equal(t, "Stale", p.status("create.yaml").Status)
	observe(t, argoCDName, "a published Secret was deleted", "Synced, Healthy; rplug status: Stale")
	p.deleteUnfinished()
	p.become(map[string]string{"make": "Ready", "use": "Stale", "tell": "Ready"}) // it has read the old outputs
	assert.Equal(t, "Stale", p.status("create.yaml").Status)
	p.deleteUnfinished()
	p.become(map[string]string{"make": "Ready", "use": "Ready", "tell": "Ready"})
	p.ready()
	s.requireValue("one")

	// A changed label is restored.
	must(t, "", "label", "serviceaccounts", "--all", "--namespace", s.name, "app.kubernetes.io/managed-by=me", "--overwrite")
	eventually(t, func() (string, error) {
		found, err := list[struct{ Metadata metadata }](s.name, "serviceaccounts", "--selector=app.kubernetes.io/managed-by=me")
		if len(found) > 1 { // that of the namespace stays
			return "the label", err
		}
		return "", err
	})
	assert.Equal(t, map[string]int{"make": 2, "use": 2, "tell": 1}, s.runs("returned"))
}

// deleteUnfinished runs the commands of "Run steps again" up to the last one: selfHeal applies the objects that they
// have deleted, and would do so at the same time.
func (p *page) deleteUnfinished() {
	p.t.Helper()
	commands, hasApply := strings.CutSuffix(p.scripts["Run steps again"], "kubectl apply -f create.yaml\n")
	require.True(p.t, hasApply, commands)
	p.bash(commands)
}

// become waits for the states of steps.
func (p *page) become(states map[string]string) {
	p.t.Helper()
	eventually(p.t, func() (string, error) {
		if found := p.jsonStatus("create.yaml").states(); !maps.Equal(found, states) {
			return fmt.Sprintf("%v, not %v", states, found), nil
		}
		return "", nil
	})
}

// Without prune the Jobs of an earlier render stay, and an earlier render again is Stale.
func TestArgoCDWithoutPrune(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	a.spec["syncPolicy"] = object{"automated": object{"prune": false, "selfHeal": true}}
	p := newPage(s, "returned")
	revision := a.render(s.returned("one", argoCDArguments...))
	a.create()
	a.await(revision, "Synced", "Healthy")
	a.await(a.render(s.returned("two", argoCDArguments...)), "OutOfSync", "Healthy")
	s.requireValue("two")
	observe(t, argoCDName, "a param was changed, without prune", "OutOfSync, Healthy")
	again := s.returned("one", argoCDArguments...)
	p.write("create.yaml", again)
	revision = a.render(again)
	eventually(t, func() (string, error) {
		status, err := a.status()
		if status.OperationState.SyncResult.Revision != revision {
			return "the sync", err
		}
		if state := p.status("create.yaml").Status; state != "Stale" {
			return "Stale, not " + state, err
		}
		return "", err
	})
}

// With the finalizer, deleting the Application runs the delete phase of its hooks after everything else was deleted, and
// nothing is left. Without the finalizer everything stays.
func TestArgoCDDelete(t *testing.T) {
	t.Parallel()
	hooks := append([]string{"--phases", "create,delete"}, argoCDArguments...)
	t.Run("Finalizer", func(t *testing.T) {
		s := newNamespace(t)
		a := newApplication(s)
		revision := a.render(s.returned("one", hooks...))
		a.create()
		a.await(revision, "Synced", "Healthy")
		must(t, "", "delete", "application", a.name, "--namespace=argocd", "--timeout="+timeout.String())
		assert.Equal(t, map[string]int{"make": 1, "use": 1, "tell": 1, "drop": 1}, s.runs("returned"))
		observe(t, argoCDName, "the Application was deleted, with hooks", "the delete phase runs, then everything is gone")
		assert.Empty(t, s.outputs())
		jobs, err := list[workload](s.name, "jobs")
		require.NoError(t, err)
		assert.Empty(t, jobs)
	})
	t.Run("Orphans", func(t *testing.T) {
		s := newNamespace(t)
		a := newApplication(s)
		revision := a.render(s.returned("one", hooks...))
		a.create()
		a.await(revision, "Synced", "Healthy")
		must(t, "", "patch", "application", a.name, "--namespace=argocd", "--type=merge", `--patch={"metadata":{"finalizers":null}}`)
		must(t, "", "delete", "application", a.name, "--namespace=argocd", "--timeout="+timeout.String())
		s.requireValue("one")
		assert.Zero(t, s.runs("returned")["drop"])
		observe(t, argoCDName, "the Application was deleted, without its finalizer", "everything stays, and no delete phase runs")
	})
}

// An Application that delivers Applications, and an ApplicationSet with a list of branches, as a generator for pull requests
// gives it: each delivers its sandbox.
func TestArgoCDApplicationSet(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	files := map[string]string{}
	var elements []object
	for _, branch := range []string{"feature-x", "feature-y"} {
		files[branch+"/rendered.yaml"] = render(t, argoCDArguments, s.returning(),
			sandbox(branch, "returning", map[string]string{"value": branch}))
		elements = append(elements, object{"branch": branch})
	}
	template := object{
		"metadata": object{"name": a.name + "-{{branch}}"},
		"spec":     a.spec,
	}
	a.spec["source"].(object)["path"] = "deploy/{{branch}}"
	a.commit(files)
	must(t, texts(t, object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": object{"name": a.name, "namespace": "argocd"},
		"spec": object{"generators": []object{{"list": object{"elements": elements}}}, "template": template},
	}), "create", "--filename=-")
	t.Cleanup(func() { _, _ = kubectl("", "delete", "applicationset", a.name, "--namespace=argocd", "--wait=false") })
	for _, branch := range []string{"feature-x", "feature-y"} {
		eventually(t, func() (string, error) {
			if value := string(s.outputs()[branch+"/use"].Data["seen"]); value != branch {
				return "the output of " + branch, nil
			}
			return "", nil
		})
	}
	names := must(t, "", "get", "applications", "--namespace=argocd", "--output=name")
	assert.Equal(t, 2, strings.Count(names, a.name+"-feature-"))
}

// The ApplicationSet of examples/pull-requests delivers an environment for each open pull request that the API of the forge
// lists, and runs the delete phase of one that is closed. While the API fails, nothing is closed.
func TestArgoCDPullRequests(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	startArgoCD(t)
	github := newPullRequestAPI(t, 42, 43)
	a := &application{repository: newRepository(t), name: s.name}
	files, prefix := map[string]string{}, s.name+"-pr-"
	for _, number := range []string{"42", "43"} {
		files[prefix+number+"/rendered.yaml"] = render(t, append([]string{"--phases", "create,delete"}, argoCDArguments...), s.returning(),
			sandbox("pr-"+number, "returning", map[string]string{"value": number}))
	}
	a.commit(files)
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "pull-requests", "argocd", "applicationset.yaml"))
	require.NoError(t, err)
	set := strings.NewReplacer(
		"shop-pr-", prefix, "path: shop-pr-", "path: deploy/"+prefix, "name: shop-pull-requests", "name: "+s.name,
		"https://github.com/shop/shop.git", a.url, "targetRevision: previews", "targetRevision: main",
		"owner: shop", "owner: shop\n        api: "+github.url, "secretName: github-token", "secretName: "+s.name,
		"requeueAfterSeconds: 120", "requeueAfterSeconds: 2",
	).Replace(string(text))
	must(t, "", "create", "secret", "generic", s.name, "--namespace=argocd", "--from-literal=token=none")
	must(t, set, "create", "--filename=-")
	t.Cleanup(func() {
		_, _ = kubectl("", "delete", "applicationset,secret", s.name, "--namespace=argocd", "--wait=false")
		_, _ = kubectl("", "delete", "namespace", prefix+"42", prefix+"43", "--wait=false", "--ignore-not-found")
	})
	published := func(number string) {
		t.Helper()
		eventually(t, func() (string, error) {
			if value := string(s.outputs()["pr-"+number+"/use"].Data["seen"]); value != number {
				return "the output of " + number, nil
			}
			return "", nil
		})
	}
	published("42")
	published("43")

	applications := func() string { return must(t, "", "get", "applications", "--namespace=argocd", "--output=name") }
	github.fail(true)
	github.open()
	eventually(t, func() (string, error) {
		const condition = `jsonpath={.status.conditions[?(@.type=="ErrorOccurred")].status}`
		status, err := kubectl("", "get", "applicationset", s.name, "--namespace=argocd", "--output="+condition)
		if status != "True" {
			return "the error of the ApplicationSet", err
		}
		return "", err
	})
	assert.Equal(t, 2, strings.Count(applications(), prefix), "nothing is closed")

	github.open(43)
	github.fail(false)
	eventually(t, func() (string, error) {
		if strings.Contains(applications(), prefix+"42") {
			return "the end of the Application", nil
		}
		return "", nil
	})
	assert.Equal(t, 1, s.runs("pr-42")["drop"])
	for key := range s.outputs() {
		assert.False(t, strings.HasPrefix(key, "pr-42/"), key)
	}
	published("43")
	assert.Zero(t, s.runs("pr-43")["drop"])
}

// pullRequestAPI is the list of open pull requests of GitHub.
type pullRequestAPI struct {
	url     string
	mutex   sync.Mutex
	numbers []int
	fails   bool
}

func newPullRequestAPI(t *testing.T, numbers ...int) *pullRequestAPI {
	t.Helper()
	p := &pullRequestAPI{numbers: numbers}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *pullRequestAPI) open(numbers ...int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.numbers = numbers
}

func (p *pullRequestAPI) fail(fails bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.fails = fails
}

func (p *pullRequestAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.fails || !strings.HasSuffix(r.URL.Path, "/repos/shop/shop/pulls") {
		http.Error(w, "{}", http.StatusBadGateway)
		return
	}
	list := []object{}
	for _, number := range p.numbers {
		list = append(list, object{
			"number": number, "title": "a change", "user": object{"login": "dev"}, "base": object{"ref": "main"},
			"head": object{"ref": fmt.Sprintf("pr-%d", number), "sha": strings.Repeat("a", 40)},
		})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(list)
}
