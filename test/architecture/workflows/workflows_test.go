package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestFiles_haveNoFindings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(checkout.Root(), ".github", "workflows", "*.y*ml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, filepath.Join(checkout.Root(), "action.yml")) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found, err := auditFile(text)
		require.NoError(t, err, file)
		for _, f := range found {
			t.Errorf("%s:%s", file, f)
		}
	}
}

const (
	head     = "on: push\npermissions: {}\njobs:\n  j:\n    runs-on: ubuntu-24.04\n"
	steps    = head + "    steps:\n    - "
	commit   = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"
	setup    = "actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5 # v5.5.0"
	clean    = steps + "uses: " + commit + " # v4.2.2\n      with: {persist-credentials: false}\n    - run: make\n"
	tagged   = "on: {push: {tags: [v*]}}\npermissions: {}\njobs:\n  j:\n    runs-on: ubuntu-24.04\n    steps:\n    - "
	composed = "runs:\n  using: composite\n  steps:\n  - shell: bash\n    run: "
)

func TestAudit_findsSeededFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, rule string
		line       int
	}{
		"expression in run":           {steps + "run: echo ${{ github.event.issue.title }}\n", "template-injection", 7},
		"expression in a block":       {steps + "run: |\n        true\n        echo \"${{ inputs.x }}\"\n", "template-injection", 7},
		"expression in github-script": {steps + "uses: a/b@" + commit[17:] + " # v1.0.0\n      with: {script: \"${{ inputs.x }}\"}\n", "template-injection", 8},
		"expression in an action":     {composed + "echo ${{ inputs.x }}\n", "template-injection", 5},
		"tag":                         {steps + "uses: a/b@v4\n", "unpinned-uses", 7},
		"branch":                      {steps + "uses: a/b@main\n", "unpinned-uses", 7},
		"short commit":                {steps + "uses: a/b@11bd719 # v4.2.2\n", "unpinned-uses", 7},
		"no version":                  {steps + "uses: " + commit + "\n      with: {persist-credentials: false}\n", "unpinned-uses", 7},
		"docker tag":                  {steps + "uses: docker://alpine:3\n", "unpinned-uses", 7},
		"reusable workflow":           {head + "    uses: a/b/.github/workflows/c.yaml@v1\n", "unpinned-uses", 6},
		"no permissions":              {"on: push\njobs: {}\n", "excessive-permissions", 1},
		"write-all":                   {"on: push\npermissions: write-all\njobs: {}\n", "excessive-permissions", 2},
		"write for all jobs":          {"on: push\npermissions:\n  contents: write # releases\njobs: {}\n", "excessive-permissions", 3},
		"write-all of a job":          {head + "    permissions: write-all\n", "excessive-permissions", 6},
		"write without a reason":      {head + "    permissions: {contents: read, id-token: write}\n", "excessive-permissions", 6},
		"checkout keeps its token":    {steps + "uses: " + commit + " # v4.2.2\n", "artipacked", 7},
		"checkout keeps it expressly": {steps + "uses: " + commit + " # v4.2.2\n      with: {persist-credentials: true}\n", "artipacked", 7},
		"pull_request_target":         {"on: pull_request_target\npermissions: {}\njobs: {}\n", "dangerous-triggers", 1},
		"in a list":                   {"on: [push, workflow_run]\npermissions: {}\njobs: {}\n", "dangerous-triggers", 1},
		"in a mapping":                {"on:\n  issue_comment: {types: [created]}\npermissions: {}\njobs: {}\n", "dangerous-triggers", 2},
		"cache of setup-go":           {tagged + "uses: " + setup + "\n", "cache-poisoning", 7},
		"cache":                       {tagged + "uses: actions/cache@" + commit[17:] + " # v4.2.2\n", "cache-poisoning", 7},
		"runner":                      {"on: push\npermissions: {}\njobs:\n  j:\n    runs-on: [self-hosted, linux]\n", "self-hosted-runner", 5},
		"secrets":                     {head + "    secrets: inherit\n", "secrets-inherit", 6},
		"all secrets":                 {steps + "run: make\n      env: {ALL: \"${{ toJSON(secrets) }}\"}\n", "overprovisioned-secrets", 8},
		"actor":                       {steps + "run: make\n      if: github.actor == 'renovate[bot]'\n", "bot-conditions", 8},
		"environment":                 {steps + "run: echo \"A=$B\" >> \"$GITHUB_ENV\"\n", "github-env", 7},
		"old commands":                {steps + "run: make\n      env: {ACTIONS_ALLOW_UNSECURE_COMMANDS: true}\n", "insecure-commands", 8},
		"downloaded script":           {steps + "run: curl -sL https://example.com/install | bash\n", "unverified-script", 7},
	} {
		found, err := auditFile([]byte(test.text))
		require.NoError(t, err, name)
		require.Len(t, found, 1, name)
		assert.Equal(t, test.rule, found[0].rule, name)
		assert.Equal(t, test.line, found[0].line, name)
	}
	found, err := auditFile([]byte(clean))
	require.NoError(t, err)
	assert.Empty(t, found)
}

// Every rule also finds its fault in a workflow of this repository, not only in a small example.
func TestAudit_findsFaultsInOurWorkflows(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), ".github", "workflows", "release.yaml"))
	require.NoError(t, err)
	for old, fault := range map[string]struct{ text, rule string }{
		"persist-credentials: false":                {"persist-credentials: true", "artipacked"},
		"cache: false":                              {"cache: true", "cache-poisoning"},
		"permissions: {}":                           {"permissions: write-all", "excessive-permissions"},
		`"$GITHUB_REF_NAME"`:                        {`"${{ github.ref_name }}"`, "template-injection"},
		"@11bd71901bbe5b1630ceea73d27597364c9af683": {"@v4", "unpinned-uses"},
		"on:": {"on:\n  issue_comment: {}", "dangerous-triggers"},
	} {
		require.Contains(t, string(text), old)
		found, err := auditFile([]byte(strings.Replace(string(text), old, fault.text, 1)))
		require.NoError(t, err, old)
		require.NotEmpty(t, found, old)
		assert.Equal(t, fault.rule, found[0].rule, old)
	}
}

func TestAudit_refusesWhatIsNoWorkflow(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "a: [", "text"} {
		_, err := auditFile([]byte(text))
		require.Error(t, err, "%q", text)
	}
}

// Examples in pages, and in projects that rplug makes, pin actions as our own workflows do: readers copy them.
func TestPages_pinActions(t *testing.T) {
	t.Parallel()
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses: ([^\s@]+)@(.*)`)
	pinned := regexp.MustCompile(`^([0-9a-f]{40}|COMMIT) # v[0-9.]+$`)
	found := 0
	files, err := checkout.Files("*.md", "docs", "internal/scaffold")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), name))
		require.NoError(t, err)
		for _, one := range uses.FindAllStringSubmatch(string(text), -1) {
			found++
			assert.Regexp(t, pinned, one[2], "%s: %s", name, one[1])
		}
	}
	assert.Greater(t, found, 10)
}
