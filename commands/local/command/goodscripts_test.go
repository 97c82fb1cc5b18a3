package command

// goodScripts are more plugins without faults: languages of scripts, features of shells, and orders of steps.
var goodScripts = map[string][2]string{
	"arithmetic": {`create:
- name: a
  script: |
    #!/bin/bash
    for ((i = 0; i < 3; i++)); do ((sum += i)); done
    let total=sum*2
    select_one() { local first=$1; echo "$first"; }
    case $(select_one "$total") in 6) ;; *) exit 1 ;; esac
    echo "$sum" "${!total:-}" "${#sum}" "$((sum ** 2))"`},
	"awk": {`create:
- name: a
  script: |
    #!/bin/sh
    set -eu
    echo "a b" | awk '{print $2, ENVIRON["HOME"]}' | sed 's/$/x/'
    cat <<'END'
    ${NOT_READ} $ALSO_NOT
    END`},
	"diamond": {`create:
- name: a
  script: |
    #!/bin/sh
    printf a > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: b
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {env: X}}]
  script: |
    #!/bin/sh
    printf '%sb' "$X" > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: c
  inputs: [{name: x, valueFromStep: {name: a, output: x}, as: {env: X}}]
  script: |
    #!/bin/sh
    printf '%sc' "$X" > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
- name: d
  inputs:
  - {name: b, valueFromStep: {name: b, output: x}, as: {env: B}}
  - {name: c, valueFromStep: {name: c, output: x}, as: {env: C}}
  script: |
    #!/bin/sh
    [ "$B$C" = abac ]`},
	"env-from-image": {`runner:
  image: debian
  podTemplateOverlay: |
    spec:
      containers:
      - name: main
        envFrom: [{secretRef: {name: admin}}]
create:
- name: a
  script: |
    #!/bin/sh
    [ "$PGPASSWORD" = example ]`, `secrets: [{name: admin, data: {PGPASSWORD: example}}]
cases: [{name: one}]`},
	"exports": {`create:
- name: a
  script: |
    #!/bin/sh
    export A=1 B="${A}"
    readonly C=3
    unset D
    env | sort > /tmp/env
    sh -c 'echo "$A$B"'
    echo "$C"`},
	"fails-in-delete": {`create:
- name: a
  script: |
    #!/bin/sh
    true
delete:
- name: d
  script: |
    #!/bin/sh
    echo "not allowed" >&2
    exit 9`, `cases: [{name: one, delete: {fails: {step: d, exitCode: 9, message: not allowed}}}]`},
	"heredoc-file": {`create:
- name: a
  inputs: [{name: name, valueFromSandbox: true, as: {env: NAME}}]
  script: |
    #!/bin/sh
    set -eu
    cat > /tmp/config.yaml <<END
    name: ${NAME}
    host: $(hostname 2>/dev/null || echo none)
    END
    grep -q "$NAME" /tmp/config.yaml`, `cases: [{name: one, params: {name: x}}]`},
	"only-delete": {`delete: [{name: d, script: "#!/bin/sh\ntrue\n"}]`},
	"parallel-jobs": {`create:
- name: a
  script: |
    #!/bin/sh
    set -eu
    pids=
    for n in 1 2 3; do (sleep "0.$n"; echo "$n" > "/tmp/$n") & pids="$pids $!"; done
    for pid in $pids; do wait "$pid"; done
    cat /tmp/1 /tmp/2 /tmp/3 > /outputs/all
  outputs: [{name: all, valueFromPath: /outputs/all}]`, `cases: [{name: one, create: {outputs: [{step: a, output: all, nonEmpty: true}]}}]`},
	"python": {`create:
- name: a
  script: |
    #!/usr/bin/env python3
    import os
    open("/outputs/x", "w").write(os.environ.get("SIZE", "1"))
  outputs: [{name: x, valueFromPath: /outputs/x}]`, `cases: [{name: one, create: {outputs: [{step: a, output: x, equals: "1"}]}}]`},
	"read-words": {`create:
- name: a
  script: |
    #!/bin/sh
    set -eu
    IFS=: read -r user _ uid rest <<END
    root:x:0:0:root
    END
    while IFS='=' read -r key value; do echo "$key is $value"; done <<END
    a=1
    END
    echo "$user $uid $rest"
    eval "made_$user=1"`},
	"select-case": {`create:
- name: a
  script: |
    #!/bin/bash
    shopt -s extglob nullglob
    files=(/etc/host*)
    for file in "${files[@]}"; do [[ $file =~ ^/etc/(.*)$ ]] && echo "${BASH_REMATCH[1]}"; done
    declare -i count=${#files[@]}
    readarray -t lines < /etc/passwd
    echo "${lines[0]} $count ${PIPESTATUS[0]}"`},
	"sourced": {`create:
- name: a
  script: |
    #!/bin/sh
    echo 'VALUE=1' > /tmp/settings
    . /tmp/settings
    echo "$VALUE"`},
	"traps": {`create:
- name: a
  script: |
    #!/bin/bash
    cleanup() { local code=$?; rm -rf "${work:-}"; exit "$code"; }
    trap cleanup EXIT INT TERM
    work=$(mktemp -d)
    exec 3> "$work/log"
    echo "line $LINENO of ${0##*/} ${BASH_SOURCE[0]} ${FUNCNAME[0]:-main}" >&3
    coproc cat; echo x >&"${COPROC[1]}"; read -r -u "${COPROC[0]}" line; kill "$COPROC_PID"
    [ "$line" = x ]`},
	"two-phases-share": {`create:
- name: a
  inputs: [{name: size, valueFromSandbox: true, as: {env: SIZE}}]
  script: |
    #!/bin/sh
    printf %s "$SIZE" > /outputs/x
  outputs: [{name: x, valueFromPath: /outputs/x}]
delete:
- name: d
  inputs: [{name: size, valueFromSandbox: true, as: {path: /inputs/size}}]
  script: |
    #!/bin/sh
    cat /inputs/size`, `cases: [{name: one, params: {size: "1"}, create: {outputs: [{step: a, output: x, equals: "1"}]}}]`},
}
