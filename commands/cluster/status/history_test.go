package status

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

func named(o manifest, name string) manifest {
	o["metadata"].(manifest)["name"] = name
	return o
}

func second(n int) string { return fmt.Sprintf("2026-01-02T03:00:%02dZ", n) }

// The Jobs that have run are the only record of a step of a plugin without outputs.
func TestJudge_plainStepsCompareJobs(t *testing.T) {
	t.Parallel()
	of := func(phase, step, name, end string, at int) manifest {
		j := made(named(without(job(phase, step, end)), name), second(at))
		if end == "Complete" {
			ended(j, second(at+1))
		}
		return j
	}
	one := func(end string, at int) manifest { return of("create", "mk", "one", end, at) }
	two := func(at int) manifest { return of("create", "mk", "two", "Complete", at) }
	other := func(at int) manifest { return of("create", "other", "other", "Complete", at) }
	rm := func(at int) manifest { return of("delete", "rm", "rm", "Complete", at) }
	render, err := renderOf(t, one("", 0))
	require.NoError(t, err)
	teardown, err := renderOf(t, rm(0))
	require.NoError(t, err)
	const again = "; to run it again: kubectl delete -n ns job/one, then apply"
	for name, c := range map[string]struct {
		render *Render
		exists []manifest
		want   string
	}{
		"once":                            {render, []manifest{one("Complete", 1)}, "Ready"},
		"two, then one":                   {render, []manifest{one("Complete", 2), two(1)}, "Ready"},
		"one, two, one":                   {render, []manifest{one("Complete", 1), two(2)}, "Stale complete, but job/two of another render may have run since" + again},
		"create, delete, create":          {render, []manifest{one("Complete", 1), rm(2)}, "Stale complete, but job/rm of the delete phase may have run since" + again},
		"delete, create":                  {render, []manifest{one("Complete", 2), rm(1)}, "Ready"},
		"another step":                    {render, []manifest{one("Complete", 1), other(2)}, "Ready"},
		"two ran longer":                  {render, []manifest{one("Complete", 1), two(1)}, "Stale complete, but job/two of another render may have run since" + again},
		"two runs":                        {render, []manifest{one("Complete", 5), of("create", "mk", "two", "ready", 1)}, "Stale complete, but job/two of another render may have run since" + again},
		"it runs":                         {render, []manifest{one("ready", 1), two(2)}, "InProgress runs"},
		"create, delete":                  {teardown, []manifest{one("Complete", 1), rm(2)}, "Ready"},
		"create, delete, create, delete?": {teardown, []manifest{one("Complete", 3), rm(2)}, "Stale complete, but job/one of the create phase may have run since; to run it again: kubectl delete -n ns job/rm, then apply"},
	} {
		report := c.render.Judge(list(t, c.exists...))
		require.Len(t, report.Steps, 1)
		got := string(report.Steps[0].State)
		if report.Steps[0].Detail != "" {
			got += " " + report.Steps[0].Detail
		}
		assert.Equal(t, c.want, got, name)
	}
}

func withTTL(job manifest) manifest {
	job["spec"].(manifest)["ttlSecondsAfterFinished"] = 1
	return job
}

// With a TTL, only a Secret tells that a Job has ended that does not exist any more.
func TestJudge_jobsThatAreGone(t *testing.T) {
	t.Parallel()
	plain := withTTL(without(job("create", "mk", "")))
	withSecret := withTTL(job("create", "make", ""))
	copying := withTTL(helper("create", "copy", "", manifest{contract.CopyToKey: "shop"}, "of-make"))
	render, err := renderOf(t, plain, withSecret, secret("create", "make", ""), copying, in("shop", secret("create", "make", "")))
	require.NoError(t, err)
	states := func(report *Report) map[string]State {
		found := map[string]State{}
		for _, s := range report.Steps {
			found[s.name()] = s.State
		}
		return found
	}
	report := render.Judge(list(t, secret("create", "make", "new"), in("shop", secret("create", "make", "new"))))
	assert.Equal(t, Unknown, report.Status)
	assert.Equal(t, map[string]State{"mk": Unknown, "make": Ready, "copy": Ready}, states(report))
	assert.Contains(t, report.Steps[0].Detail, "cannot be known; applying the render runs it again")
	assert.False(t, Unknown.NeedsUser())

	report = render.Judge(list(t, secret("create", "make", ""), in("shop", secret("create", "make", ""))))
	assert.Equal(t, Missing, report.Status)
	assert.Equal(t, map[string]State{"mk": Unknown, "make": Missing, "copy": Unknown}, states(report))

	forever, err := renderOf(t, without(job("create", "mk", "")))
	require.NoError(t, err)
	assert.Equal(t, Missing, forever.Judge(&Objects{}).Status)
}

// A wait sees the end of a Job that is removed between two looks.
func TestMemory(t *testing.T) {
	t.Parallel()
	plain := func(end string) manifest { return withTTL(without(job("create", "mk", end))) }
	render, err := renderOf(t, plain(""))
	require.NoError(t, err)
	event := func(reason, uid string) manifest {
		return manifest{
			"apiVersion": "v1", "kind": "Event", "metadata": manifest{"name": "e", "namespace": "ns"}, "type": "Normal", "reason": reason,
			"message": "Job has ended", "involvedObject": manifest{"kind": "Job", "name": "job-mk", "namespace": "ns", "uid": uid},
		}
	}
	for name, c := range map[string]struct {
		first string
		event manifest
		want  State
	}{
		"its end was seen":       {"Complete", nil, Ready},
		"its failure was seen":   {"Failed", nil, Failed},
		"an event tells its end": {"ready", event("Completed", "1"), Ready},
		"an event of a failure":  {"ready", event("BackoffLimitExceeded", "1"), Failed},
		"an event of an older":   {"ready", event("Completed", "0"), Unknown},
		"no event yet":           {"ready", nil, Unknown},
	} {
		memory := &Memory{}
		memory.See(list(t, plain(c.first)))
		now := &Objects{}
		if c.event != nil {
			now = list(t, c.event)
		}
		assert.Equal(t, c.first == "ready", len(memory.Gone(now)) > 0, name)
		memory.Restore(now)
		assert.Equal(t, c.want, render.Judge(now).Status, name)
		if c.want == Ready {
			later := &Objects{}
			assert.Empty(t, memory.Gone(later), name)
			memory.Restore(later)
			assert.Equal(t, Ready, render.Judge(later).Status, name)
		}
		again := list(t, plain("ready"))
		memory.Restore(again)
		assert.Equal(t, InProgress, render.Judge(again).Status, name)
	}
}
