package validate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// provided is a table of changes to a valid plugin, changes to the sandbox that uses it, and all findings.
type provided []struct {
	plugin, sandbox string
	want            []string
}

func (p provided) run(t *testing.T) {
	t.Helper()
	for _, c := range p {
		got := check(t, edited(t, aPlugin, c.plugin), edited(t, aSandbox, fed, c.sandbox))
		if assert.Len(t, got, len(c.want), "%s | %s\n%s", c.plugin, c.sandbox, strings.Join(got, "\n")) {
			for i := range got {
				assert.True(t, strings.HasPrefix(got[i], c.want[i]), "%s | %s\ngot  %s\nwant %s", c.plugin, c.sandbox, got[i], c.want[i])
			}
		}
	}
}

func TestPluginsOfSandboxes(t *testing.T) {
	t.Parallel()
	const at = "spec.resources[0].plugin: "
	provided{
		{"", "", nil},
		{"", at + "hello-db@v1", nil},
		{"", at + "hello-db@^1", nil},
		{"", at + "hello-db@latest", nil},
		{"", at + "helo-db", []string{"warning unknown-plugin " + at + `there is no plugin "helo-db": did you mean "hello-db"?`}},
		{"", at + "Hello-DB", []string{"warning unknown-plugin " + at + `there is no plugin "Hello-DB": did you mean "hello-db"?`}},
		{"", at + "cache", []string{"warning unknown-plugin " + at + `there is no plugin "cache": the list has "hello-db"`}},
		{"", at + "hello-db@2.0.0", []string{
			"warning unknown-plugin " + at + `plugin "hello-db" has no version "2.0.0": there are "1.0.0"`,
		}},
		{"", at + "hello-db@<1", []string{
			"warning unknown-plugin " + at + `plugin "hello-db" has no version "<1": there are "1.0.0"`,
		}},
		{"", at + "hello_db", []string{"error plugin-reference " + at}},
		{"metadata.name: hello_db", "", []string{"error plugin-name metadata.name: "}}, // any name is possible
		{"metadata.name: hello-db@2.0.0-rc.1", at + "hello-db", nil},
	}.run(t)
	many := []*yaml.Node{edited(t, aSandbox, fed, at+"helo-db", "spec.resources[1].plugin: hello-db"), edited(t, aPlugin)}
	for i := range 100 {
		many = append(many, edited(t, aPlugin, fmt.Sprintf("metadata.name: a%d", i)))
	}
	assert.Equal(t, []string{"warning unknown-plugin " + at + `there is no plugin "helo-db": did you mean "hello-db"?`},
		check(t, many...)[:1])
	assert.Empty(t, check(t, edited(t, aSandbox, at+"nobody")), "a sandbox may be checked alone")
}

func TestOutputKeysOfPlugins(t *testing.T) {
	t.Parallel()
	const at = "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: "
	provided{
		{"", at + "seed.user", nil},
		{"", at + "provision.hots", []string{
			"error unknown-output-key " + at + `plugin "hello-db@1.0.0" has no output "provision.hots": did you mean "provision.host"?`,
		}},
		{"", at + "setup.bucket", []string{
			"error unknown-output-key " + at + `plugin "hello-db@1.0.0" has no output "setup.bucket": its outputs are ` +
				`"provision.host", "provision.port", "seed.user"`,
		}},
		{"", at + "drop.log", []string{
			"error unknown-output-key " + at + `an outputKey must be of a create step: "drop" of plugin "hello-db@1.0.0" is a delete step`,
		}},
		{"", at + "host", []string{"warning output-key-form " + at + `must be "provision.host": "host" names no step`}},
		{"spec.create[1].outputs[0].name: host", at + "host", []string{
			"warning output-key-form " + at + `must be "provision.host" or "seed.host": "host" names no step`,
		}},
		{"", at + "hots", []string{
			"error unknown-output-key " + at + `plugin "hello-db@1.0.0" has no output "hots": its outputs are ` +
				`"provision.host", "provision.port", "seed.user"`,
		}},
		{"", at + "log", []string{"error unknown-output-key " + at + `plugin "hello-db@1.0.0" has no output "log": `}}, // of a delete step
		{"", at + "provision/host", []string{
			"error output-key " + at + `must be <step>.<output>, not "provision/host": did you mean "provision.host"?`,
		}},
		{"", at + "host\n" + "spec.resources[0].plugin: hello-db@stable", []string{
			"warning output-key-form " + at + `must be <step>.<output> such as "provision.host": "host" names no step`,
		}},
		{"", at + "provision.hots\n" + "spec.resources[0].plugin: hello-db@stable", nil}, // known only to a catalog
		{"spec.create[0].outputs~output", "", []string{"error unknown-key spec.create[0].output: "}},
		{"spec.create[0].outputs[1].valueFromPath~from", "", []string{"error unknown-key spec.create[0].outputs[1].from: "}},
		{"spec.create[0].outputs[1].name: post", "", []string{
			"error unknown-output-key spec.local[0].env[0].valueFrom.resource.outputKey: ",
		}},
	}.run(t)
}

func TestParamsOfPlugins(t *testing.T) {
	t.Parallel()
	const at = "spec.resources[0].params"
	const script = "spec.create[0].script: "
	missing := []string{"warning missing-param " + at + `: param "size" must be given: step "provision" of plugin ` +
		`"hello-db@1.0.0" takes it, and would get nothing`}
	provided{
		{"", "-" + at + ".size", missing},
		{"", at + `.size: ""`, nil},
		{"", at + ".size~siz", []string{
			"warning unknown-param " + at + `.siz: plugin "hello-db@1.0.0" has no input for param "siz": did you mean "size"?`,
		}},
		{"", at + ".region: eu", []string{
			"warning unknown-param " + at + `.region: plugin "hello-db@1.0.0" has no input for param "region": its inputs are ` +
				`"db-name", "size"`,
		}},
		{"", "-" + at, append([]string{"warning missing-param " + at + `: param "db-name" must be given`}, missing...)},
		// If a script tests whether it got the value, the param is optional.
		{script + `"#!/bin/sh\ncd /tmp\nif [ -z \"$SIZE\" ]; then echo; fi\n"`, "-" + at + ".size", nil},
		{script + `"#!/bin/sh\ncd /tmp\necho ${SIZE:-small}\n"`, "-" + at + ".size", nil},
		{script + `"#!/bin/sh\ncd /tmp\n[ ! -n \"${SIZE}\" ] || echo\n"`, "-" + at + ".size", nil},
		{
			script + `"#!/bin/sh\ncd /tmp\n[ ! -s /inputs/size ] || cat /inputs/size\n"` +
				"\nspec.create[0].inputs[1].as: {path: /inputs/size}", "-" + at + ".size", nil,
		},
		{script + `"#!/bin/sh\ncd /tmp\necho $SIZE ${SIZES:-x}\n"`, "-" + at + ".size", missing},
		{"spec.create[0].inputs[1].name: sizes", "", []string{
			"warning unknown-param " + at + ".size: ", "warning unknown-param spec.resources[1].params.size: ",
		}},
		{"spec.create[0].inputs[1].valueFromSandbox~valueFromSandbx", "", []string{"error unknown-key "}},
	}.run(t)
}

// A floating reference selects the highest release. If the list has catalogs, only they know the version.
func TestSandboxesAreComparedWithTheVersionThatTheyMean(t *testing.T) {
	t.Parallel()
	const key = "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: provision.address"
	plugins := func() []*yaml.Node {
		return []*yaml.Node{
			edited(t, aPlugin), edited(t, aPlugin, "metadata.name: hello-db@2.0.0-rc.1"),
			edited(t, aPlugin, "metadata.name: hello-db@1.1.0\n"+
				"spec.create[0].outputs[2]: {name: address, valueFromPath: /tmp/port}"),
		}
	}
	for reference, fits := range map[string]bool{
		"hello-db": true, "hello-db@latest": true, "hello-db@1.1.0": true, "hello-db@^1": true, "hello-db@1.0.0": false,
		"hello-db@2.0.0-rc.1": false, "hello-db@~1.0": false,
	} {
		got := check(t, append(plugins(), edited(t, aSandbox, fed, key, "spec.resources[0].plugin: "+reference))...)
		assert.Equal(t, fits, len(got) == 0, "%s: %s", reference, got)
	}
	var catalog yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("{apiVersion: resourceplugins.dev/v1alpha1, kind: Catalog, metadata: {name: c}}"), &catalog))
	assert.Empty(t, check(t, append(plugins(), catalog.Content[0], edited(t, aSandbox, fed, key, "spec.resources[0].plugin: hello-db@~1.0"))...))
}

// The vendor's plugins match the sandboxes beside them without warnings.
func TestRealSandboxesFitTheirPlugins(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	plugins, err := filepath.Glob(corpus + "/plugins/*/plugin.yaml")
	require.NoError(t, err)
	sandboxes, err := filepath.Glob(corpus + "/plugins/*/example-*.yaml")
	require.NoError(t, err)
	read, err := load.Read(append(plugins, sandboxes...), load.Options{Values: values()})
	require.NoError(t, err)
	list := krm.NewList()
	for _, d := range read.Documents {
		list.Append(d.Item)
	}
	report, err := validate.Check(list, validate.Options{})
	require.NoError(t, err)
	assert.Equal(t, []validate.Count{{N: 4, Noun: "plugin"}, {N: 4, Noun: "sandbox"}}, report.Counts[:2])
	for _, result := range report.Results {
		assert.Contains(t, []string{"plugin-description", "plugin-version", "overlay-account"}, result.Tags["rule"], result.Message)
	}
}
