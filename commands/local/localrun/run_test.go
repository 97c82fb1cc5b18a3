package localrun_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/build"
)

// oneStep returns a plugin with one step that has an output.
func oneStep(script string) string {
	return plugin("- name: a\n  script: |\n" + indented(script, 4) + "  outputs: [{name: x, valueFromPath: /outputs/x}]\n")
}

func TestRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		documents string
		params    map[string]string
		want      string
	}{
		"output": {
			oneStep("#!/bin/sh\nprintf %s hello > /outputs/x"), nil,
			"a done 0\n  x=\"hello\"",
		},
		"without a first line": {
			oneStep("echo hello > /outputs/x"), nil,
			"a done 0\n  x=\"hello\\n\"",
		},
		"exit code": {
			oneStep("#!/bin/sh\nexit 7"), nil,
			`a failed 7 step "a": the script exited with 7`,
		},
		"killed": {
			oneStep("#!/bin/sh\nkill -9 $$"), nil,
			`a failed 137 step "a": the script was killed by SIGKILL`,
		},
		"missing output": {
			oneStep("#!/bin/sh\n:"), nil,
			`a failed 1 step "a": output "x" from "/outputs/x": the script must write this file, but it does not exist`,
		},
		"missing interpreter": {
			oneStep("#!/nowhere/python\nprint()"), nil,
			`a failed 127 step "a": the script's interpreter "/nowhere/python" is not in the image`,
		},
		"missing program of env": {
			oneStep("#!/usr/bin/env nowhere\nprint()"), nil,
			`a failed 127 step "a": the script exited with 127: its interpreter "nowhere" is not in the image`,
		},
		"output is a folder": {
			oneStep("#!/bin/sh\nmkdir /outputs/x"), nil,
			`a failed 1 step "a": output "x" from "/outputs/x": it must be a regular file, not a folder`,
		},
		"1 MiB": {
			oneStep("#!/bin/sh\nhead -c 1048576 /dev/zero > /outputs/x"), nil,
			"a done 0\n  x=\"1048576 bytes\"",
		},
		"more than 1 MiB": {
			oneStep("#!/bin/sh\nhead -c 1048577 /dev/zero > /outputs/x"), nil,
			`a failed 1 step "a": outputs must not have more than 1048576 bytes in total, the limit of a Secret`,
		},
		"binary": {
			oneStep(`#!/bin/sh
printf '\000\377\012' > /outputs/x`), nil,
			"a done 0\n  x=\"\\x00\\xff\\n\"",
		},
		"carriage returns": {
			plugin("- name: a\n  script: \"#!/bin/sh\\r\\necho\\r\\n\"\n  outputs: [{name: x, valueFromPath: /outputs/x}]\n"), nil,
			`refused: spec.create[0].script: the first line must not end in a carriage return`,
		},
		"message of the script": {
			oneStep("#!/bin/sh\necho 'no room' > /dev/termination-log\nexit 3"), nil,
			`a failed 3 no room step "a": the script exited with 3`,
		},
		"without data flow": {
			plugin("- name: a\n  script: |\n    #!/bin/sh\n    exit 4\n- name: b\n  script: |\n    exit 0\n"), nil,
			"a failed 4 main exited with 4\nb done 0",
		},
		"params": {
			plugin(`
- name: a
  inputs:
  - {name: e, valueFromSandbox: true, as: {env: E}}
  - {name: f, valueFromSandbox: true, as: {path: /etc/some/where.txt}}
  script: |
    #!/bin/sh
    printf %s "$E" > /outputs/e
    cp /etc/some/where.txt /outputs/f
  outputs: [{name: e, valueFromPath: /outputs/e}, {name: f, valueFromPath: /outputs/f}]
`), map[string]string{"e": `$E $(E) $$ "ü" 数`, "f": "two\nlines $(F)"},
			"a done 0\n  e=\"$E $(E) $$ \\\"ü\\\" 数\"\n  f=\"two\\nlines $(F)\"",
		},
		"fan-out and fan-in": {
			plugin(`
- name: a
  script: |
    #!/bin/sh
    printf %s 'a$(b)$' > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: b
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {env: X}}]
  script: |
    #!/bin/sh
    printf %s "b<$X>" > /outputs/y
  outputs: [{name: out, valueFromPath: /outputs/y}]
- name: c
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {path: /deep/er/x}}]
  script: |
    #!/bin/sh
    printf %s "c<$(cat /deep/er/x)>" > /var/lib/made/y
  outputs: [{name: out, valueFromPath: /var/lib/made/y}]
- name: d
  inputs:
  - {name: b, valueFromStep: {name: b, output: out}, as: {env: B}}
  - {name: c, valueFromStep: {name: c, output: out}, as: {env: C}}
  script: |
    #!/bin/sh
    printf %s "$B$C" > /outputs/z
  outputs: [{name: z, valueFromPath: /outputs/z}]
`), nil,
			"a done 0\n  x=\"a$(b)$\"\nb done 0\n  out=\"b<a$(b)$>\"\nc done 0\n  out=\"c<a$(b)$>\"\nd done 0\n  z=\"b<a$(b)$>c<a$(b)$>\"",
		},
		"failed producer": {
			plugin(`
- name: a
  script: |
    #!/bin/sh
    exit 2
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: b
  inputs: [{name: x, valueFromStep: {name: a, output: x}}]
  script: |
    #!/bin/sh
  outputs: [{name: out, valueFromPath: /outputs/y}]
- name: c
  inputs: [{name: out, valueFromStep: {name: b, output: out}}]
  script: |
    #!/bin/sh
- name: d
  script: |
    #!/bin/sh
    echo > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
`), nil,
			`a failed 2 step "a": the script exited with 2
b failed 1 step "b": step "a" failed and its outputs are needed: see its Job and its Pod's termination message
c failed 1 step "c": step "b" failed and its outputs are needed: see its Job and its Pod's termination message
d done 0
  x="\n"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := newWorld(t).try(c.documents, with(c.params))
			if text, refused := strings.CutPrefix(c.want, "refused: "); refused {
				require.ErrorContains(t, err, text)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, summary(report))
		})
	}
}

func TestRun_endsScriptsAtTheirDeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ documents, want string }{
		"with data flow": {
			pluginWith("spec: {activeDeadlineSeconds: 1}",
				"- name: a\n  script: |\n    #!/bin/sh\n    sleep 100\n  outputs: [{name: x, valueFromPath: /outputs/x}]", ""),
			`a failed 124 step "a": the script timed out after 1s: raise stepTimeoutSeconds of render-phase, or ` +
				`activeDeadlineSeconds of the overlay`,
		},
		"without": {
			pluginWith("spec: {activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 100}",
				"- name: a\n  script: |\n    #!/bin/sh\n    sleep 100", ""),
			"a failed 143 Pod was active on the node longer than the specified deadline",
		},
		"that ignore SIGTERM": {
			pluginWith("spec: {activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 1}",
				"- name: a\n  script: |\n    #!/bin/sh\n    trap '' TERM\n    while :; do sleep 100; done", ""),
			"a failed 137 Pod was active on the node longer than the specified deadline",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, summary(newWorld(t).run(c.documents, create)))
		})
	}
}

// lateEngine returns its result after the deadline.
type lateEngine struct {
	localrun.Engine
	result localrun.Result
	err    error
}

func (e lateEngine) Run(ctx context.Context, _ localrun.Container) (localrun.Result, error) {
	<-ctx.Done()
	return e.result, e.err
}

// A step fails because of the deadline only if the engine stopped its container, not if the container ended just before.
func TestRun_deadlinePassesAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		engine lateEngine
		want   string
	}{
		"ended by itself":         {lateEngine{result: localrun.Result{ExitCode: 3, Message: "no database"}}, "a failed 3 no database"},
		"succeeded":               {lateEngine{}, "a done 0"},
		"ended by the engine":     {lateEngine{result: localrun.Result{ExitCode: 143, Message: "bye", Interrupted: true}}, "a failed 143 Pod was active on the node longer than the specified deadline"},
		"exits with 0 on SIGTERM": {lateEngine{result: localrun.Result{Interrupted: true}}, "a failed 1 Pod was active on the node longer than the specified deadline"},
		"ended before it started": {lateEngine{err: context.DeadlineExceeded}, "a failed 1 Pod was active on the node longer than the specified deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.engine.Engine = w.engine
			w.engine = c.engine
			report := w.run(pluginWith("spec: {activeDeadlineSeconds: 1}", "- name: a\n  script: |\n    #!/bin/sh\n    true", ""), create)
			assert.Equal(t, c.want, summary(report))
		})
	}
}

// flow returns a plugin with two steps that run the scripts.
func flow(first, second string) string {
	return plugin(`
- name: first
  script: |
    #!/bin/sh
    ` + first + `
    date +%N > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: second
  inputs: [{name: x, valueFromStep: {name: first, output: x}}]
  script: |
    #!/bin/sh
    ` + second + `
    printf %s "$X" > /outputs/y
  outputs: [{name: out, valueFromPath: /outputs/y}]
- name: plain
  script: |
    #!/bin/sh
    :
`)
}

func TestRun_runsOnlyWhatHasChanged(t *testing.T) {
	t.Parallel()
	const done, skipped = localrun.Done, localrun.Skipped
	w := newWorld(t)
	all := map[string]localrun.StepState{"first": done, "second": done, "plain": done}
	before := w.run(flow(":", ":"), create)
	assert.Equal(t, all, states(before))

	again := w.run(flow(":", ":"), create)
	assert.Equal(t, map[string]localrun.StepState{"first": skipped, "second": skipped, "plain": skipped}, states(again))
	assert.Regexp(t, `^generation [a-z0-9]{12} is already published$`, again.Steps[0].Message)
	for i := range before.Steps {
		assert.True(t, maps.EqualFunc(before.Steps[i].Outputs, again.Steps[i].Outputs, bytes.Equal), before.Steps[i].Step)
	}

	consumer := w.run(flow(":", "true"), create)
	assert.Equal(t, map[string]localrun.StepState{"first": skipped, "second": done, "plain": skipped}, states(consumer))
	producer := w.run(flow("true", "true"), create)
	assert.Equal(t, map[string]localrun.StepState{"first": done, "second": done, "plain": skipped}, states(producer))
	assert.NotEqual(t, summary(before), summary(producer))
	rerun := w.run(flow("true", "true"), create, func(o *localrun.Options) { o.Rerun = true })
	assert.Equal(t, all, states(rerun))
}

// A failed step keeps its earlier outputs, and runs again.
func TestRun_runsFailedStepsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(flow(":", ":"), create)
	failed := w.run(flow("exit 1", ":"), create)
	assert.Equal(t, map[string]localrun.StepState{
		"first": localrun.Failed, "second": localrun.Failed, "plain": localrun.Skipped,
	}, states(failed))
	assert.Equal(t, states(failed), states(w.run(flow("exit 1", ":"), create)))
	back := w.run(flow(":", ":"), create)
	assert.Equal(t, map[string]localrun.StepState{
		"first": localrun.Skipped, "second": localrun.Skipped, "plain": localrun.Skipped,
	}, states(back))
}

// deleting is a plugin with a delete phase that reads an output.
var deleting = pluginWith("", `
- name: make
  script: |
    #!/bin/sh
    printf %s "db-$SIGNADOT_SANDBOX_ID" > /outputs/name
  outputs: [{name: name, valueFromPath: /outputs/name}]
`, `
- name: drop
  inputs: [{name: name, valueFromStep: {name: make, output: name}}]
  script: |
    #!/bin/sh
    echo "drop $NAME"
- name: other
  script: |
    #!/bin/sh
    echo other
`)

func TestRun_deletesWhatWasCreated(t *testing.T) {
	t.Parallel()
	early := newWorld(t).run(deleting, remove)
	assert.Contains(t, summary(early),
		`drop failed 1 step "drop": step "make" has not published its outputs here: run the create phase first`)
	w := newWorld(t)
	for range 2 {
		created := w.run(deleting, create)
		assert.Equal(t, localrun.Done, states(created)["make"])
		deleted := w.run(deleting, remove)
		assert.Equal(t, map[string]localrun.StepState{"drop": localrun.Done, "other": localrun.Done}, states(deleted))
		assert.Equal(t, "drop "+string(created.Steps[0].Outputs["name"])+"\n", log(t, deleted, "drop"))
		left, err := filepath.Glob(filepath.Join(w.folder, "steps", "*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// Only the user can read the state, and git ignores it.
func TestState_isPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(deleting, create)
	require.NoError(t, filepath.WalkDir(w.folder, func(path string, entry os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		want := os.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		assert.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
	ignored, err := os.ReadFile(filepath.Join(w.folder, ".gitignore"))
	require.NoError(t, err)
	assert.Equal(t, "*\n", string(ignored))
}

func TestRun_readsSecretsAndConfigMaps(t *testing.T) {
	t.Parallel()
	documents := pluginWith(`
spec:
  nodeSelector: {disk: ssd}
  serviceAccountName: mine
  initContainers: [{name: before, image: busybox}]
  volumes:
  - {name: conf, configMap: {name: conf}}
  - {name: cert, secret: {secretName: admin, items: [{key: PGUSER, path: user}], defaultMode: 256}}
  - {name: scratch, emptyDir: {}}
  - {name: host, hostPath: {path: /etc}}
  containers:
  - name: side
    image: busybox
  - name: main
    envFrom:
    - secretRef: {name: admin}
    - {prefix: C_, configMapRef: {name: conf}}
    - configMapRef: {name: none, optional: true}
    env:
    - {name: A, value: "$(PGUSER)/$(C_key) $$(A) $(NONE)"}
    - {name: B, valueFrom: {configMapKeyRef: {name: conf, key: key}}}
    - {name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
    resources: {limits: {memory: 64Mi}}
    volumeMounts:
    - {name: conf, mountPath: /conf}
    - {name: conf, mountPath: /one/file, subPath: key}
    - {name: cert, mountPath: /cert}
    - {name: scratch, mountPath: /scratch}
    - {name: host, mountPath: /host}
`, `
- name: a
  script: |
    #!/bin/sh
    echo "$PGUSER|$PGPASSWORD|$A|$B|$NS"
    cat /conf/key /one/file /cert/user; echo
    stat -c %a /cert/user
    echo x > /scratch/x
    ls /host
    env | sort > /tmp/env
    grep -c RESOURCEPLUGINS /tmp/env
    sed 's/=.*//' /tmp/env | tr '\n' ' '
`, "") + `---
apiVersion: v1
kind: Secret
metadata: {name: admin, namespace: default}
data: {PGPASSWORD: czNjcmV0}
stringData: {PGUSER: postgres}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {key: value}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: elsewhere}
data: {key: wrong}
`
	w := newWorld(t)
	report := w.run(documents, create)
	require.Equal(t, "a done 0", summary(report))
	assert.Equal(t, "postgres|s3cret|postgres/value $(A) $(NONE)|value|default\nvaluevaluepostgres\n400\n0\n"+
		"A B C_key HOME NS PATH PGPASSWORD PGUSER PWD SIGNADOT_RESOURCE_NAME SIGNADOT_SANDBOX_ID SIGNADOT_SANDBOX_NAME "+
		"SIGNADOT_SANDBOX_ROUTING_KEY ", strings.ReplaceAll(log(t, report, "a"), "OLDPWD ", ""))
	const noEffect = " has no effect with the engine process"
	assert.Equal(t, []string{
		"podTemplateOverlay: spec.containers[main].resources" + noEffect,
		"podTemplateOverlay: spec.containers[side]" + noEffect,
		"podTemplateOverlay: spec.initContainers[before]" + noEffect,
		"podTemplateOverlay: spec.nodeSelector" + noEffect,
		"podTemplateOverlay: spec.serviceAccountName" + noEffect,
		"podTemplateOverlay: spec.volumes[host].hostPath" + noEffect,
	}, w.warned)

	_, err := w.try(documents[:strings.Index(documents, "---")], create)
	require.EqualError(t, err, strings.Join([]string{
		`step "pp/a": podTemplateOverlay: spec.containers[main].envFrom[0].secretRef.name and 1 more: secret "admin" must be ` +
			`among the documents, in namespace "default" or without a namespace: add one to PATH`,
		`step "pp/a": podTemplateOverlay: spec.containers[main].envFrom[1].configMapRef.name and 2 more: configMap "conf" must ` +
			`be among the documents, in namespace "default" or without a namespace: add one to PATH`,
	}, "\n"))
	assert.Empty(t, w.events)
}

// A script can write to the root folder and to folders for temporary files until it ends. Files of the machine are
// read-only.
func TestRun_leavesTheMachineAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mark := "rplug-mark-" + filepath.Base(filepath.Dir(t.TempDir()))
	report := w.run(oneStep("#!/bin/sh\nfor d in / /tmp /var/tmp \"$HOME\"; do echo x > $d/"+mark+" || exit 1; done\n"+
		"for d in /etc /usr /var/lib; do ! touch $d/"+mark+" || exit 1; done\n"+
		"ls / > /outputs/x"), create)
	require.False(t, report.Failed(), summary(report))
	assert.Contains(t, string(report.Steps[0].Outputs["x"]), mark)
	for _, folder := range []string{"/", "/etc", "/tmp", "/usr", "/var/tmp", "/var/run/resourceplugins", "/outputs"} {
		assert.NoFileExists(t, filepath.Join(folder, mark))
	}
}

// A script that runs as root is no administrator of the machine: it makes and reads no devices, mounts nothing, and
// leaves no cgroups.
func TestRun_rootIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mark := "rplug-mark-" + filepath.Base(filepath.Dir(t.TempDir()))
	report := w.run(oneStep("#!/bin/sh\ncd /tmp\n! mknod disk b 7 0 || exit 1\n! mknod memory c 1 1 || exit 2\n"+
		"! mount -t tmpfs none /mnt || exit 3\n! mount -o remount,rw,bind /etc || exit 4\n! mount -o remount,rw,bind /usr || exit 5\n"+
		"! mkdir /sys/fs/cgroup/"+mark+" || exit 6\n! touch /etc/"+mark+" || exit 7\n! unshare --mount true || exit 8\n"+
		"for file in /dev/*; do [ ! -b $file ] || exit 9; done\n! [ -e /dev/kmsg ] || exit 10\n"+
		"echo x > file && chown 65532 file && chmod 0 file && cat file && printf %s done > /outputs/x"), create)
	require.False(t, report.Failed(), summary(report))
	assert.Equal(t, "done", string(report.Steps[0].Outputs["x"]))
	for _, folder := range []string{"/etc", "/sys/fs/cgroup"} {
		assert.NoFileExists(t, filepath.Join(folder, mark))
		assert.NoDirExists(t, filepath.Join(folder, mark))
	}
}

func TestRun_limitsHowManyStepsRun(t *testing.T) {
	t.Parallel()
	var steps strings.Builder
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		steps.WriteString("- name: " + name + "\n  script: |\n    #!/bin/sh\n    sleep 0.1\n")
	}
	for parallel, want := range map[int]int{1: 1, 2: 2, 0: 5} {
		w := newWorld(t)
		report := w.run(plugin(steps.String()), create, func(o *localrun.Options) { o.Parallel = parallel })
		assert.False(t, report.Failed())
		running, most := 0, 0
		for _, e := range w.events {
			switch e.State {
			case localrun.Running:
				running++
			case localrun.Done:
				running--
			case localrun.Waiting, localrun.Skipped, localrun.Failed:
			}
			most = max(most, running)
		}
		assert.Equal(t, want, most, "parallel %d", parallel)
	}
}

// A failed step is retried as often as its Job allows.
func TestRun_triesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	chain := build.New()
	chain.Render.Retries = 2
	objects, err := localrun.Render(documents(t, oneStep("#!/bin/sh\necho attempt\nexit 5")), localrun.Request{Plugin: "pp"}, chain)
	require.NoError(t, err)
	report, err := localrun.Run(t.Context(), objects, localrun.Options{Engine: w.engine, State: w.state})
	require.NoError(t, err)
	assert.Equal(t, `a failed 5 step "a": the script exited with 5`, summary(report))
	assert.Equal(t, 3, strings.Count(log(t, report, "a"), "attempt\n"))
}

func TestRun_ends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, stop := context.WithCancelCause(t.Context())
	objects := w.objects(plugin("- name: a\n  script: |\n    #!/bin/sh\n    trap 'echo ended; exit 9' TERM\n    sleep 100 & wait\n" +
		"- name: b\n  script: |\n    #!/bin/sh\n    sleep 100\n"))
	var report *localrun.Report
	var err error
	start := time.Now()
	report, err = localrun.Run(ctx, objects, localrun.Options{
		Engine: w.engine, State: w.state, Parallel: 1,
		Observe: func(e localrun.Event) {
			if e.State == localrun.Running {
				time.AfterFunc(300*time.Millisecond, func() { stop(assert.AnError) })
			}
		},
	})
	require.ErrorIs(t, err, assert.AnError)
	assert.Less(t, time.Since(start), 20*time.Second)
	assert.True(t, report.Failed())
	for _, s := range report.Steps {
		assert.Equal(t, localrun.Failed, s.State)
		assert.Equal(t, assert.AnError.Error(), s.Message)
	}
	left, err := filepath.Glob(filepath.Join(w.folder, "steps", "*", "*"))
	require.NoError(t, err)
	assert.Empty(t, left, "a step that was ended is neither published nor failed")
}
