package command

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// good are plugins without faults of different shapes: the spec of each plugin, and of its test if it needs more than one
// case.
var good = map[string][2]string{
	"no-outputs": {`create: [{name: a, script: "#!/bin/sh\ntrue\n"}]`},
	"one-output": {`create:
- name: a
  script: |
    #!/bin/sh
    printf one > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]`, `cases: [{name: one, create: {outputs: [{step: a, output: x, equals: one}]}}]`},
	"bytes": {`create:
- name: a
  script: |
    #!/bin/sh
    printf '\000\377\n\n' > /outputs/x
    : > /outputs/empty
    printf 'Größe 日本' > /outputs/text
  outputs:
  - {name: x, valueFromPath: /outputs/x}
  - {name: empty, valueFromPath: /outputs/empty}
  - {name: text, valueFromPath: /outputs/text}`, `cases:
- name: one
  create:
    outputs: [{step: a, output: x}, {step: a, output: empty, equals: ""}, {step: a, output: text, equals: Größe 日本}]`},
	"large-output": {`create:
- name: a
  script: |
    #!/bin/sh
    head -c 500000 /dev/zero | tr '\0' x > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]`, `cases: [{name: one, create: {outputs: [{step: a, output: x, nonEmpty: true}]}}]`},
	"chain": {`create:
- name: a
  script: |
    #!/bin/sh
    printf 1 > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: b
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {env: X}}]
  script: |
    #!/bin/sh
    echo $((X + 1)) > /outputs/next
  outputs: [{name: next, valueFromPath: /outputs/next}]
- name: c
  inputs: [{name: next, valueFromStep: {name: b, output: next}, as: {path: /inputs/next}}]
  script: |
    #!/bin/sh
    read -r value < /inputs/next
    [ "$value" = 2 ]`},
	"independent": {`create:
- name: a
  script: |
    #!/bin/sh
    printf 1 > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: b
  script: |
    #!/bin/sh
    printf 2 > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: c
  inputs:
  - {name: one, valueFromStep: {name: a, output: x}, as: {env: ONE}}
  - {name: two, valueFromStep: {name: b, output: x}, as: {env: TWO}}
  script: |
    #!/bin/sh
    [ "$ONE$TWO" = 12 ]`},
	"params": {`create:
- name: a
  inputs:
  - {name: size, valueFromSandbox: true, as: {env: SIZE}}
  - {name: mode, valueFromSandbox: true, as: {path: /inputs/mode}}
  script: |
    #!/bin/sh
    : "${SIZE:?}"
    [ -s /inputs/mode ] && cat /inputs/mode`, `cases: [{name: one, params: {size: "1", mode: fast}}, {name: two, params: {size: "2", mode: "a b"}}]`},
	"default-of-a-param": {`create:
- name: a
  inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}]
  script: |
    #!/bin/sh
    echo "${SIZE:-small}"`, `cases: [{name: one}, {name: two, params: {size: big}}]`},
	"refuses": {`create:
- name: a
  inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}]
  script: |
    #!/bin/sh
    case ${SIZE:-} in [0-9]*) ;; *) echo "no number" >&2; exit 3 ;; esac`, `cases:
- {name: one, params: {size: "1"}}
- {name: two, params: {size: x}, create: {fails: {step: a, exitCode: 3, message: no number}}}`},
	"functions": {`create:
- name: a
  script: |
    #!/bin/sh
    set -eu
    greet() { who=$1; echo "hello $who"; }
    for name in a b; do greet "$name"; done
    while read -r line; do echo "$line"; done <<END
    $(date +%Y | head -c 2)
    END
    i=0; while [ "$i" -lt 3 ]; do i=$((i + 1)); done`},
	"bash": {`create:
- name: a
  script: |
    #!/bin/bash
    set -euo pipefail
    declare -A sizes=([small]=1)
    list=(a b c)
    mapfile -t lines < <(printf '%s\n' "${list[@]}")
    [[ ${#lines[@]} -eq 3 && ${sizes[small]} == 1 && $BASH_VERSION && $RANDOM ]]
    printf -v padded '%03d' 7
    (( padded == 7 ))`},
	"options": {`create:
- name: a
  script: |
    #!/bin/sh
    set -- -v -n name
    while getopts vn: option; do
      case $option in n) echo "$OPTARG" ;; *) ;; esac
    done
    shift $((OPTIND - 1))`},
	"no-first-line": {`create: [{name: a, script: "echo \"$HOME\" \"$SIGNADOT_SANDBOX_ID\"\n"}]`},
	"cleans-up": {`create:
- name: a
  script: |
    #!/bin/sh
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    echo x > "$work/x"
    cat "$work/x"`},
	"waits": {`create:
- name: a
  script: |
    #!/bin/sh
    sleep 0.3 &
    wait`},
	"ends-behind": {`create:
- name: a
  script: |
    #!/bin/sh
    (sleep 0.3; :) > /dev/null 2>&1 &`},
	"pipes": {`create:
- name: a
  script: |
    #!/bin/sh
    yes | head -n 1 | tee /tmp/x | wc -l`},
	"retries": {`create:
- name: a
  script: |
    #!/bin/sh
    for attempt in 1 2 3; do
      [ "$attempt" = 2 ] && exit 0
      sleep 0.1
    done
    exit 1`},
	"delete": {`create: [{name: a, script: "#!/bin/sh\ntrue\n"}]
delete: [{name: d, script: "#!/bin/sh\ntrue\n"}, {name: e, script: "#!/bin/sh\ntrue\n"}]`},
	"delete-reads": {`create:
- name: a
  script: |
    #!/bin/sh
    printf 1 > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
delete:
- name: d
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {env: X}}]
  script: |
    #!/bin/sh
    [ "$X" = 1 ]`, `createBeforeDelete: true
cases: [{name: one}]`},
	"overlay": {`runner:
  image: debian
  podTemplateOverlay: |
    spec:
      containers:
      - name: main
        env: [{name: REGION, value: eu}]
        volumeMounts: [{name: scratch, mountPath: /scratch}]
      volumes: [{name: scratch, emptyDir: {}}]
create:
- name: a
  script: |
    #!/bin/sh
    echo "$REGION" > /scratch/region`},
	"secret": {`runner:
  image: debian
  podTemplateOverlay: |
    spec:
      containers:
      - name: main
        env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: admin, key: password}}}]
create:
- name: a
  script: |
    #!/bin/sh
    [ "$PASSWORD" = example ]`, `secrets: [{name: admin, data: {password: example}}]
cases: [{name: one}]`},
}

// Plugins without faults pass all checks of rplug test: no check gives a false alarm.
func TestTestPassesGoodPlugins(t *testing.T) {
	t.Parallel()
	needsNamespaces(t)
	checkout.Program(t, "python3", "python3")
	all := maps.Clone(good)
	maps.Copy(all, goodScripts)
	require.GreaterOrEqual(t, len(all), 36)
	folder := t.TempDir()
	for name, specs := range all {
		plugin, test := specs[0], specs[1]
		if !strings.Contains(plugin, "runner:") {
			plugin = "runner: {image: debian}\n" + plugin
		}
		if test == "" {
			test = "cases: [{name: one}]"
		}
		text := fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: %s@1.0.0}\nspec:\n%s\n---\n"+
			"apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginTest\nmetadata: {name: %[1]s}\nspec:\n  plugin: %[1]s\n%[3]s\n",
			name, indent(plugin), indent(test))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(text), 0o600))
	}
	code, stdout, stderr := call("test", "--engine", "process", "--parallel", "2", folder)
	assert.Equal(t, rplug.ExitClean, code, "%s%s", stdout, stderr)
	assert.NotContains(t, stdout, "FAIL")
	require.NotContains(t, stderr, "[error]")
	for name := range all {
		if name == "only-delete" {
			assert.Contains(t, stdout, "ok    "+name+"/one delete\n")
			continue
		}
		assert.Contains(t, stdout, "ok    "+name+"/one create\n")
		assert.Contains(t, stdout, "ok    "+name+"/one create-after-kill\n")
	}
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
