package status

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// recorded returns dumps of Kubernetes 1.34 with Argo Workflows 3.7.14 or Tekton 1.15, reduced to the fields that are read.
func recorded(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := filepath.Glob("testdata/recorded/*.yaml")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	dumps := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		dumps[strings.TrimSuffix(file, ".yaml")] = text
	}
	return dumps
}

// documentsOf returns the objects of a dump.
func documentsOf(tb testing.TB, dump []byte) (all []manifest) {
	tb.Helper()
	for document := range strings.SplitSeq(string(dump), "\n---\n") {
		var o manifest
		require.NoError(tb, yaml.Unmarshal([]byte(document), &o))
		all = append(all, o)
	}
	return all
}

// The reports on real dumps do not depend on the order of objects.
func TestObjects_recorded(t *testing.T) {
	t.Parallel()
	for name, text := range recorded(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			o := objects(t, text)
			judged := o.Judge(nil)
			got := judged.Text(o.Newest(), report.Style{})
			golden(t, name+".txt", got)
			_, err := judged.Pictures()
			require.NoError(t, err)

			documents := documentsOf(t, text)
			random := checkout.Random(t)
			random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
			shuffled := list(t, documents...)
			shuffled.LackUnread()
			judged = shuffled.Judge(nil)
			assert.Len(t, judged.Text(shuffled.Newest(), report.Style{}), len(got))
		})
	}
}

// If objects are missing from a dump, a step is reported as ready only if it is ready with them. Secrets are kept, since a
// step with a missing Secret may be assumed to be ready.
func TestObjects_neverReadyWithoutObjects(t *testing.T) {
	t.Parallel()
	for name, text := range recorded(t) {
		all := documentsOf(t, text)
		whole := objects(t, text).Judge(nil)
		isReady := map[string]bool{}
		for _, s := range whole.Steps {
			isReady[s.Step] = s.State == Ready
		}
		random := checkout.Random(t)
		for range 100 {
			var some []manifest
			for _, o := range all {
				if o["kind"] == "Secret" || random.IntN(4) > 0 {
					some = append(some, o)
				}
			}
			o := list(t, some...)
			o.LackUnread()
			judged := o.Judge(nil)
			for _, s := range judged.Steps {
				if s.State == Ready && whole.Steps[0].Phase == s.Phase {
					assert.True(t, isReady[s.Step], "%s: %s", name, s.Line())
				}
			}
		}
	}
}

// A render that is ready by the template is ready by its tasks, and a render that is ready by its tasks has not failed by
// the template.
func TestTemplate_agreesOnEngines(t *testing.T) {
	t.Parallel()
	alone := template.Must(template.New("").Parse(Template))
	for name, text := range recorded(t) {
		documents := documentsOf(t, text)
		for phase, kept := range byPhase(documents) {
			judged := list(t, kept...).Judge(nil)
			var out bytes.Buffer
			require.NoError(t, alone.Execute(&out, manifest{"items": withoutPods(kept)}))
			want := "status: " + string(judged.Status)
			if phase == "create" && len(byPhase(documents)) == 2 {
				want = "status: Stale" // the delete phase has removed its Secrets
			}
			assert.Contains(t, out.String(), want+"\n", "%s %s: %s", name, phase, judged.Text(at(0), report.Style{}))
			assert.NotContains(t, out.String(), "<nil>", "%s %s", name, phase)
		}
	}
}

// byPhase returns the workloads of each phase, together with all other objects.
func byPhase(documents []manifest) map[string][]manifest {
	phases := map[string][]manifest{}
	for _, o := range documents {
		if o["kind"] == "Workflow" || o["kind"] == "PipelineRun" {
			phases[o["metadata"].(manifest)["labels"].(manifest)[contract.PhaseKey].(string)] = nil
		}
	}
	for phase := range phases {
		for _, o := range documents {
			labels, _ := o["metadata"].(manifest)["labels"].(manifest)
			if o["kind"] == "Secret" || labels[contract.PhaseKey] == phase {
				phases[phase] = append(phases[phase], o)
			}
		}
	}
	return phases
}

// withoutPods returns the objects that kubectl get -f prints for a render.
func withoutPods(documents []manifest) (kept []any) {
	for _, o := range documents {
		if o["kind"] != "Pod" && o["kind"] != "TaskRun" && o["kind"] != "Event" {
			kept = append(kept, o)
		}
	}
	return kept
}

// taskMetadata returns the metadata of the Pods of a step.
func taskMetadata(step string, secrets manifest) manifest {
	m := metadata("", "create", contract.StepKey, step, manifest{contract.GenerationKey: "new"})
	maps.Copy(m["annotations"].(manifest), secrets)
	return manifest{"labels": m["labels"], "annotations": m["annotations"]}
}

// runMetadata returns the metadata of an engine's workload that was created some minutes after the first time.
func runMetadata(name string, made int) manifest {
	m := metadata(name, "create", "x", "", nil)
	delete(m["labels"].(manifest), "x")
	m["creationTimestamp"] = at(made)
	return m
}

// makeAndUse returns the metadata of two steps: "make" publishes an output, "use" reads it and publishes nothing.
func makeAndUse() (producer, consumer manifest) {
	return taskMetadata("make", manifest{contract.OutputSecretKey: "of-make"}),
		taskMetadata("use", manifest{contract.InputSecretKey(0): "of-make", contract.DependsOnKey: "make"})
}

// workflowOf returns a Workflow with the steps "make" and "use".
func workflowOf(name string, made int, status manifest) manifest {
	producer, consumer := makeAndUse()
	return manifest{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": runMetadata(name, made), "status": status,
		"spec": manifest{"templates": []manifest{
			{"name": "create", "dag": manifest{"tasks": []manifest{
				{"name": "make", "template": "make"}, {"name": "use", "template": "use", "dependencies": []string{"make"}},
			}}},
			{"name": "make", "metadata": producer, "retryStrategy": manifest{"limit": 2}, "container": manifest{}},
			{"name": "use", "metadata": consumer, "containerSet": manifest{"containers": []manifest{{"name": "main"}}}},
		}},
	}
}

// nodesOf returns nodes of a Workflow, from "NAME: PHASE MESSAGE".
func nodesOf(workflow string, lines ...string) manifest {
	nodes := manifest{}
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ": ")
		phase, message, _ := strings.Cut(rest, " ")
		nodes[name] = manifest{"name": workflow + "." + name, "phase": phase, "message": message, "startedAt": at(1)}
	}
	return nodes
}

// pipelineRunOf returns a PipelineRun with the steps "make" and "use".
func pipelineRunOf(name string, made int, status manifest) manifest {
	producer, consumer := makeAndUse()
	return manifest{
		"apiVersion": "tekton.dev/v1", "kind": "PipelineRun", "metadata": runMetadata(name, made), "status": status,
		"spec": manifest{"pipelineSpec": manifest{"tasks": []manifest{
			{"name": "make", "retries": 1, "taskSpec": manifest{"metadata": producer, "steps": []manifest{{"name": "main"}}}},
			{"name": "use", "runAfter": []string{"make"}, "taskSpec": manifest{"metadata": consumer}},
		}}},
	}
}

// taskRunOf returns the TaskRun of the task "make".
func taskRunOf(status manifest) manifest {
	const task = "make"
	m := metadata("run-"+task, "create", contract.StepKey, task, nil)
	maps.Copy(m["labels"].(manifest), manifest{"tekton.dev/pipelineRun": "run", "tekton.dev/pipelineTask": task})
	return manifest{"apiVersion": "tekton.dev/v1", "kind": "TaskRun", "metadata": m, "status": status}
}

// condition returns the status of a run with a condition.
func condition(status, reason, message string) manifest {
	return manifest{"conditions": []manifest{{"type": "Succeeded", "status": status, "reason": reason, "message": message}}}
}

// with returns a copy of a map with another entry.
func with(m manifest, key string, value any) manifest {
	m = maps.Clone(m)
	m[key] = value
	return m
}

func compressed(tb testing.TB, text string) string {
	tb.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

const (
	logsOfMake = "; see kubectl logs -n ns -l workflows.argoproj.io/workflow=wf,resourceplugins.dev/step=make --all-containers --tail -1"
	logsOfRun  = "; see kubectl logs -n ns -l tekton.dev/pipelineRun=run,resourceplugins.dev/step=make --all-containers --tail -1"
)

// The state of each step corresponds to the engine's state of its task.
func TestObjects_engines(t *testing.T) {
	t.Parallel()
	unpublished, published := secret("create", "make", ""), secret("create", "make", "new")
	nodes, err := json.Marshal(nodesOf("wf", "make: Failed main: Error (exit code 3)", "use: Omitted omitted"))
	require.NoError(t, err)
	waits := "InProgress waits for make"
	for _, c := range []struct {
		name   string
		exists []manifest
		steps  map[string]string
	}{
		{
			"no controller has seen the Workflow", []manifest{unpublished, workflowOf("wf", 1, nil)},
			map[string]string{
				"make": "InProgress is not started: no controller has seen it; see kubectl describe -n ns workflow/wf", "use": waits,
			},
		},
		{
			"the Workflow is suspended", []manifest{unpublished, func() manifest {
				w := workflowOf("wf", 1, manifest{"phase": "Running", "nodes": nodesOf("wf", "make: Pending")})
				w["spec"].(manifest)["suspend"] = true
				return w
			}()}, map[string]string{"make": "InProgress is suspended", "use": waits},
		},
		{
			"a node is pending", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Running", "nodes": nodesOf("wf", "make: Running", "make(0): Pending Unschedulable: 0/1 nodes are available"),
			})}, map[string]string{"make": "InProgress starts [workflow/wf: Unschedulable: 0/1 nodes are available]", "use": waits},
		},
		{
			"a node starts", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Running", "nodes": nodesOf("wf", "make: Pending PodInitializing"),
			})}, map[string]string{"make": "InProgress starts", "use": waits},
		},
		{
			"a node is tried again", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Running", "nodes": nodesOf("wf", "make: Running", "make(0): Failed x", "make(1): Running", "make(0).main: Failed x"),
			})}, map[string]string{"make": "InProgress runs; 1 of 3 attempts have failed", "use": waits},
		},
		{
			"a node has failed", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Failed", "nodes": nodesOf("wf", "make: Failed main: Error (exit code 3)", "use: Omitted omitted"),
			})}, map[string]string{
				"make": "Failed Failed: main: Error (exit code 3)" + logsOfMake,
				"use":  "Failed not started, since these have not succeeded: make",
			},
		},
		{
			"compressed nodes are read", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Failed", "compressedNodes": compressed(t, string(nodes)),
			})}, map[string]string{
				"make": "Failed Failed: main: Error (exit code 3)" + logsOfMake,
				"use":  "Failed not started, since these have not succeeded: make",
			},
		},
		{
			"offloaded nodes of a running Workflow are not known", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Running", "offloadNodeStatusVersion": "fnv:1",
			})}, map[string]string{
				"make": "InProgress is not known: Argo Workflows has put their status into its database", "use": waits,
				"unknown": `the tasks of workflow/wf of namespace "ns": Argo Workflows has put their status into its database`,
			},
		},
		{
			"offloaded nodes of a Workflow that has failed are not known", []manifest{published, workflowOf("wf", 1, manifest{
				"phase": "Failed", "offloadNodeStatusVersion": "fnv:1",
			})}, map[string]string{
				"make": "Ready", "use": "Failed a task of the Workflow has failed, which one is not known" +
					strings.Replace(logsOfMake, "step=make", "step=use", 1),
				"unknown": `the tasks of workflow/wf of namespace "ns": Argo Workflows has put their status into its database`,
			},
		},
		{
			"offloaded nodes of a Workflow that has succeeded have succeeded", []manifest{published, workflowOf("wf", 1, manifest{
				"phase": "Succeeded", "offloadNodeStatusVersion": "fnv:1",
			})}, map[string]string{
				"make": "Ready", "use": "Ready",
				"unknown": `the tasks of workflow/wf of namespace "ns": Argo Workflows has put their status into its database`,
			},
		},
		{
			"a terminated Workflow", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Failed", "message": "Stopped with strategy 'Terminate'", "nodes": nodesOf("wf", "make: Running"),
			})}, map[string]string{
				"make": "Failed Failed: Stopped with strategy 'Terminate'" + logsOfMake,
				"use":  "Failed not started: Failed: Stopped with strategy 'Terminate'",
			},
		},
		{
			"the outputs of a Workflow that has succeeded are gone", []manifest{unpublished, workflowOf("wf", 1, manifest{
				"phase": "Succeeded", "nodes": nodesOf("wf", "make: Succeeded", "use: Succeeded"),
			})}, map[string]string{
				"make": "Stale complete, but its Secret has no outputs; to run it again: kubectl delete -n ns workflow/wf, then apply",
				"use":  "Ready",
			},
		},
		{
			"the Workflow was removed after its end", []manifest{published}, map[string]string{"make": "Ready"},
		},
		{
			"the Workflow was never made", []manifest{unpublished}, map[string]string{"make": "Missing does not exist: apply the render"},
		},
		{
			"no controller has seen the PipelineRun", []manifest{unpublished, pipelineRunOf("run", 1, nil)},
			map[string]string{
				"make": "InProgress is not started: no controller has seen it; see kubectl describe -n ns pipelinerun/run", "use": waits,
			},
		},
		{
			"the PipelineRun is held back", []manifest{unpublished, func() manifest {
				p := pipelineRunOf("run", 1, condition("Unknown", "PipelineRunPending", ""))
				p["spec"].(manifest)["status"] = "PipelineRunPending"
				return p
			}()}, map[string]string{"make": "InProgress is suspended", "use": waits},
		},
		{
			"the PipelineRun is refused", []manifest{unpublished, pipelineRunOf("run", 1, condition("False", "CreateRunFailed", "no\nquota"))},
			map[string]string{"make": "Failed not started: CreateRunFailed: no quota", "use": "Failed not started: CreateRunFailed: no quota"},
		},
		{
			"the Pod of a TaskRun starts", []manifest{
				unpublished, pipelineRunOf("run", 1, condition("Unknown", "Running", "")),
				taskRunOf(condition("Unknown", "Pending", `pod status "Ready":"False"; message: "containers with unready status: [step-main]"`)),
			}, map[string]string{"make": "InProgress starts", "use": waits},
		},
		{
			"the Pod of a TaskRun has no node", []manifest{
				unpublished, pipelineRunOf("run", 1, condition("Unknown", "Running", "")),
				taskRunOf(condition("Unknown", "Pending", `pod status "PodScheduled":"False"; message: "0/1 nodes"`)),
			}, map[string]string{
				"make": `InProgress starts [taskrun/run-make: Pending: pod status "PodScheduled":"False"; message: "0/1 nodes"]`, "use": waits,
			},
		},
		{
			"a TaskRun is pending", []manifest{
				unpublished, pipelineRunOf("run", 1, condition("Unknown", "Running", "")),
				taskRunOf(condition("Unknown", "Pending", "0/1 nodes are available")),
			}, map[string]string{"make": "InProgress starts [taskrun/run-make: Pending: 0/1 nodes are available]", "use": waits},
		},
		{
			"a TaskRun is tried again", []manifest{
				unpublished, pipelineRunOf("run", 1, condition("Unknown", "Running", "")),
				taskRunOf(with(condition("Unknown", "Running", "x"), "retriesStatus", []manifest{{"podName": "p"}})),
			}, map[string]string{"make": "InProgress runs; 1 of 2 attempts have failed", "use": waits},
		},
		{
			"a TaskRun took too long", []manifest{
				unpublished, pipelineRunOf("run", 1, with(condition("False", "Failed", "x"), "skippedTasks",
					[]manifest{{"name": "use", "reason": "PipelineRun was stopping"}})),
				taskRunOf(condition("False", "TaskRunTimeout", "failed to finish within 1s")),
			}, map[string]string{
				"make": "Failed TaskRunTimeout: failed to finish within 1s" + logsOfRun,
				"use":  "Failed not started, since these have not succeeded: make",
			},
		},
		{
			"TaskRuns are not known", []manifest{
				unpublished, pipelineRunOf("run", 1, with(condition("Unknown", "Running", ""), "childReferences",
					[]manifest{{"name": "run-make", "pipelineTaskName": "make", "kind": "TaskRun"}})),
			}, map[string]string{
				"make": `InProgress is not known: its TaskRun "run-make" is not`, "use": waits, "unknown": "TaskRuns are not in the dump",
			},
		},
		{
			"TaskRuns of a PipelineRun that has failed are not known", []manifest{
				published, pipelineRunOf("run", 1, with(condition("False", "Failed", ""), "childReferences",
					[]manifest{{"name": "run-use", "pipelineTaskName": "use"}})),
			}, map[string]string{
				"make": "Ready", "use": "Failed a task of the PipelineRun has failed, which one is not known" +
					strings.Replace(logsOfRun, "step=make", "step=use", 1),
				"unknown": "TaskRuns are not in the dump",
			},
		},
		{
			"a PipelineRun has succeeded", []manifest{published, pipelineRunOf("run", 1, condition("True", "Succeeded", ""))},
			map[string]string{"make": "Ready", "use": "Ready"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := list(t, append(c.exists, manifest{"kind": "Pod", "metadata": manifest{"name": "p"}})...)
			o.LackUnread()
			judged := o.Judge(nil)
			got := map[string]string{}
			for _, s := range judged.Steps {
				line := string(s.State) + " " + s.Detail
				if reasons := s.Reasons(); len(reasons) > 0 {
					line += " [" + strings.Join(reasons, "; ") + "]"
				}
				got[s.name()] = strings.TrimSpace(line)
			}
			if len(judged.Unknown) > 0 {
				got["unknown"] = strings.Join(judged.Unknown, "; ")
			}
			assert.Equal(t, c.steps, got)
		})
	}
}

// Hostile compressed nodes are rejected; the rest of the report is complete.
func TestWorkflow_hostileNodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ nodes, want string }{
		"no base64": {"\x00", "it is not base64"},
		"no gzip":   {"aGVsbG8=", "it is not gzip"},
		"cut":       {compressed(t, strings.Repeat("x", 1000))[:24], "it ends too early"},
		"no JSON":   {compressed(t, "[1]"), "it is not JSON of nodes"},
		"a bomb":    {compressed(t, strings.Repeat(" ", 32<<20+1)), "it has more than 32 MiB"},
	} {
		o := list(t, secret("create", "make", ""), workflowOf("wf", 1, manifest{"phase": "Running", "compressedNodes": c.nodes}))
		judged := o.Judge(nil)
		assert.Contains(t, strings.Join(judged.Unknown, "\n"), "their compressed status cannot be read: "+c.want, name)
		assert.Equal(t, InProgress, judged.Status, name)
	}
}

// Only the Workflow of the newest render counts.
func TestObjects_supersededWorkflows(t *testing.T) {
	t.Parallel()
	running := func(workflow string) manifest {
		return manifest{"phase": "Running", "nodes": nodesOf(workflow, "make: Running")}
	}
	withGeneration := func(w manifest, generation string) manifest {
		producer := w["spec"].(manifest)["templates"].([]manifest)[1]["metadata"].(manifest)
		producer["annotations"].(manifest)[contract.GenerationKey] = generation
		return w
	}
	withStep := func(w manifest) manifest { // which the next render does not have
		templates := w["spec"].(manifest)["templates"].([]manifest)
		dag := templates[0]["dag"].(manifest)
		dag["tasks"] = append(dag["tasks"].([]manifest), manifest{"name": "more", "template": "more"})
		w["spec"].(manifest)["templates"] = append(templates, manifest{"name": "more", "metadata": taskMetadata("more", nil)})
		return w
	}
	of := func(objects ...manifest) (steps, left map[string]string) {
		judged := list(t, objects...).Judge(nil)
		steps, left = map[string]string{}, map[string]string{}
		for _, s := range judged.Steps {
			steps[s.name()] = s.Object
		}
		for _, l := range judged.LeftOver {
			left[l.Object] = l.Reason
		}
		return steps, left
	}
	const another, active = "it is of another render", "it is of another render; it has not ended"
	for name, c := range map[string]struct {
		exists      []manifest
		steps, left map[string]string
	}{
		"the newest counts, and an older one has a step more": {
			[]manifest{
				secret("create", "make", ""), workflowOf("new", 2, running("new")),
				withStep(withGeneration(workflowOf("old", 1, running("old")), "old")),
			},
			map[string]string{"make": "workflow/new", "use": "workflow/new"}, map[string]string{"workflow/old": active},
		},
		"the earlier render is applied again": {
			[]manifest{
				secret("create", "make", ""), withGeneration(workflowOf("new", 2, manifest{"phase": "Succeeded"}), "newer"),
				workflowOf("old", 1, running("old")),
			},
			map[string]string{"make": "workflow/old", "use": "workflow/old"}, map[string]string{"workflow/new": another},
		},
		"another engine takes over": {
			[]manifest{
				secret("create", "make", ""), job("create", "make", "Complete"), workflowOf("wf", 1, running("wf")),
				pipelineRunOf("run", 2, nil),
			},
			map[string]string{"make": "pipelinerun/run", "use": "pipelinerun/run"},
			map[string]string{"workflow/wf": active, "job/job-make": another},
		},
		"the Secret is of a render whose Workflow does not exist": {
			[]manifest{secret("create", "make", ""), withGeneration(workflowOf("old", 1, running("old")), "old")},
			map[string]string{"make": "-"}, map[string]string{"workflow/old": active},
		},
	} {
		steps, left := of(c.exists...)
		assert.Equal(t, c.steps, steps, name)
		assert.Equal(t, c.left, left, name)
	}
}

// The states of a render with an engine come from the tasks; once a completed workload is removed, they come from its
// Secrets.
func TestRender_engines(t *testing.T) {
	t.Parallel()
	for kind, one := range map[string]struct {
		make     func(string, int, manifest) manifest
		done     manifest
		stranger manifest
	}{
		"workflow/one":    {workflowOf, manifest{"phase": "Succeeded"}, workflowOf("other", 1, nil)},
		"pipelinerun/one": {pipelineRunOf, condition("True", "Succeeded", ""), pipelineRunOf("other", 1, nil)},
	} {
		rendered := one.make("one", 0, nil)
		delete(rendered["metadata"].(manifest), "creationTimestamp")
		render, err := renderOf(t, secret("create", "make", ""), rendered)
		require.NoError(t, err)
		states := func(exists ...manifest) []string {
			judged := render.Judge(list(t, exists...))
			lines := []string{string(judged.Status)}
			for _, s := range judged.Steps {
				assert.Equal(t, kind, s.Object)
				lines = append(lines, s.name()+" "+string(s.State))
			}
			for _, l := range judged.LeftOver {
				lines = append(lines, l.Object+" "+l.Reason)
			}
			return lines
		}
		assert.Equal(t, []string{"Missing", "make Missing", "use Missing"}, states())
		assert.Equal(t, []string{"InProgress", "make InProgress", "use InProgress"},
			states(secret("create", "make", ""), one.make("one", 1, nil)))
		assert.Equal(t, []string{"Ready", "make Ready", "use Ready"},
			states(secret("create", "make", "new"), one.make("one", 1, one.done)))
		assert.Equal(t, []string{"Stale", "make Stale", "use Ready"},
			states(secret("create", "make", "old"), one.make("one", 1, one.done)))
		assert.Equal(t, []string{"Missing", "make Ready", "use Missing"}, states(secret("create", "make", "new")))
		other := strings.Replace(kind, "one", "other", 1)
		assert.Equal(t, []string{"Missing", "make Missing", "use Missing", other + " it is not in the render"}, states(one.stranger))
	}
}

// Two copies in one Workflow are two steps, in different namespaces.
func TestObjects_copiesOfEngines(t *testing.T) {
	t.Parallel()
	w := workflowOf("wf", 1, manifest{"phase": "Running", "nodes": nodesOf("wf", "make: Succeeded", "copy: Succeeded", "copy-2: Running")})
	templates := w["spec"].(manifest)["templates"].([]manifest)
	dag := templates[0]["dag"].(manifest)
	for name, namespace := range map[string]string{"copy": "a", "copy-2": "b"} {
		m := metadata("", "create", contract.HelperKey, "copy", manifest{
			contract.InputSecretKey(0): "of-make", contract.CopyToKey: namespace,
		})
		templates = append(templates, manifest{
			"name": name, "metadata": manifest{"labels": m["labels"], "annotations": m["annotations"]},
			"container": manifest{"name": "main"},
		})
	}
	dag["tasks"] = append(dag["tasks"].([]manifest), manifest{"name": "copy", "template": "copy"},
		manifest{"name": "copy-2", "template": "copy-2"})
	w["spec"].(manifest)["templates"] = templates
	o := list(t, secret("create", "make", "new"), in("a", secret("create", "make", "new")), in("b", secret("create", "make", "")), w)
	assert.Equal(t, []string{"a", "b"}, o.CopyTargets())
	judged := o.Judge(nil)
	states := map[string]State{}
	for _, s := range judged.Steps {
		if s.Helper != "" {
			states[s.task.copyTo()] = s.State
		}
	}
	assert.Equal(t, map[string]State{"a": Ready, "b": InProgress}, states)
}
