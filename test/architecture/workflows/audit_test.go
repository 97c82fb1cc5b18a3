// Package workflows checks the workflows and the action of this repository for mistakes that attackers could exploit, such
// as template injection or unpinned uses: https://docs.zizmor.sh/audits/.
package workflows

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// finding is a mistake in a file.
type finding struct {
	rule, message string
	line          int
}

func (f finding) String() string { return fmt.Sprintf("%d: %s (%s)", f.line, f.message, f.rule) }

// audit holds the findings in one file.
type audit struct {
	found []finding
	// publishes is set for a workflow that runs for a tag or a release, so its results reach users.
	publishes bool
}

// auditFile returns the findings in a workflow, or in an action with steps.
func auditFile(text []byte) ([]finding, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file must be a workflow or an action")
	}
	a := &audit{}
	a.root(document.Content[0])
	for line, text := range strings.Split(string(text), "\n") {
		a.text(line+1, text)
	}
	slices.SortFunc(a.found, func(x, y finding) int { return x.line - y.line })
	return a.found, nil
}

func (a *audit) add(at *yaml.Node, rule, format string, args ...any) {
	a.found = append(a.found, finding{rule: rule, message: fmt.Sprintf(format, args...), line: at.Line})
}

// get returns the value of a key, or nil.
func get(m *yaml.Node, key string) *yaml.Node {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	return nil
}

func value(m *yaml.Node, key string) string {
	if n := get(m, key); n != nil {
		return n.Value
	}
	return ""
}

func (a *audit) root(root *yaml.Node) {
	if runs := get(root, "runs"); runs != nil {
		a.steps(get(runs, "steps"))
		return
	}
	a.triggers(root)
	permissions := get(root, "permissions")
	if permissions == nil {
		a.add(root, "excessive-permissions", "the workflow must have permissions: without them, a token may have all")
	} else {
		a.permissions(permissions, false)
	}
	jobs := get(root, "jobs")
	if jobs == nil {
		return
	}
	for i := 1; i < len(jobs.Content); i += 2 {
		a.job(jobs.Content[i])
	}
}

// dangerous are events with which users without access to secrets can run a workflow that has secrets.
var dangerous = []string{"pull_request_target", "workflow_run", "issue_comment", "issues", "discussion", "discussion_comment"}

func (a *audit) triggers(root *yaml.Node) {
	on := get(root, "on")
	if on == nil {
		a.add(root, "dangerous-triggers", "the workflow must have on")
		return
	}
	events := map[string]*yaml.Node{on.Value: on}
	step := 1
	if on.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i < len(on.Content); i += step {
		events[on.Content[i].Value] = on.Content[i]
	}
	for _, name := range dangerous {
		if at := events[name]; at != nil {
			a.add(at, "dangerous-triggers", "%s must not start a workflow: it runs with secrets on behalf of anybody", name)
		}
	}
	push := get(on, "push")
	a.publishes = events["release"] != nil || get(push, "tags") != nil
}

// permissions checks the permissions of a job, or of the workflow, which must not grant write access.
func (a *audit) permissions(n *yaml.Node, job bool) {
	if n.Kind == yaml.ScalarNode {
		a.add(n, "excessive-permissions", "permissions must name scopes, not %q", n.Value)
		return
	}
	for i := 0; i < len(n.Content); i += 2 {
		scope, level := n.Content[i], n.Content[i+1]
		if level.Value != "write" {
			continue
		}
		if !job {
			a.add(scope, "excessive-permissions", "%s: write must be a permission of the jobs that need it", scope.Value)
		} else if level.LineComment == "" && n.LineComment == "" {
			a.add(scope, "excessive-permissions", "%s: write must have a comment that says what for", scope.Value)
		}
	}
}

func (a *audit) job(job *yaml.Node) {
	if permissions := get(job, "permissions"); permissions != nil {
		a.permissions(permissions, true)
	}
	if runner := get(job, "runs-on"); runner != nil && strings.Contains(flat(runner), "self-hosted") {
		a.add(runner, "self-hosted-runner", "a job of a public repository must not run on a machine of ours")
	}
	if secrets := get(job, "secrets"); secrets != nil && secrets.Value == "inherit" {
		a.add(secrets, "secrets-inherit", "secrets must be named one by one")
	}
	if uses := get(job, "uses"); uses != nil {
		a.uses(uses)
	}
	if condition := get(job, "if"); condition != nil {
		a.condition(condition)
	}
	a.steps(get(job, "steps"))
}

func flat(n *yaml.Node) string {
	text := n.Value
	for _, child := range n.Content {
		text += " " + flat(child)
	}
	return text
}

func (a *audit) condition(n *yaml.Node) {
	if strings.Contains(n.Value, "github.actor") {
		a.add(n, "bot-conditions", "github.actor must not decide: it is whoever pushed last")
	}
}

func (a *audit) steps(steps *yaml.Node) {
	if steps == nil {
		return
	}
	for _, step := range steps.Content {
		a.step(step)
	}
}

// output matches changes of the environment of later steps.
var output = regexp.MustCompile(`>>\s*"?\$\{?(GITHUB_ENV|GITHUB_PATH)`)

func (a *audit) step(step *yaml.Node) {
	with := get(step, "with")
	for _, code := range []*yaml.Node{get(step, "run"), get(with, "script")} {
		if code == nil {
			continue
		}
		if strings.Contains(code.Value, "${{") {
			a.add(code, "template-injection", "a script must not contain ${{ }}: set an environment variable, and quote it")
		}
		if output.MatchString(code.Value) {
			a.add(code, "github-env", "a step must not change the environment of later ones")
		}
	}
	if condition := get(step, "if"); condition != nil {
		a.condition(condition)
	}
	uses := get(step, "uses")
	if uses == nil {
		return
	}
	a.uses(uses)
	switch {
	case strings.HasPrefix(uses.Value, "actions/checkout@") && value(with, "persist-credentials") != "false":
		a.add(uses, "artipacked", "a checkout must set persist-credentials: false, so that it leaves no token in .git")
	case strings.HasPrefix(uses.Value, "actions/setup-go@") && a.publishes && value(with, "cache") != "false":
		a.add(uses, "cache-poisoning", "a workflow that publishes must set cache: false: other workflows write the cache")
	case strings.HasPrefix(uses.Value, "actions/cache") && a.publishes:
		a.add(uses, "cache-poisoning", "a workflow that publishes must not use a cache: other workflows write it")
	}
}

// Actions are pinned to commits, with the version as a comment: a tag can be moved.
var (
	atCommit = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)
	version  = regexp.MustCompile(`^# v\d+\.\d+\.\d+$`)
	atDigest = regexp.MustCompile(`^docker://.+@sha256:[0-9a-f]{64}$`)
)

func (a *audit) uses(uses *yaml.Node) {
	switch {
	case strings.HasPrefix(uses.Value, "./"), atDigest.MatchString(uses.Value):
	case !atCommit.MatchString(uses.Value):
		a.add(uses, "unpinned-uses", "%s must be pinned to a commit", uses.Value)
	case !version.MatchString(uses.LineComment):
		a.add(uses, "unpinned-uses", "%s must have its version as a comment, such as # v1.2.3", uses.Value)
	}
}

// text finds mistakes that can be anywhere in a file.
func (a *audit) text(line int, text string) {
	at := &yaml.Node{Line: line}
	if strings.Contains(text, "ACTIONS_ALLOW_UNSECURE_COMMANDS") {
		a.add(at, "insecure-commands", "ACTIONS_ALLOW_UNSECURE_COMMANDS must not be set")
	}
	if strings.Contains(strings.ReplaceAll(strings.ToLower(text), " ", ""), "tojson(secrets)") {
		a.add(at, "overprovisioned-secrets", "secrets must be named one by one")
	}
	if regexp.MustCompile(`(curl|wget)\b.*\|\s*(sudo\s+)?(ba|z)?sh\b`).MatchString(text) {
		a.add(at, "unverified-script", "a script must not be downloaded and run")
	}
}
