package status

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// ledgerWorld simulates a cluster with the helpers: "use" reads "make", "only" reads "use" and has no outputs, and outputs of
// "use" are copied to the namespace "shop". Values record which run made them, and from which values. Status does not see them.
type ledgerWorld struct {
	random  *rand.Rand
	param   string // of the render that was applied last
	forked  bool   // a fork beside the steps reads "use"
	jobs    map[string]*ledgerJob
	secrets map[string]*ledgerSecret
	clock   int
}

type ledgerJob struct {
	step, generation, end string
	forked                bool
	made                  int
}

type ledgerSecret struct {
	generation, published, publication, read string
	value                                    string
	keys                                     map[string]bool
}

var ledgerSteps = []string{"make", "use", "only", "copy"}

// producerOf returns the step that a step reads.
var ledgerProducer = map[string]string{"use": "make", "only": "use", "copy": "use"}

func generationOf(step, param string) string {
	return strings.Replace(step, "copy", "use", 1) + "-" + param
}

// jobName returns the name of a step's Job, which changes with everything in its spec.
func (w *ledgerWorld) jobName(step string) string {
	name := "job-" + step + "-" + w.param
	if w.forked {
		name += "-forked"
	}
	return name
}

// apply applies a render, as kubectl does: Secrets keep their data, and Jobs that exist do not change.
func (w *ledgerWorld) apply(prune bool) {
	rendered := map[string]bool{}
	for _, step := range ledgerSteps {
		if w.secrets[step] == nil {
			w.secrets[step] = &ledgerSecret{keys: map[string]bool{}}
		}
		w.secrets[step].generation = generationOf(step, w.param)
		name := w.jobName(step)
		if rendered[name] = true; w.jobs[name] == nil {
			w.clock++
			w.jobs[name] = &ledgerJob{step: step, generation: generationOf(step, w.param), forked: w.forked, made: w.clock}
		}
	}
	if prune {
		maps.DeleteFunc(w.jobs, func(name string, _ *ledgerJob) bool { return !rendered[name] })
	}
}

// work runs the Pod of a Job that has not ended, as the helpers do.
func (w *ledgerWorld) work(j *ledgerJob) {
	s, from := w.secrets[j.step], w.secrets[ledgerProducer[j.step]]
	switch {
	case s == nil:
		return
	case s.generation != j.generation:
		j.end = "Failed"
		return
	case s.published == j.generation && j.step != "copy":
		if j.end = "Complete"; j.forked && j.step == "use" && s.keys["value"] {
			s.keys[contract.WorkloadKey("value", j.generation)] = true
		}
		return
	case ledgerProducer[j.step] != "" && (from == nil || from.published != generationOf(ledgerProducer[j.step], j.param())):
		return // waits
	case from != nil && !from.keys["value"]:
		j.end = "Failed"
		return
	}
	w.clock++
	s.published, s.read, s.keys = j.generation, "", map[string]bool{"value": j.step != "only"}
	s.publication, s.value = fmt.Sprint("run-", w.clock), fmt.Sprintf("%s#%d", j.generation, w.clock)
	if from != nil {
		s.read, s.value = from.publication, j.generation+"("+from.value+")"
	}
	if j.step == "copy" {
		s.publication, s.read, s.value = from.publication, "", from.value
	}
	if j.step == "copy" || j.step == "use" && j.forked {
		s.keys[contract.WorkloadKey("value", j.generation)] = true
	}
	j.end = "Complete"
}

func (j *ledgerJob) param() string { return j.generation[strings.Index(j.generation, "-")+1:] }

// act does something that a person, a tool or the cluster does.
func (w *ledgerWorld) act() {
	step := ledgerSteps[w.random.IntN(len(ledgerSteps))]
	switch w.random.IntN(12) {
	case 0:
		w.param = []string{"one", "two"}[w.random.IntN(2)]
		w.apply(w.random.IntN(2) > 0)
	case 1:
		w.forked = !w.forked
		w.apply(w.random.IntN(2) > 0)
	case 2:
		w.apply(true)
	case 3:
		delete(w.secrets, step)
	case 4:
		delete(w.jobs, w.jobName(step)) // by hand, or by a TTL
	case 5:
		delete(w.secrets, step)
		delete(w.jobs, w.jobName(step))
		w.apply(false)
	case 6:
		if s := w.secrets[step]; s != nil {
			delete(s.keys, "value")
		}
	default:
		for range 4 {
			for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
				if j := w.jobs[name]; j.end == "" {
					w.work(j)
				}
			}
		}
	}
}

// hasJobs reports whether all Jobs of the render exist.
func (w *ledgerWorld) hasJobs() bool {
	return !slices.ContainsFunc(ledgerSteps, func(step string) bool { return w.jobs[w.jobName(step)] == nil })
}

// differs returns the first difference between the cluster and the render, or "".
func (w *ledgerWorld) differs() string {
	for _, step := range ledgerSteps {
		s, generation := w.secrets[step], generationOf(step, w.param)
		switch from := w.secrets[ledgerProducer[step]]; {
		case s == nil:
			return step + " has no Secret"
		case !strings.HasPrefix(s.value, generation):
			return step + " has the value " + s.value
		case step != "only" && !s.keys["value"]:
			return step + " has lost its value"
		case (step == "copy" || step == "use" && w.forked) && !s.keys[contract.WorkloadKey("value", generation)]:
			return "a fork cannot read " + step
		case step == "copy" && s.value != from.value, from != nil && step != "copy" && !strings.Contains(s.value, "("+from.value+")"):
			return step + " is of another value than " + from.value + ": " + s.value
		}
	}
	return ""
}

// objects returns the objects as kubectl prints them, or with rendered those of the render.
func (w *ledgerWorld) objects(rendered bool) (all []manifest) {
	for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
		if j := w.jobs[name]; !rendered {
			all = append(all, w.job(name, j))
		}
	}
	for _, step := range ledgerSteps {
		if rendered {
			name := w.jobName(step)
			all = append(all, w.job(name, &ledgerJob{step: step, generation: generationOf(step, w.param), forked: w.forked}),
				w.secret(step, &ledgerSecret{generation: generationOf(step, w.param)}))
		} else if s := w.secrets[step]; s != nil {
			keys := slices.DeleteFunc(slices.Collect(maps.Keys(s.keys)), func(key string) bool { return !s.keys[key] })
			all = append(all, printed(w.secret(step, s), keys...))
		}
	}
	return all
}

func (w *ledgerWorld) secret(step string, s *ledgerSecret) manifest {
	of := strings.Replace(step, "copy", "use", 1)
	m := secret("create", of, s.published)
	annotated(m, contract.GenerationKey, s.generation)
	for key, value := range map[string]string{contract.PublicationKey: s.publication, contract.ReadKey(0): s.read} {
		if value != "" {
			annotated(m, key, value)
		}
	}
	if step == "copy" {
		in("shop", m)
	}
	return m
}

func (w *ledgerWorld) job(name string, j *ledgerJob) manifest {
	var reads []string
	plan := contract.Plan{Step: j.step, Generation: j.generation}
	if from := ledgerProducer[j.step]; from != "" {
		reads = append(reads, "of-"+from)
		plan.Producers = []contract.Producer{{
			Step: from, Generation: generationOf(from, j.param()), Inputs: []contract.Input{{Output: "value", Workloads: j.step == "copy"}},
		}}
	}
	if j.step == "make" || j.step == "use" {
		plan.Outputs = []contract.Output{{Name: "value", Workloads: j.step == "use" && j.forked}}
	}
	one := job("create", j.step, j.end, reads...)
	if j.step == "copy" {
		one = helper("create", "copy", j.end, manifest{contract.CopyToKey: "shop"}, reads...)
	}
	metadata := one["metadata"].(manifest)
	metadata["name"], metadata["creationTimestamp"] = name, time.Unix(int64(j.made), 0).UTC().Format(time.RFC3339)
	return planned(annotated(one, contract.GenerationKey, j.generation), plan)
}

// In no world is status Ready while the values differ from those of the render.
func TestStatus_agreesWithTheLedger(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	ready, others := 0, 0
	for i := range 2000 {
		w := &ledgerWorld{random: random, param: "one", jobs: map[string]*ledgerJob{}, secrets: map[string]*ledgerSecret{}}
		w.apply(false)
		for range 2 + random.IntN(14) {
			w.act()
		}
		render, err := renderOf(t, w.objects(true)...)
		require.NoError(t, err)
		exists := list(t, w.objects(false)...)
		reports := []*Report{render.Judge(exists)}
		if w.hasJobs() { // without a render, the Job of a step says which keys its Secret must have
			reports = append(reports, exists.Judge(nil))
		}
		for _, report := range reports {
			if others++; report.Status == Ready {
				ready++
				require.Empty(t, w.differs(), "world %d: %+v", i, report.Steps)
			}
		}
	}
	assert.Greater(t, ready, 500)
	assert.Greater(t, others-ready, 500)
}
