package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// inAnyOrder is a table whose findings may be in any order: each change is on a separate line.
func (c cases) inAnyOrder(t *testing.T, file string) {
	t.Helper()
	for change, want := range c {
		got := check(t, edited(t, file, change))
		assert.Len(t, got, len(want), "%s\n%s", change, strings.Join(got, "\n"))
		for _, prefix := range want {
			found := slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, prefix) })
			assert.True(t, found, "%s\ngot  %s\nwant %s", change, strings.Join(got, "\n     "), prefix)
		}
	}
}

// Values of former keys are checked in the same run, and reported at the place where they are written.
func TestFormerKeysAreCheckedBelow(t *testing.T) {
	t.Parallel()
	cases{
		// from the Purpose section of the specification
		"spec.resources[0].params: [{dbname: test}]\nspec.resources~resource": {
			"error type spec.resource[0].params: must be a mapping of strings, as in params: {dbname: test}, not a list",
			`error unknown-key spec.resource: unknown key "resource": it is called "resources" today`,
		},
		"spec.resources[1].name: db\nspec.resources~resource": {
			"error unknown-key spec.resource: ", `error resource-unique spec.resource[1].name: resource name "db" must be unique`,
		},
		`spec.labels: {team: ""}` + "\nspec.labels~tags": {
			"error unknown-key spec.tags: ", "error label-value spec.tags.team: label value must not be empty",
		},
		"spec.local~locals\nspec.Ttl: {}": {
			"error unknown-key spec.locals: ", "error unknown-key spec.Ttl: ",
		},
	}.inAnyOrder(t, aSandbox)
	const at = "spec.create[0].inputs[0]"
	cases{
		at + ".as.path: inputs\n" + at + ".as.path~localPath\n" + at + ".as~to": {
			"error unknown-key " + at + ".to: ", "error unknown-key " + at + ".to.localPath: ",
			"error input-path " + at + ".to.localPath: must be an absolute path",
		},
		"spec.runner.basePodTemplate: {spec: {}}\n-spec.runner.podTemplateOverlay": {
			`error unknown-key spec.runner.basePodTemplate: unknown key "basePodTemplate": it is called ` +
				`"podTemplateOverlay" today, and it must be a string that holds YAML`,
		},
		"spec.create[1].script: cat /inputs/host > /tmp/user\nspec.create~Create": {
			"error unknown-key spec.Create: ", "warning script-interpreter spec.Create[1].script: ",
		},
	}.inAnyOrder(t, aPlugin)
}
