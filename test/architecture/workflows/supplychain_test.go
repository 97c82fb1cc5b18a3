package workflows

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// workflow is the part of a workflow that the statements in docs/explanation/security.md are about.
type workflow struct {
	On   map[string]any `yaml:"on"`
	Jobs map[string]struct {
		RunsOn      string            `yaml:"runs-on"`
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			With map[string]string `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

func readWorkflow(t *testing.T, name string) (w workflow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), ".github", "workflows", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &w))
	require.NotEmpty(t, w.Jobs)
	return w
}

// Releases have SLSA Build level 2, and not 3: each job that builds runs on a hosted runner and ends with a provenance
// of its build, but it could reach the token that signs.
func TestRelease_provenance(t *testing.T) {
	t.Parallel()
	for name, job := range readWorkflow(t, "release.yaml").Jobs {
		assert.Regexp(t, `^ubuntu-[0-9.]+$`, job.RunsOn, name)
		last := job.Steps[len(job.Steps)-1]
		assert.True(t, strings.HasPrefix(last.Uses, "actions/attest-build-provenance@"), "%s: the last step is %q", name, last.Uses)
		assert.Regexp(t, `^bin/\w+/checksums\.txt$`, last.With["subject-checksums"], name)
		assert.Equal(t, "write", job.Permissions["id-token"], "%s: without it the page could claim level 3", name)
		assert.Equal(t, "write", job.Permissions["attestations"], name)
	}
}

// Vulnerabilities are looked for each day and for each change, and the fuzz targets run each night.
func TestScheduledWorkflows(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		run    string
		events []string
	}{
		"vulnerabilities.yaml": {"make vulnerabilities", []string{"schedule", "push", "pull_request"}},
		"fuzz.yaml":            {"make fuzz FUZZTIME=5m", []string{"schedule"}},
		"test.yaml":            {".ci/run", []string{"push", "pull_request"}},
	} {
		w := readWorkflow(t, name)
		for _, event := range want.events {
			assert.Contains(t, w.On, event, name)
		}
		runs := false
		for _, job := range w.Jobs {
			for _, step := range job.Steps {
				runs = runs || strings.TrimSpace(step.Run) == want.run
			}
		}
		assert.True(t, runs, "%s does not run %q", name, want.run)
	}
}

// A vulnerability in code that is called fails, in whichever module it is, after all modules have got their VEX document; so does a
// database that cannot be read.
func TestVulnerabilityPolicy(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(checkout.Root(), "test", "release", "vulnerabilities"))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		called, unreachable string
		fails               bool
	}{
		"none": {}, "in the programs": {called: "krm-functions", fails: true}, "in the runtime": {called: "runtime", fails: true},
		"no database": {unreachable: "yes", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "krm-functions")
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin", "tools"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "runtime"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "test", "release"), 0o700))
			require.NoError(t, checkout.WriteProgram(filepath.Join(dir, "test", "release", "vulnerabilities"), string(script)))
			// As govulncheck does, it exits with 3 because of a finding, but never if it prints OpenVEX.
			require.NoError(t, checkout.WriteProgram(filepath.Join(dir, "bin", "tools", "govulncheck"), `#!/bin/sh
[ -z "$UNREACHABLE" ] || exit 1
[ "$1" = -format ] && { echo "{\"format\": \"$2\"}"; exit 0; }
[ "${PWD##*/}" = "$CALLED" ] && exit 3
exit 0
`))
			command := exec.Command(filepath.Join(dir, "test", "release", "vulnerabilities"))
			command.Env = append(os.Environ(), "CALLED="+c.called, "UNREACHABLE="+c.unreachable)
			out, err := command.CombinedOutput()
			assert.Equal(t, c.fails, err != nil, "%s", out)
			for _, module := range []string{"krm-functions", "runtime"} {
				text, err := os.ReadFile(filepath.Join(dir, "bin", "vex", module+".json"))
				if c.unreachable == "" {
					require.NoError(t, err)
					assert.JSONEq(t, `{"format": "openvex"}`, string(text))
				}
			}
		})
	}
}

// The repository has no programs in binary form, which no one could review.
func TestNoBinaries(t *testing.T) {
	t.Parallel()
	names, err := checkout.Files()
	require.NoError(t, err)
	assert.Greater(t, len(names), 1000)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), name))
		require.NoError(t, err)
		assert.False(t, isBinary(text), name)
	}
	for _, program := range []string{"\x7fELF\x02", "MZ\x90\x00", "\xcf\xfa\xed\xfe", "!<arch>\n", "\x00asm\x01", "PK\x03\x04"} {
		assert.True(t, isBinary([]byte(program)), "%q", program)
	}
}

// isBinary reports whether a file is a program or a library (ELF, PE, Mach-O, Java, ar, WebAssembly), or a zip, which can be a jar.
func isBinary(text []byte) bool {
	for _, magic := range []string{
		"\x7fELF", "MZ\x90\x00", "\xfe\xed\xfa", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "!<arch>\n", "\x00asm", "PK\x03\x04",
	} {
		if bytes.HasPrefix(text, []byte(magic)) {
			return true
		}
	}
	return false
}
