package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

type manifest = map[string]any

// metadata returns the metadata of an object in namespace "ns", with additional annotations.
func metadata(name, phase, keyOfStep, step string, annotations map[string]any) manifest {
	labels := manifest{
		contract.SandboxIDKey: "id", contract.SandboxKey: "shop", contract.ResourceKey: "db", contract.PhaseKey: phase,
		keyOfStep: step,
	}
	all := maps.Clone(labels)
	maps.Copy(all, annotations)
	return manifest{"name": name, "namespace": "ns", "uid": "1", "labels": labels, "annotations": all}
}

// job returns a Job of a step that publishes generation "new" to the Secret "of-STEP" and reads other Secrets.
func job(phase, step, end string, reads ...string) manifest {
	secrets := manifest{contract.OutputSecretKey: "of-" + step}
	for i, name := range reads {
		secrets[contract.InputSecretKey(i)] = name
	}
	return jobWith(metadata("job-"+step, phase, contract.StepKey, step, manifest{contract.GenerationKey: "new"}), secrets, end)
}

// helper returns a Job of a helper that reads Secrets.
func helper(phase, name, end string, annotations manifest, reads ...string) manifest {
	secrets := manifest{}
	for i, secret := range reads {
		secrets[contract.InputSecretKey(i)] = secret
	}
	return jobWith(metadata("job-"+name, phase, contract.HelperKey, name, annotations), secrets, end)
}

// jobWith returns a Job that has ended with a condition, or that has an active or ready Pod.
func jobWith(metadata, secrets manifest, end string) manifest {
	status := manifest{}
	switch end {
	case "Complete", "Failed":
		status["conditions"] = []manifest{
			{"type": "SuccessCriteriaMet", "status": "True"},
			{"type": end, "status": "True", "reason": "BackoffLimitExceeded", "message": "Job has reached the limit"},
		}
	case "active":
		status["active"], status["ready"] = 1, 0
	case "ready":
		status["active"], status["ready"] = 1, 1
	}
	return manifest{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "status": status,
		"spec": manifest{"template": manifest{"metadata": manifest{"annotations": secrets}}},
	}
}

// secret returns the Secret of a step, rendered for generation "new", with the outputs of a published generation.
func secret(phase, step, published string) manifest {
	annotations := manifest{contract.GenerationKey: "new"}
	if published != "" {
		annotations[contract.PublishedKey] = published
	}
	return manifest{
		"apiVersion": "v1", "kind": "Secret", "metadata": metadata("of-"+step, phase, contract.StepKey, step, annotations),
	}
}

// in returns a copy of an object in another namespace.
func in(namespace string, o manifest) manifest {
	o["metadata"].(manifest)["namespace"] = namespace
	return o
}

// annotated returns a copy of an object with an annotation.
func annotated(o manifest, key, value string) manifest {
	o["metadata"].(manifest)["annotations"].(manifest)[key] = value
	return o
}

// without returns a Job of a step without outputs.
func without(job manifest) manifest {
	secrets := job["spec"].(manifest)["template"].(manifest)["metadata"].(manifest)["annotations"].(manifest)
	delete(secrets, contract.OutputSecretKey)
	return job
}

func podOf(phase string) manifest {
	m := metadata("pod-make", "create", contract.StepKey, "make", manifest{
		contract.GenerationKey: "new", contract.OutputSecretKey: "of-make",
	})
	return manifest{"apiVersion": "v1", "kind": "Pod", "metadata": m, "status": manifest{"phase": phase}}
}

// cases are the objects in a cluster, and the expected states and details of the steps by name.
var cases = []struct {
	name   string
	exists []manifest
	want   State
	steps  map[string]string
}{
	{
		"published outputs are ready, whatever the Job does", []manifest{secret("create", "make", "new"), job("create", "make", "ready")},
		Ready, map[string]string{"make": "Ready"},
	},
	{
		"a running step is in progress", []manifest{secret("create", "make", ""), job("create", "make", "ready")},
		InProgress, map[string]string{"make": "InProgress runs"},
	},
	{
		"a step starts", []manifest{secret("create", "make", ""), job("create", "make", "active")},
		InProgress, map[string]string{"make": "InProgress starts"},
	},
	{
		"a Job cannot make its Pod", []manifest{secret("create", "make", ""), job("create", "make", "")},
		InProgress, map[string]string{"make": "InProgress has started no Pod; see kubectl describe -n ns job/job-make"},
	},
	{
		"a consumer waits for outputs of this render", []manifest{
			secret("create", "make", "old"), job("create", "make", "ready"),
			secret("create", "seed", "new"), job("create", "seed", "Complete"),
			secret("create", "use", ""), job("create", "use", "ready", "of-make", "of-seed", "of-other"),
		},
		InProgress,
		map[string]string{"make": "InProgress runs", "seed": "Ready", "use": "InProgress waits for make of-other"},
	},
	{
		"a failed Job says why", []manifest{secret("create", "make", ""), job("create", "make", "Failed")},
		Failed, map[string]string{
			"make": "Failed BackoffLimitExceeded: Job has reached the limit; see kubectl logs -n ns job/job-make --all-containers",
		},
	},
	{
		"the outputs of another render are stale", []manifest{secret("create", "make", "old"), job("create", "make", "Complete")},
		Stale, map[string]string{"make": "Stale complete, but its Secret has the outputs of another render; " +
			"to run it again: kubectl delete -n ns job/job-make, then apply"},
	},
	{
		"a Secret that was deleted and applied again is stale", []manifest{secret("create", "make", ""), job("create", "make", "Complete")},
		Stale, map[string]string{"make": "Stale complete, but its Secret has no outputs; " +
			"to run it again: kubectl delete -n ns job/job-make, then apply"},
	},
	{
		"a deleted Secret is stale", []manifest{job("create", "make", "Complete")},
		Stale, map[string]string{"make": "Stale complete, but its Secret does not exist; " +
			"to run it again: kubectl delete -n ns job/job-make, then apply"},
	},
	{
		"a Secret of the same name in another namespace does not count", []manifest{
			in("other", secret("create", "make", "new")), job("create", "make", "ready"),
		},
		Missing, map[string]string{"make": "InProgress runs", "make in other": "Missing has no Job of this render: apply the render"},
	},
	{
		"failure counts before staleness", []manifest{
			secret("create", "make", ""), job("create", "make", "Complete"),
			secret("create", "use", ""), job("create", "use", "Failed"),
		},
		Failed, nil,
	},
	{
		"a step without outputs has a complete Job", []manifest{without(job("create", "make", "Complete"))},
		Ready, map[string]string{"make": "Ready"},
	},
	{
		"a Secret without a Job is never ready", []manifest{secret("create", "make", "new")},
		Missing, map[string]string{"make": "Missing has no Job of this render: apply the render"},
	},
	{
		"a consumer is not the Job of the Secret that it reads", []manifest{
			secret("create", "make", "new"), without(job("create", "use", "Complete", "of-make")),
		},
		Missing, nil,
	},
	{
		"copies are judged by their Secrets", []manifest{
			secret("create", "make", "new"), job("create", "make", "Complete"), in("shop", secret("create", "make", "new")),
			helper("create", "copy", "Complete", manifest{contract.CopyToKey: "shop"}, "of-make"),
		},
		Ready, map[string]string{"make": "Ready", "copy": "Ready"},
	},
	{
		"a copy that was deleted and applied again is stale", []manifest{
			secret("create", "make", "new"), job("create", "make", "Complete"), in("shop", secret("create", "make", "")),
			helper("create", "copy", "Complete", manifest{contract.CopyToKey: "shop"}, "of-make"),
		},
		Stale, map[string]string{"make": "Ready", "copy": "Stale complete, but a copy does not have the outputs of this " +
			"render; to run it again: kubectl delete -n ns job/job-copy, then apply"},
	},
	{
		"a step that has read outputs that were replaced is stale, even without its Job", []manifest{
			annotated(secret("create", "make", "new"), contract.PublicationKey, "second"), job("create", "make", "Complete"),
			annotated(annotated(secret("create", "use", "new"), contract.PublicationKey, "x"), contract.ReadKey(0), "first"),
			job("create", "use", "ready", "of-make"),
		},
		Stale, map[string]string{"make": "Ready", "use": "Stale complete, but it has read outputs of make that were replaced " +
			"since; to run it again: kubectl delete -n ns job/job-use secret/of-use, then apply"},
	},
	{
		"a step that has read the last outputs is ready", []manifest{
			annotated(secret("create", "make", "new"), contract.PublicationKey, "second"), job("create", "make", "Complete"),
			annotated(secret("create", "use", "new"), contract.ReadKey(0), "second"), job("create", "use", "Complete", "of-make"),
		},
		Ready, nil,
	},
	{
		"outputs of an earlier version of the helpers have no publication", []manifest{
			secret("create", "make", "new"), job("create", "make", "Complete"),
			secret("create", "use", "new"), job("create", "use", "Complete", "of-make"),
		},
		Ready, nil,
	},
	{
		"a producer that runs again has not replaced its outputs yet", []manifest{
			secret("create", "make", ""), job("create", "make", "ready"),
			annotated(secret("create", "use", "new"), contract.ReadKey(0), "first"), job("create", "use", "Complete", "of-make"),
		},
		InProgress, map[string]string{"make": "InProgress runs", "use": "Ready"},
	},
	{
		"a copy of outputs that were replaced is stale", []manifest{
			annotated(secret("create", "make", "new"), contract.PublicationKey, "second"), job("create", "make", "Complete"),
			annotated(in("shop", secret("create", "make", "new")), contract.PublicationKey, "first"),
			helper("create", "copy", "Complete", manifest{contract.CopyToKey: "shop"}, "of-make"),
		},
		Stale, map[string]string{"make": "Ready", "copy": "Stale complete, but a copy does not have the outputs of this " +
			"render; to run it again: kubectl delete -n ns job/job-copy, then apply"},
	},
	{
		"a delete step reads what any render has published", []manifest{
			secret("create", "make", "old"), secret("delete", "drop", ""), job("delete", "drop", "ready", "of-make"),
			helper("delete", "cleanup", "ready", nil, "of-drop", "of-make"),
		},
		InProgress, map[string]string{"drop": "InProgress runs", "cleanup": "InProgress waits for drop"},
	},
	{
		"a delete step is ready while the cleanup deletes its Secret", []manifest{
			job("delete", "drop", "Complete"), helper("delete", "cleanup", "ready", nil, "of-drop"),
		},
		InProgress, map[string]string{"drop": "Ready", "cleanup": "InProgress waits for drop"},
	},
	{
		"a deleted resource is ready", []manifest{
			job("delete", "drop", "Complete", "of-make"), helper("delete", "cleanup", "Complete", nil, "of-drop", "of-make"),
		},
		Ready, map[string]string{"drop": "Ready", "cleanup": "Ready"},
	},
	{
		"a delete phase that is applied again leaves empty Secrets", []manifest{
			secret("create", "make", ""), secret("delete", "drop", ""), job("delete", "drop", "Complete", "of-make"),
			helper("delete", "cleanup", "Complete", nil, "of-drop", "of-make"),
		},
		Ready, map[string]string{"drop": "Ready", "cleanup": "Ready"},
	},
	{
		"a resource that was created again must be deleted again", []manifest{
			secret("create", "make", "new"), secret("delete", "drop", ""), job("delete", "drop", "Complete", "of-make"),
			helper("delete", "cleanup", "Complete", nil, "of-drop", "of-make"),
		},
		Stale, map[string]string{
			"drop": "Stale complete, but its Secret has no outputs; to run it again: kubectl delete -n ns job/job-drop, then apply",
			"cleanup": "Stale complete, but outputs have been published since; " +
				"to run it again: kubectl delete -n ns job/job-cleanup, then apply",
		},
	},
	{
		"a delete step that has failed", []manifest{
			secret("create", "make", "new"), secret("delete", "drop", ""), job("delete", "drop", "Failed", "of-make"),
			helper("delete", "cleanup", "Failed", nil, "of-drop", "of-make"),
		},
		Failed, nil,
	},
	{
		"a delete phase that is held back does not count", []manifest{
			secret("create", "make", "new"), job("create", "make", "Complete"), secret("delete", "drop", ""),
			annotated(job("delete", "drop", ""), "helm.sh/hook", "post-delete"),
			annotated(helper("delete", "cleanup", "", nil), "argocd.argoproj.io/hook", "PostDelete"),
		},
		Ready, map[string]string{"make": "Ready"},
	},
	{
		"a Pod runs", []manifest{secret("create", "make", ""), podOf("Running")},
		InProgress, map[string]string{"make": "InProgress is Running"},
	},
	{
		"a Pod has failed", []manifest{secret("create", "make", ""), podOf("Failed")},
		Failed, map[string]string{
			"make": "Failed Failed: a container has failed; see kubectl logs -n ns pod/pod-make --all-containers",
		},
	},
	{
		"a Pod has succeeded", []manifest{secret("create", "make", "new"), podOf("Succeeded")},
		Ready, map[string]string{"make": "Ready"},
	},
	{
		"other objects are ignored", []manifest{
			{"kind": "Deployment", "metadata": manifest{"name": "a"}}, {"kind": "Job", "metadata": manifest{"name": "b"}},
			{"kind": "Secret", "metadata": manifest{"name": "c", "labels": manifest{"a": "b"}, "annotations": manifest{"a": "b"}}},
		},
		Missing, nil,
	},
}

// The template prints the state of each step, and the overall state at the end. It is executed as kubectl does.
func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			steps, whole := byTemplate(t, c.exists)
			assert.Equal(t, c.want, whole)
			if c.steps == nil {
				return
			}
			got := map[string]string{}
			for _, step := range steps {
				name := step.name()
				if step.Object == unnamed && step.Namespace != "ns" {
					name += " in " + step.Namespace
				}
				got[name] = strings.TrimSpace(string(step.State) + " " + step.Detail)
			}
			assert.Equal(t, c.steps, got)
		})
	}
}

// The template and the rules in Go print the same lines for the same objects.
func TestRules_agreeWithTheTemplate(t *testing.T) {
	t.Parallel()
	worlds := map[string][]manifest{}
	for _, c := range cases {
		worlds[c.name] = c.exists
	}
	for _, c := range dumps {
		var d dump
		c.make(&d)
		var read struct{ Items []manifest }
		require.NoError(t, json.Unmarshal(d.text(t), &read))
		worlds["dump "+c.name] = ofRender(read.Items)
	}
	random := checkout.Random(t)
	for i := range 600 {
		worlds[fmt.Sprintf("random %d", i)] = world(random)
	}
	for name, exists := range worlds {
		want, whole := byTemplate(t, exists)
		got := byRules(t, exists)
		for i := range got {
			got[i].Detail = following.ReplaceAllString(got[i].Detail, "$1")
		}
		require.ElementsMatch(t, want, got, name)
		require.Equal(t, whole, (&Report{Steps: got}).summary(), name)
	}
}

// following matches the command that runs a step again, and the steps that follow, which the template does not know.
var following = regexp.MustCompile(`( \w+/\S+ secret/[^ ,]+)(?: \w+/[^ ,]+)+`)

// byTemplate returns the states that the template prints for objects decoded as kubectl decodes them.
func byTemplate(t *testing.T, exists []manifest) (steps []Step, whole State) {
	t.Helper()
	text, err := json.Marshal(manifest{"kind": "List", "items": exists})
	require.NoError(t, err)
	var decoded any
	require.NoError(t, json.Unmarshal(text, &decoded))
	var out bytes.Buffer
	require.NoError(t, template.Must(template.New("").Parse(Template)).Execute(&out, decoded))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	const columns = 4 // before the detail; none contains a space
	for _, line := range lines[:len(lines)-1] {
		fields := strings.Fields(line)
		require.GreaterOrEqual(t, len(fields), columns, line)
		steps = append(steps, Step{
			State: State(fields[0]), Step: fields[1], Namespace: fields[2], Object: fields[3],
			Detail: strings.Join(fields[columns:], " "),
		})
	}
	state, found := strings.CutPrefix(lines[len(lines)-1], "status: ")
	require.True(t, found, out.String())
	return steps, State(state)
}

// byRules returns the states that the rules determine for the same objects. Hooks are ignored, since kubectl does not apply
// them.
func byRules(t *testing.T, exists []manifest) (steps []Step) {
	t.Helper()
	for _, f := range list(t, exists...).resources(nil) {
		r := &rules{resource: f.resource, secrets: f.secrets}
		for _, task := range f.tasks {
			if !slices.ContainsFunc(hooks, func(hook string) bool { return task.Annotations[hook] != "" }) {
				r.tasks = append(r.tasks, task)
			}
		}
		for _, s := range r.steps() {
			steps = append(steps, Step{State: s.State, Step: s.Step, Namespace: s.Namespace, Object: s.Object, Detail: s.Detail})
		}
	}
	return steps
}

// ofRender returns the objects that kubectl get -f prints for a render, which are those not created by a controller.
func ofRender(all []manifest) []manifest {
	return slices.DeleteFunc(all, func(o manifest) bool {
		labels, _ := o["metadata"].(manifest)["labels"].(manifest)
		return labels["batch.kubernetes.io/job-name"] != nil || o["kind"] == "Event"
	})
}

// world returns the objects of one phase of a resource in random states.
func world(random *rand.Rand) (exists []manifest) {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	phase := pick("create", "delete")
	publication := func(s manifest) manifest {
		for _, key := range []string{contract.PublicationKey, contract.ReadKey(0), contract.ReadKey(1)} {
			if name := pick("", "first", "second"); name != "" {
				annotated(s, key, name)
			}
		}
		return s
	}
	for _, step := range []string{"make", "seed", "use"}[:1+random.IntN(3)] {
		state := pick("", "active", "ready", "Complete", "Failed")
		one := job(phase, step, state, []string{"of-make", "of-seed"}[:random.IntN(3)]...)
		if pick("outputs", "none") == "none" {
			one = without(one)
		} else if random.IntN(5) > 0 {
			exists = append(exists, publication(secret(phase, step, pick("", "old", "new"))))
		}
		exists = append(exists, one)
	}
	if phase == "delete" {
		return append(exists, secret("create", "first", pick("", "old", "new")),
			helper(phase, "cleanup", pick("", "active", "Complete", "Failed"), nil, "of-make", "of-first", "shop-db"),
			ofDocument("apps", pick("", "new")))
	}
	if random.IntN(2) > 0 {
		exists = append(exists, helper(phase, "copy", pick("", "ready", "Complete"), manifest{contract.CopyToKey: "shop"}, "of-make"),
			in("shop", publication(secret(phase, "make", pick("", "old", "new")))))
	}
	if random.IntN(2) > 0 {
		exists = append(exists, copyTo("apps", pick("", "ready", "Complete"), "of-make", "of-seed"))
		if random.IntN(5) > 0 {
			exists = append(exists, publication(ofDocument("apps", pick("", "old", "new"))))
		}
	}
	return exists
}

// copyTo returns the Job that copies to the Secret of an OutputSecret.
func copyTo(namespace, end string, reads ...string) manifest {
	one := helper("create", "copy", end, manifest{contract.CopyToKey: namespace, contract.GenerationKey: "new"}, reads...)
	one["spec"].(manifest)["template"].(manifest)["metadata"].(manifest)["annotations"].(manifest)[contract.OutputSecretKey] = "shop-db"
	one["metadata"].(manifest)["name"] = "job-copy-" + namespace
	return one
}

// ofDocument returns the Secret of an OutputSecret.
func ofDocument(namespace, published string) manifest {
	annotations := manifest{contract.GenerationKey: "new"}
	if published != "" {
		annotations[contract.PublishedKey] = published
	}
	return in(namespace, manifest{
		"apiVersion": "v1", "kind": "Secret", "metadata": metadata("shop-db", "create", contract.HelperKey, "copy", annotations),
	})
}

// The Secret of an OutputSecret is in another namespace than the copy. It is stale if a step has published since, and the copy
// writes it again without being deleted.
func TestRules_outputSecret(t *testing.T) {
	t.Parallel()
	made := func() manifest { return annotated(secret("create", "make", "new"), contract.PublicationKey, "second") }
	for name, c := range map[string]struct {
		end    string
		secret manifest
		want   string
	}{
		"copied":          {"Complete", annotated(ofDocument("apps", "new"), contract.ReadKey(0), "second"), "Ready"},
		"its Job is gone": {"", annotated(ofDocument("apps", "new"), contract.ReadKey(0), "second"), "Ready"},
		"not yet":         {"active", ofDocument("apps", ""), "InProgress starts"},
		"emptied":         {"Complete", ofDocument("apps", ""), "Stale complete, but its Secret has no outputs; to run it again: kubectl delete -n ns job/job-copy-apps, then apply"},
		"another one":     {"Complete", ofDocument("shop", "new"), "Stale complete, but its Secret does not exist; to run it again: kubectl delete -n ns job/job-copy-apps, then apply"},
		"replaced": {"Complete", annotated(ofDocument("apps", "new"), contract.ReadKey(0), "first"), "Stale complete, but it has read outputs of " +
			"make that were replaced since; to run it again: kubectl delete -n ns job/job-copy-apps, then apply"},
	} {
		steps := byRules(t, []manifest{made(), job("create", "make", "Complete"), copyTo("apps", c.end, "of-make"), c.secret})
		i := slices.IndexFunc(steps, func(s Step) bool { return s.Object == "job/job-copy-apps" })
		require.GreaterOrEqual(t, i, 0, name)
		assert.Equal(t, c.want, strings.TrimSpace(string(steps[i].State)+" "+steps[i].Detail), name)
	}
	steps := byRules(t, []manifest{made(), job("create", "make", "Complete"), ofDocument("apps", "new")})
	assert.Equal(t, "shop/db/copy", steps[len(steps)-1].Step, "a Secret without a copy")
}

// A single object, which is not a List, is never ready.
func TestTemplate_singleObject(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	single := without(job("create", "make", "Complete"))
	require.NoError(t, template.Must(template.New("").Parse(Template)).Execute(&out, single))
	assert.Equal(t, "status: Missing\n", out.String())
}

// printed returns a Secret with keys, as a dump prints them.
func printed(s manifest, keys ...string) manifest {
	data := manifest{}
	for _, key := range keys {
		data[key] = "dmFsdWU="
	}
	s["type"], s["data"] = "Opaque", data
	return s
}

// managed returns the metadata of a Secret with the managers of its keys, as status reads it from a cluster.
func managed(s manifest, keys ...string) manifest {
	fields := manifest{".": manifest{}}
	for _, key := range keys {
		fields["f:"+key] = manifest{}
	}
	s["metadata"].(manifest)["managedFields"] = []manifest{
		{"manager": "kubectl", "operation": "Apply", "fieldsV1": manifest{"f:metadata": manifest{}}},
		{"manager": "krm", "operation": "Update", "fieldsV1": manifest{"f:data": fields}},
	}
	return s
}

// planned returns a Job with a plan.
func planned(job manifest, plan contract.Plan) manifest {
	text, _ := json.Marshal(plan) // of strings and flags
	spec := job["spec"].(manifest)["template"].(manifest)
	spec["spec"] = manifest{"containers": []manifest{
		{"name": "x", "env": []manifest{{"name": contract.PlanVariable, "value": string(text)}}},
	}}
	return job
}

// A published Secret without a key is not ready; keys that are not known do not count.
func TestRules_keys(t *testing.T) {
	t.Parallel()
	outputs := contract.Plan{Outputs: []contract.Output{{Name: "url", Workloads: true}, {Name: "user"}}}
	copies := contract.Plan{Producers: []contract.Producer{
		{Generation: "new", Inputs: []contract.Input{{Output: "url", Workloads: true}}},
	}}
	const again = `; to run it again: kubectl delete -n ns job/job-make secret/of-make, then apply`
	for name, c := range map[string]struct {
		end  string
		keys []string
		want string
	}{
		"all keys":                   {"Complete", []string{"url", "url.new", "user", "more"}, "Ready"},
		"a key was removed":          {"Complete", []string{"url.new", "user"}, `Stale complete, but its Secret does not have the key "url"` + again},
		"the last key was removed":   {"Complete", []string{"url", "url.new"}, `Stale complete, but its Secret does not have the key "user"` + again},
		"no keys":                    {"Complete", []string{}, `Stale complete, but its Secret does not have the key "url"` + again},
		"the key of an older fork":   {"Complete", []string{"url", "url.old", "user"}, `Stale complete, but its Secret does not have the key "url.new"` + again},
		"a fork was added":           {"ready", []string{"url", "user"}, "InProgress runs"},
		"a fork was added, it waits": {"active", []string{"url", "user"}, "InProgress starts"},
	} {
		for _, show := range []func(manifest, ...string) manifest{printed, managed} {
			steps := byRules(t, []manifest{
				show(secret("create", "make", "new"), c.keys...), planned(job("create", "make", c.end), outputs),
			})
			require.Len(t, steps, 1)
			assert.Equal(t, c.want, strings.TrimSpace(string(steps[0].State)+" "+steps[0].Detail), name)
		}
	}
	steps := byRules(t, []manifest{secret("create", "make", "new"), planned(job("create", "make", "Complete"), outputs)})
	assert.Equal(t, Ready, steps[0].State, "the keys are not known")

	for want, keys := range map[State][]string{Ready: {"url", "url.new"}, Stale: {"url"}} {
		steps = byRules(t, []manifest{
			secret("create", "make", "new"), printed(in("shop", secret("create", "make", "new")), keys...),
			planned(helper("create", "copy", "Complete", manifest{contract.CopyToKey: "shop"}, "of-make"), copies),
			job("create", "make", "Complete"),
		})
		assert.Equal(t, want, (&Report{Steps: steps}).summary(), keys)
	}
}

// The command runs a stale step and all that follows from it, each object once.
func TestRules_whatFollows(t *testing.T) {
	t.Parallel()
	steps := byRules(t, []manifest{
		annotated(secret("create", "make", "new"), contract.PublicationKey, "second"), job("create", "make", "Complete"),
		annotated(secret("create", "use", "new"), contract.ReadKey(0), "first"), job("create", "use", "Complete", "of-make"),
		secret("create", "last", "new"), job("create", "last", "Complete", "of-use", "of-make"),
		without(job("create", "other", "Complete", "of-seed")), without(job("create", "end", "Complete", "of-last", "of-use")),
		helper("create", "copy", "Complete", manifest{contract.CopyToKey: "shop"}, "of-use"),
	})
	found := map[string]string{}
	for _, s := range steps {
		found[s.name()] = s.Detail
	}
	assert.Equal(t, "complete, but it has read outputs of make that were replaced since; to run it again: kubectl delete -n ns "+
		"job/job-use secret/of-use job/job-last secret/of-last job/job-end job/job-copy, then apply", found["use"])
}
