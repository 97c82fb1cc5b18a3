package validate_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// scripted checks a plugin with one script and returns the findings about its syntax.
func scripted(t *testing.T, script string) []string {
	t.Helper()
	var found []string
	for _, line := range check(t, edited(t, aPlugin, "spec.create[1].script: "+strconv.Quote(script))) {
		if _, message, ok := strings.Cut(line, "error script-syntax spec.create[1].script: "); ok {
			found = append(found, message)
		}
	}
	return found
}

func TestScriptSyntax(t *testing.T) {
	t.Parallel()
	broken := map[string]string{
		"#!/bin/sh\necho a\nif true; then\n  echo b\n":  "line 3: must be valid sh: 'if' statement must end with 'fi'",
		"#!/bin/bash\nfor f in *; do echo $f\n":         "line 2: must be valid bash: 'for' statement must end with 'done'",
		"#!/usr/bin/env bash\necho \"a\n":               "line 2: must be valid bash: reached EOF without closing quote '\"'",
		"#!/usr/bin/env -S bash -e\n(echo a\n":          "line 2: must be valid bash: reached EOF without matching '(' with ')'",
		"#!/bin/sh -e\necho a\nfi\n":                    "line 3: must be valid sh: 'fi' can only be used to end an 'if'",
		"#!/bin/dash\nwhile true; echo a; done\n":       "line 2: must be valid sh: 'done' can only be used to end a loop",
		"#! /bin/bash\n\n\necho a &&\n":                 "line 4: must be valid bash: '&&' must be followed by a statement",
		"#!/bin/sh\ncase a in\n  b) echo c\n":           "line 2: must be valid sh: 'case' statement must end with 'esac'",
		"#!/bin/sh\nexit_early() {\n  exit 1\n\nif a\n": "",
	}
	for script, want := range broken {
		got := scripted(t, script)
		if assert.Len(t, got, 1, script) && want != "" {
			assert.Equal(t, want, got[0], script)
		}
	}
}

// If a shell accepts a script, or detects an error only at run time, nothing is reported.
func TestValidScriptsAreLetBe(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"#!/bin/sh\n", "#!/bin/sh\r\necho a\r\n", "#!\n(", "#!/usr/bin/env\n(", "#!/usr/bin/env -S A=b python3\nif x:\n",
		"#!/usr/bin/env python3\nprint('a'\n", "#!/usr/bin/awk -f\n{ print }}\n",
		"#!/bin/sh\na=(1 2)\n[[ $a == b ]] && echo <(c)\n", // if sh is bash
		"#!/bin/sh\nlet = 1\n", "#!/bin/dash\nfunction=1; echo $function\n",
		"#!/bin/bash\necho ${a[spaced key]} ${b[weird!key]}\n",
		"#!/bin/bash\necho $((echo a); (echo b))\n((echo a); echo b)\n",
		"#!/bin/bash\necho ${!a} ${(f)b}\ndeclare \"$a=b\" c[0]=d\n",
		"#!/bin/sh\ncat <<EOF\nwhat ends with the script\n",
		"#!/bin/sh\n'''exec' python3 \"$0\" \"$@\"\n' '''\nimport a(\n",
		"#!/bin/sh\ntar x < \"$0\"\nexit 0\n)))(((\n",
		"#!/usr/bin/env bash\nshopt -s extglob\ncase a in @(a|b)) echo c;; esac\n",
		"#!/bin/bash\nx=$(cat <<'EOF'\nit's\nEOF\n)\n[[ a =~ ^(b|c)$ ]]\ncoproc cat\n",
		"#!/bin/sh\nmysql -e \"CREATE DATABASE \\`$DBNAME\\`\"\nkubectl patch x -p '{\"a\":[{}]}'\n",
	} {
		assert.Empty(t, scripted(t, script), script)
	}
}

// Scripts of this machine that their interpreter accepts are not reported.
func TestScriptsOfThisMachineAreLetBe(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "checks all scripts of this machine")
	bash := checkout.Program(t, "bash", "bash")
	checked := 0
	for _, folder := range []string{"/usr/bin", "/usr/sbin", "/etc/init.d", "/usr/lib/git-core", "/var/lib/dpkg/info"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			file := folder + "/" + entry.Name()
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 100_000 {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil || !strings.HasPrefix(string(text), "#!") || checked > 100 {
				continue
			}
			checked++
			if found := scripted(t, string(text)); len(found) > 0 {
				require.Error(t, exec.Command(bash, "-n", file).Run(), "%s: %s", file, found)
			}
		}
	}
	t.Logf("%d scripts", checked)
}

// Scripts beyond the limits are not parsed, so that they are not slower than others.
func TestHostileScripts(t *testing.T) {
	t.Parallel()
	for _, opening := range []string{"(", "$(", "{ ", "((", "${a[", "\"$("} {
		assert.Empty(t, scripted(t, "#!/bin/bash\n"+strings.Repeat(opening, 1_001)), opening)
	}
	assert.Len(t, scripted(t, "#!/bin/bash\nif true; then\n"+strings.Repeat("(:)\n", 2_000)), 1)
	assert.Empty(t, scripted(t, "#!/bin/sh\nif\n"+strings.Repeat("#", 64<<10)))
}
