package test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func ref(name string) cluster.Ref { return cluster.Ref{Namespace: "ns", Name: name} }

// provision is a step that publishes one output, and appends a line to the file ran for each run.
func provision() step {
	return step{
		plan: contract.Plan{
			Step: "provision", Generation: "g1", StartTimeoutSeconds: 30,
			Outputs: []contract.Output{{Name: "dsn", Path: "@/tmp/out/dsn"}},
		},
		output: "provision",
		script: "#!/bin/sh\necho ran >> @/ran\nprintf 'postgres://" + marker + "\\n' > @/tmp/out/dsn\n",
	}
}

// seed is a step that reads the output of provision as a file and publishes it.
func seed() step {
	return step{
		plan: contract.Plan{
			Step: "seed", Generation: "g2", StartTimeoutSeconds: 30,
			Outputs: []contract.Output{{Name: "seen", Path: "@/tmp/seen"}},
			Producers: []contract.Producer{{
				Step: "provision", Generation: "g1", Inputs: []contract.Input{{Output: "dsn", File: "provision/dsn"}},
			}},
		},
		secrets: []string{"provision"}, output: "seed",
		script: "#!/bin/sh\necho ran >> @/ran\ncat @/io/inputs/provision/dsn > @/tmp/seen\n",
	}
}

// render applies the Secrets as the renderer prints them.
func render(server *Server, steps ...step) {
	for _, step := range steps {
		server.Apply(ref(step.output), map[string]string{contract.GenerationKey: step.plan.Generation})
	}
}

func requirePublished(t *testing.T, server *Server, name, generation, key string) {
	t.Helper()
	secret := server.Get(ref(name))
	require.Equal(t, generation, secret.Annotation(contract.PublishedKey))
	require.Empty(t, secret.Annotation(contract.FailedKey))
	require.Equal(t, map[string][]byte{key: []byte("postgres://" + marker + "\n")}, secret.Data)
}

// requireFailed checks that a failed step has published nothing and is recorded as failed.
func requireFailed(t *testing.T, p *pod) {
	t.Helper()
	secret := p.server.Get(ref(p.step.output))
	require.Empty(t, secret.Data, p.log)
	require.Empty(t, secret.Annotation(contract.PublishedKey))
	require.Equal(t, p.step.plan.Generation, secret.Annotation(contract.FailedKey), p.log)
	requireSecrecy(t, p)
}

func requireSecrecy(t *testing.T, p *pod) {
	t.Helper()
	require.NotContains(t, p.log.String(), marker)
	require.NotContains(t, p.message(), marker)
}

func TestTwoStepsAtTheSameTime(t *testing.T) {
	t.Parallel()
	for i := range checkout.Rounds(4) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			producer, consumer := newPod(t, server, provision()), newPod(t, server, seed())
			render(server, producer.step, consumer.step)
			var group sync.WaitGroup
			first, second := producer, consumer
			if i%2 == 1 {
				first, second = consumer, producer
			}
			for _, p := range []*pod{first, second} {
				group.Go(func() { assert.Equal(t, success, p.play(), p.log) })
				time.Sleep(time.Duration(i) * 20 * time.Millisecond)
			}
			group.Wait()
			requirePublished(t, server, "provision", "g1", "dsn")
			requirePublished(t, server, "seed", "g2", "seen")
			requireSecrecy(t, producer)
			requireSecrecy(t, consumer)
		})
	}
}

func TestUsesOnlyGrantedVerbs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), seed())
	require.Equal(t, success, newPod(t, server, provision()).play())
	require.Equal(t, success, newPod(t, server, seed()).play())
	for _, call := range server.Calls() {
		if call.Verb == "watch" {
			assert.Equal(t, ref("provision"), call.Object)
			continue
		}
		assert.Equal(t, "patch", call.Verb)
	}
}

func TestPublishedStepDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), seed())
	require.Equal(t, success, newPod(t, server, provision()).play())
	require.Equal(t, success, newPod(t, server, seed()).play())
	before := server.Get(ref("provision"))
	for _, step := range []step{provision(), seed()} {
		again := newPod(t, server, step)
		require.Equal(t, success, again.play(), again.log)
		assert.False(t, again.exists("ran"))
		assert.Contains(t, again.log.String(), "already published")
	}
	assert.Equal(t, before, server.Get(ref("provision")))

	server.Remove(ref("provision"))
	server.Apply(ref("provision"), nil)
	orphan := newPod(t, server, seed())
	require.Equal(t, success, orphan.play(), "a published consumer needs nothing of its producer")
	info, err := os.Stat(filepath.Join(orphan.folder, "io/inputs/provision/dsn"))
	require.NoError(t, err, "a subPath mount needs a file")
	assert.True(t, info.Mode().IsRegular())

	changed := provision()
	changed.plan.Generation = "g1b"
	render(server, changed)
	newer := newPod(t, server, changed)
	require.Equal(t, success, newer.play(), newer.log)
	assert.True(t, newer.exists("ran"))
	requirePublished(t, server, "provision", "g1b", "dsn")
}

// Each publication has another name, and a reader records which one it has read, with outputs or without.
func TestReadersRecordPublications(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	silent := seed()
	silent.plan.Step, silent.plan.Outputs, silent.output = "silent", nil, "silent"
	target := cluster.Ref{Namespace: "apps", Name: "provision"}
	seen := map[string]bool{}
	for range 2 {
		render(server, provision(), seed(), silent)
		server.Apply(target, map[string]string{contract.GenerationKey: "g1"})
		for _, step := range []step{provision(), seed(), silent} {
			step.script = strings.Replace(step.script, "> @/tmp/seen", "> @/tmp/seen; ls @/tmp", 1)
			p := newPod(t, server, step)
			require.Equal(t, success, p.play(), p.log)
		}
		job := copies()
		job.plan.Producers[0].Copies = []string{"apps"}
		require.Zero(t, newPod(t, server, job).start("copy").wait())
		publication := server.Get(ref("provision")).Annotation(contract.PublicationKey)
		require.Len(t, publication, 26)
		assert.False(t, seen[publication])
		seen[publication] = true
		assert.Equal(t, publication, server.Get(ref("seed")).Annotation(contract.ReadKey(0)))
		assert.NotEqual(t, publication, server.Get(ref("seed")).Annotation(contract.PublicationKey))
		assert.Equal(t, publication, server.Get(ref("silent")).Annotation(contract.ReadKey(0)))
		assert.Equal(t, publication, server.Get(target).Annotation(contract.PublicationKey))
		for _, name := range []string{"provision", "seed", "silent"} {
			server.Remove(ref(name))
		}
	}
}

// Another Pod publishes while this one waits for its input.
func TestPublishedWhileWaiting(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), seed())
	late := newPod(t, server, seed())
	inputs := late.start("inputs")
	late.waitForLog("waiting for step")
	server.Apply(ref("seed"), map[string]string{contract.PublishedKey: "g2"})
	require.Equal(t, success, newPod(t, server, provision()).play())
	require.Zero(t, inputs.wait(), late.log)
	require.Zero(t, late.main().wait(), late.log)
	assert.False(t, late.exists("ran"))
}

func TestStepsThatFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*step)
		want   ending
		text   string
	}{
		"exit 1":    {func(s *step) { s.script += "exit 1\n" }, ending{0, 1, 1}, "main exited with 1"},
		"SIGKILL":   {func(s *step) { s.script += "kill -9 $$\n" }, ending{0, 137, 1}, "main exited with 137"},
		"runner":    {func(s *step) { s.script += "kill -9 $PPID\nexec sleep 9\n" }, ending{0, 137, 1}, "main was killed before"},
		"no output": {func(s *step) { s.script += "rm @/tmp/out/dsn\n" }, ending{0, 1, 1}, "main exited with 1"},
		"too large": {
			func(s *step) { s.script += "head -c 1048577 /dev/zero > @/tmp/out/dsn\n" }, ending{0, 1, 1},
			"main exited with 1",
		},
		"command": {
			func(s *step) { s.command, s.plan.StartTimeoutSeconds = "/none", 1 }, ending{0, 128, 1},
			"main did not start within 1s",
		},
		"no image": {
			func(s *step) { s.image, s.plan.StartTimeoutSeconds = never, 1 }, ending{0, -1, 1},
			"main did not start within 1s",
		},
		"late image": {
			func(s *step) { s.image, s.plan.StartTimeoutSeconds = tooLate, 1 }, ending{0, 1, 1}, "main did not start within 1s",
		},
		"planted link": {
			func(s *step) { s.script += "ln -sf @/../token @/io/outputs/dsn\nrm @/io/exit\nkill -9 $PPID\n" },
			ending{0, 137, 1}, "main was killed before",
		},
		"forged exit": {
			func(s *step) {
				s.script += "ln -sf /etc/passwd @/io/outputs/dsn\necho -n 0 > @/io/exit\nkill -9 $PPID\nexec sleep 9\n"
			},
			ending{0, 137, 1}, `cannot read output "dsn"`,
		},
	} {
		for i := range checkout.Rounds(1) {
			t.Run(fmt.Sprintf("%s %d", name, i), func(t *testing.T) {
				t.Parallel()
				server := newServer(t)
				step := provision()
				test.change(&step)
				render(server, step, seed())
				p, consumer := newPod(t, server, step), newPod(t, server, seed())
				waiting := consumer.start("inputs")
				require.Equal(t, test.want, p.play(), p.log)
				assert.Contains(t, p.message(), test.text)
				requireFailed(t, p)
				require.Equal(t, 1, waiting.wait())
				assert.Contains(t, consumer.message(), `step "provision" failed`)
				requireFailed(t, consumer)
				assert.False(t, consumer.exists("ran"))
				if step.image != atOnce || step.command != "" {
					assert.False(t, p.exists("ran"))
				}
			})
		}
	}
}

// A Pod waits for its Role and its Secret as long as main may take to start, within limits, and logs the missing one.
func TestPodStartsBeforeItsObjectsAreApplied(t *testing.T) {
	t.Parallel()
	for startTimeout, limit := range map[int]string{1: "1m0s", 60: "1m0s", 200: "3m20s", 0: "5m0s", 900: "5m0s"} {
		t.Run(strconv.Itoa(startTimeout), func(t *testing.T) {
			t.Parallel()
			server, step := newServer(t), provision()
			step.plan.StartTimeoutSeconds = startTimeout
			server.Deny("patch", ref("provision"))
			p := newPod(t, server, step)
			p.timing.ApplyTimeout = 0
			inputs := p.start("inputs")
			p.waitForLog(`403 Forbidden: a Role must grant the Pod's ServiceAccount "patch" on it; trying again for ` + limit + ", since ")
			server.Allow("patch", ref("provision"))
			render(server, step)
			require.Equal(t, 0, inputs.wait(), p.log)
			assert.Equal(t, 1, strings.Count(p.log.String(), "trying again"), p.log)
			assert.Empty(t, p.message())
		})
	}
}

func TestObjectsThatAreNeverApplied(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(*Server, step)
		want    string
	}{
		"Role":   {func(s *Server, step step) { render(s, step); s.Deny("patch", ref(step.output)) }, "a Role must grant"},
		"Secret": {func(*Server, step) {}, "must be applied with the Job"},
		"Secret of another generation": {func(s *Server, step step) {
			s.Apply(ref(step.output), map[string]string{contract.GenerationKey: "g0"})
		}, `is for generation "g0"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, step := newServer(t), provision()
			test.prepare(server, step)
			p := newPod(t, server, step)
			p.timing.ApplyTimeout = 100 * time.Millisecond
			require.Equal(t, ending{1, -1, -1}, p.play(), p.log)
			assert.Contains(t, p.message(), test.want)
			assert.Contains(t, p.log.String(), test.want)
			assert.Contains(t, p.log.String(), "; trying again for 100ms, since it may be applied later")
			assert.False(t, p.exists("ran"))
		})
	}
}

func TestNextRunRemovesAnEarlierFailure(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	broken := provision()
	broken.script += "exit 1\n"
	render(server, broken)
	require.Equal(t, ending{0, 1, 1}, newPod(t, server, broken).play())
	require.Equal(t, success, newPod(t, server, provision()).play())
	requirePublished(t, server, "provision", "g1", "dsn")
}

func TestOnlyTheLastAttemptStopsConsumers(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	step := provision()
	step.plan.Attempts = 2
	step.script += "exit 1\n"
	render(server, step)
	first := newPod(t, server, step)
	require.Equal(t, ending{0, 1, 1}, first.play())
	require.Empty(t, server.Get(ref("provision")).Annotation(contract.FailedKey))
	second := newPod(t, server, step)
	require.Equal(t, ending{0, 1, 1}, second.play())
	requireFailed(t, second)
}

// The runner starts at the time of the start timeout: either the script runs and is published, or it never runs.
func TestStartAtTheTimeout(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for i := range checkout.Rounds(6) {
		delay := 980*time.Millisecond + time.Duration(random.IntN(60))*time.Millisecond
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			step := provision()
			step.delay, step.plan.StartTimeoutSeconds = delay, 1
			render(server, step)
			p := newPod(t, server, step)
			got := p.play()
			if p.exists("ran") {
				require.Equal(t, success, got, p.log)
				requirePublished(t, server, "provision", "g1", "dsn")
				return
			}
			require.Equal(t, ending{0, 1, 1}, got, p.log)
			requireFailed(t, p)
		})
	}
}

// An API server that fails at random, stops and freezes never causes a false success or a lost output.
func TestUnreliableAPIServer(t *testing.T) {
	t.Parallel()
	faults := []Fault{
		Cut, Status(429, marker), Status(500, marker), Status(504, marker),
		Hang(""), Garbage(marker), CutWithin(marker), Status(403, marker), Body(marker),
		Status(409, marker),
	}
	for i := range checkout.Rounds(5) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			random := checkout.RandomStream(t, uint64(i))
			server := newServer(t)
			server.Inject(func(call Call) Fault {
				switch draw := random.IntN(24); {
				case draw < len(faults):
					return faults[draw]
				case draw < 14 && call.Verb == "patch":
					return CutAfter
				case draw < 15 && call.Verb == "patch":
					return Late(time.Second)
				default:
					return nil
				}
			})
			playWithFaults(t, server, time.Duration(i%20)*20*time.Millisecond)
		})
	}
}

func playWithFaults(t *testing.T, server *Server, delay time.Duration) {
	t.Helper()
	producer, consumer := newPod(t, server, provision()), newPod(t, server, seed())
	producer.timing, consumer.timing = shortest, fast
	render(server, producer.step, consumer.step)
	var group sync.WaitGroup
	group.Go(func() { assert.Equal(t, success, producer.play(), producer.log) })
	group.Go(func() { assert.Equal(t, success, consumer.play(), consumer.log) })
	time.Sleep(delay)
	up := server.Down()
	time.Sleep(100 * time.Millisecond)
	up()
	server.Freeze()
	time.Sleep(delay)
	server.Unfreeze()
	group.Wait()
	requirePublished(t, server, "provision", "g1", "dsn")
	requirePublished(t, server, "seed", "g2", "seen")
	requireSecrecy(t, producer)
	requireSecrecy(t, consumer)
}

// A Pod that is being terminated may be replaced, so it must not record a failure.
func TestTermination(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	render(server, provision(), seed())

	waiting := newPod(t, server, seed())
	inputs := waiting.start("inputs")
	waiting.waitForLog("waiting for step")
	inputs.terminate()
	require.Equal(t, 143, inputs.wait(), waiting.log)
	assert.Contains(t, waiting.message(), "the Pod is being terminated")
	assert.Empty(t, server.Get(ref("seed")).Annotation(contract.FailedKey))
	assert.NotContains(t, waiting.log.String(), "cannot record the failure")

	pending := newPod(t, server, provision())
	require.Zero(t, pending.start("inputs").wait())
	outputs := pending.start("outputs")
	pending.waitForLog("waiting for main to start")
	outputs.terminate()
	require.Equal(t, 143, outputs.wait(), pending.log)
	require.Equal(t, 1, pending.main().wait())
	assert.False(t, pending.exists("ran"))
	assert.Empty(t, server.Get(ref("provision")).Annotation(contract.FailedKey))
}

func TestTerminationContext(t *testing.T) {
	ctx := termination.Context(t.Context())
	require.NoError(t, ctx.Err())
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ctx.Done()
	assert.ErrorIs(t, context.Cause(ctx), termination.Err)
}

// The outputs of a script that succeeds after SIGTERM are published. A failure is not recorded, even if main has the signal
// before the output manager: the Job may replace the Pod.
func TestTerminationWhileTheScriptRuns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		trap      string
		want      ending
		mainFirst bool
	}{
		"success":             {"trap 'exit 0' TERM", success, false},
		"success, main first": {"trap 'exit 0' TERM", success, true},
		"error":               {"trap 'exit 1' TERM", ending{0, 1, 1}, false},
		"error, main first":   {"trap 'exit 1' TERM", ending{0, 1, 1}, true},
		"killed, main first":  {"", ending{0, 143, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, step := newServer(t), provision()
			step.script += test.trap + "\necho > @/ready\nwhile :; do sleep 0.1; done\n"
			render(server, step)
			p := newPod(t, server, step)
			require.Zero(t, p.start("inputs").wait())
			main, outputs := p.main(), p.start("outputs")
			require.Eventually(t, func() bool { return p.exists("ready") }, enough, time.Millisecond)
			p.waitForLog("waiting for main to start")
			if !test.mainFirst {
				outputs.terminate()
			}
			main.terminate()
			code := main.wait()
			time.Sleep(100 * time.Millisecond) // in which a failure would be recorded
			outputs.terminate()
			require.Equal(t, test.want, ending{0, code, outputs.wait()}, p.log)
			assert.Empty(t, server.Get(ref("provision")).Annotation(contract.FailedKey))
			if test.want == success {
				requirePublished(t, server, "provision", "g1", "dsn")
			}
		})
	}
}

// A script can signal its own process group, which includes the runner. That does not end the Pod, so the failure is recorded.
func TestScriptThatSignalsMain(t *testing.T) {
	t.Parallel()
	server, step := newServer(t), provision()
	step.script += "kill -TERM $PPID\nsleep 1\nexit 3\n"
	render(server, step)
	p := newPod(t, server, step)
	p.terminationGrace = 100 * time.Millisecond
	require.Equal(t, ending{0, 143, 1}, p.play(), p.log)
	requireFailed(t, p)
}

// A step without outputs that others wait for, such as a delete step, only records its generation.
func TestStepWithoutOutputs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	step := provision()
	step.plan.Outputs = nil
	step.script = "#!/bin/sh\n"
	render(server, step)
	require.Equal(t, success, newPod(t, server, step).play())
	assert.Equal(t, "g1", server.Get(ref("provision")).Annotation(contract.PublishedKey))
	assert.Empty(t, server.Get(ref("provision")).Data)
}

// A step that only reads has no Secret and no output manager.
func TestStepWithOnlyInputs(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	step := seed()
	step.output, step.plan.Outputs = "", nil
	render(server, provision())
	require.Equal(t, success, newPod(t, server, provision()).play())
	reader := newPod(t, server, step)
	require.Equal(t, success, reader.play(), reader.log)
	assert.True(t, reader.exists("tmp/seen"))
}
