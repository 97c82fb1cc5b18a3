package status

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// made sets when an object was created, and ended when a Job ended.
func made(o manifest, time string) manifest {
	o["metadata"].(manifest)["creationTimestamp"] = time
	return o
}

func ended(job manifest, time string) {
	for _, c := range job["status"].(manifest)["conditions"].([]manifest) {
		c["lastTransitionTime"] = time
	}
}

// A step that has recorded its failure has failed before its Job has: its consumers stop at once.
func TestRules_firstFailure(t *testing.T) {
	t.Parallel()
	const first, second, third = "2026-01-02T03:00:01Z", "2026-01-02T03:00:02Z", "2026-01-02T03:00:03Z"
	for name, c := range map[string]struct {
		made, ended string
		consumer    string
		want        string
	}{
		"the consumer has failed since":  {first, second, "Failed", "Failed its last Pod has failed; see kubectl logs -n ns job/job-make --all-containers"},
		"an earlier Job of the producer": {third, second, "Failed", "InProgress runs"},
		"the consumer waits":             {first, second, "ready", "InProgress runs"},
	} {
		consumer := job("create", "use", c.consumer, "of-make")
		if c.consumer == "Failed" {
			ended(consumer, c.ended)
		}
		steps := byRules(t, []manifest{
			annotated(secret("create", "make", ""), contract.FailedKey, "new"), made(job("create", "make", "ready"), c.made),
			secret("create", "use", ""), made(consumer, first),
		})
		for _, s := range steps {
			if s.name() == "make" {
				assert.Equal(t, c.want, string(s.State)+" "+s.Detail, name)
			}
		}
	}
}

// A step is named even if its Secret does not exist: by its Job, or by the plan of the Job that waits.
func TestRules_waitsForSteps(t *testing.T) {
	t.Parallel()
	plan := contract.Plan{Producers: []contract.Producer{{Step: "make"}, {Step: "seed"}}}
	steps := byRules(t, []manifest{
		job("create", "make", "ready"), secret("create", "use", ""), planned(job("create", "use", "ready", "of-make", "of-seed"), plan),
	})
	for _, s := range steps {
		if s.name() == "use" {
			assert.Equal(t, "waits for make seed", s.Detail)
		}
	}
}

// Steps without helpers end with the words of those with the runner.
func TestJudge_endingsOfPlainSteps(t *testing.T) {
	t.Parallel()
	for want, status := range map[string]manifest{
		`step "make": the script exited with 3`:                                                        {"exitCode": 3, "reason": "Error"},
		`step "make": the script was killed by SIGTERM`:                                                {"exitCode": 143, "reason": "Error"},
		`step "make": the script was killed by SIGKILL: out of memory; raise the memory limit of main`: {"exitCode": 137, "reason": "OOMKilled"},
		`its own words`:                           {"exitCode": 1, "reason": "Error", "message": "more\nits own words\n"},
		`ContainerCannotRun`:                      {"exitCode": 128, "reason": "ContainerCannotRun"},
		`step "make": the script exited with 255`: {"exitCode": 255, "reason": "Error"},
	} {
		report := judgePlain(t, status, nil)
		require.Len(t, report.Steps[0].Containers, 1, want)
		assert.Equal(t, want, report.Steps[0].Containers[0].Message)
	}
	report := judgePlain(t, manifest{"exitCode": 137, "reason": "Error"}, manifest{"reason": "DeadlineExceeded"})
	assert.Equal(t, `step "make": the script timed out after 1m30s: raise stepTimeoutSeconds of render-phase, or `+
		"activeDeadlineSeconds of the overlay", report.Steps[0].Containers[0].Message)
}

func judgePlain(t *testing.T, end, more manifest) *Report {
	t.Helper()
	render, err := renderOf(t, without(job("create", "make", "")))
	require.NoError(t, err)
	pod := podOfJob("job-make", manifest{
		"phase": "Failed", "containerStatuses": []manifest{{"name": "main", "state": manifest{"terminated": end}}},
	})
	for key, value := range more {
		pod["status"].(manifest)[key] = value
	}
	pod["spec"] = manifest{"activeDeadlineSeconds": 90}
	pod["metadata"].(manifest)["labels"].(manifest)[contract.StepKey] = "make"
	return render.Judge(list(t, without(job("create", "make", "Failed")), pod))
}

// A namespace that is being deleted is the reason why a step does not progress.
func TestJudge_terminatingNamespace(t *testing.T) {
	t.Parallel()
	namespace := manifest{"apiVersion": "v1", "kind": "Namespace", "metadata": manifest{"name": "ns", "deletionTimestamp": "2026-01-02T03:00:01Z"}}
	render, err := renderOf(t, without(job("create", "make", "")))
	require.NoError(t, err)
	const want = "namespace/ns: Terminating: it is being deleted: nothing can be created in it"
	for _, exists := range [][]manifest{{namespace}, {namespace, without(job("create", "make", "ready"))}} {
		report := render.Judge(list(t, exists...))
		require.Len(t, report.Steps[0].Causes, 1)
		assert.Equal(t, want, report.Steps[0].Causes[0].String())
	}
	assert.Empty(t, render.Judge(list(t, namespace, without(job("create", "make", "Complete")))).Steps[0].Causes)
}

// reading is the plan of a delete step that reads an output of a create step.
var reading = contract.Plan{Producers: []contract.Producer{{Step: "make", Inputs: []contract.Input{{Output: "url"}, {Output: "url", File: "f"}}}}}

// A delete step that reads an output that was never published waits forever, unless the create step still runs.
func TestJudge_blockedTeardown(t *testing.T) {
	t.Parallel()
	const advice = `reads "url" of create step "make", which never published; run the create phase again, or give this step up: ` +
		`annotate the sandbox's document with resourceplugins.dev/skip-delete: db/drop`
	drop := func(end string) manifest { return planned(job("delete", "drop", end, "of-make"), reading) }
	cleanup := func(end string) manifest { return helper("delete", "cleanup", end, nil, "of-drop", "of-make") }
	render, err := renderOf(t, secret("create", "make", ""), secret("delete", "drop", ""), drop(""), cleanup(""))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		exists []manifest
		want   State
		drop   string
	}{
		"the create step failed": {
			[]manifest{secret("create", "make", ""), secret("delete", "drop", ""), job("create", "make", "Failed"), drop("Failed"), cleanup("Failed")},
			Blocked, "Blocked " + advice,
		},
		"its Job was pruned": {
			[]manifest{secret("create", "make", ""), secret("delete", "drop", ""), drop("active"), cleanup("ready")}, Blocked, "Blocked " + advice,
		},
		"its Secret was deleted": {[]manifest{secret("delete", "drop", ""), drop("Failed"), cleanup("Failed")}, Blocked, "Blocked " + advice},
		"the create step runs": {
			[]manifest{secret("create", "make", ""), secret("delete", "drop", ""), job("create", "make", "ready"), drop("active"), cleanup("ready")},
			InProgress, "InProgress waits for make",
		},
		"the create step has published": {
			[]manifest{secret("create", "make", "old"), secret("delete", "drop", ""), drop("active"), cleanup("ready")}, InProgress, "InProgress starts",
		},
		"not applied": {[]manifest{secret("create", "make", "")}, Missing, "Missing does not exist: apply the render"},
	} {
		for kind, report := range map[string]*Report{"render": render.Judge(list(t, c.exists...)), "cluster": list(t, c.exists...).Judge(nil)} {
			if kind == "cluster" && c.want == Missing {
				continue // nothing shows that the delete phase is meant
			}
			assert.Equal(t, c.want, report.Status, name)
			for _, s := range report.Steps {
				if s.name() == "drop" {
					assert.Equal(t, c.drop, string(s.State)+" "+s.Detail, name)
				}
			}
		}
	}
	// The create Job is not part of the render, so it is read separately.
	exists := list(t, secret("create", "make", ""), secret("delete", "drop", ""), drop("active"), cleanup("ready"))
	text, err := json.Marshal(manifest{"kind": "List", "items": []manifest{job("create", "make", "ready"), drop("active")}})
	require.NoError(t, err)
	require.NoError(t, exists.ReadHistory(text))
	report := render.Judge(exists)
	assert.Equal(t, InProgress, report.Status)
	assert.Empty(t, report.LeftOver)
	assert.True(t, Blocked.NeedsUser())
}
