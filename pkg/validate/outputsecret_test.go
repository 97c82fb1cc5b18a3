package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An OutputSecret is compared with its sandbox, and with the plugin of the resource.
func TestOutputSecret_againstItsSandbox(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"spec.sandbox: feature-y": `error output-secret-resource spec.sandbox: there is no sandbox "feature-y": did you mean "feature-x"?`,
		"spec.sandbox: other":     `error output-secret-resource spec.sandbox: there is no sandbox "other": the list has "feature-x"`,
		"spec.resource: bd":       `error output-secret-resource spec.resource: sandbox "feature-x" has no resource "bd": did you mean "db"?`,
		"spec.resource: queue": `error output-secret-resource spec.resource: sandbox "feature-x" has no resource "queue": ` +
			`its resources are "db", "cacheDB"`,
		"spec.data.DB_HOST: provision.hots": `error unknown-output-key spec.data.DB_HOST: ` +
			`plugin "hello-db@1.0.0" has no output "provision.hots": did you mean "provision.host"?`,
		"spec.data.DB_HOST: drop.host": `error unknown-output-key spec.data.DB_HOST: an outputKey must be of a create step: ` +
			`"drop" of plugin "hello-db@1.0.0" is a delete step, which runs when the sandbox ends`,
		"spec.data.DB_HOST: provision/host": `error output-key spec.data.DB_HOST: ` +
			`must be <step>.<output>, not "provision/host": did you mean "provision.host"?`,
		"spec.data.DB_HOST: host": `error output-secret-key spec.data.DB_HOST: must be <step>.<output> such as "provision.uri", not "host"`,
		"spec.data: {}": `error output-secret-key spec.data: ` +
			`must have a key: map each key of the Secret to <step>.<output>`,
	} {
		assert.Equal(t, []string{want},
			check(t, edited(t, anOutputSecret, change), edited(t, aPlugin), edited(t, aSandbox, fed)), change)
	}
}

// The name of the Secret, its namespace and its keys are ones that the cluster accepts.
func TestOutputSecret_names(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"metadata.name: Shop": `error output-secret-name metadata.name: name must hold lower-case letters, digits, inner dashes and ` +
			`dots only, not as "Shop" does`,
		`metadata.name: ""`:     `error output-secret-name metadata.name: name must not be empty`,
		"-metadata.namespace":   `error output-secret-name metadata.namespace: must be set: it is the namespace of the workloads that read the Secret`,
		"metadata.namespace: A": `error output-secret-name metadata.namespace: namespace must hold lower-case letters, digits and inner dashes only, not as "A" does`,
		"metadata.namespace: kube-system": `error output-secret-name metadata.namespace: must be a namespace of your workloads, ` +
			`not "kube-system", which is one of Kubernetes`,
		"spec.data: {a b: provision.host}": `error output-secret-key spec.data["a b"]: key must hold letters, digits, dashes, ` +
			`underscores and dots only, not as "a b" does`,
		"spec.data: {..: provision.host}": `error output-secret-key spec.data[".."]: key must not be ".."`,
		"spec.data: {" + strings.Repeat("k", 241) + ": provision.host}": `error output-secret-key spec.data.` +
			strings.Repeat("k", 241) + `: key must have at most 240 characters, not 241`,
	} {
		assert.Equal(t, []string{want}, check(t, edited(t, anOutputSecret, change)), change)
	}
	assert.Empty(t, check(t, edited(t, anOutputSecret, "spec.data: {"+strings.Repeat("k", 240)+": provision.host}")))
}

// Two documents must not write the same Secret; one of another namespace is another Secret.
func TestOutputSecret_writtenOnce(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{`error duplicate-output-secret metadata.name: the Secret "shop-db" of namespace "shop" is ` +
		`written twice: another OutputSecret; rename one of them, or give it the keys of both`},
		check(t, edited(t, anOutputSecret), edited(t, anOutputSecret, "spec.resource: cacheDB")))
	assert.Empty(t, check(t, edited(t, anOutputSecret), edited(t, anOutputSecret, "metadata.namespace: other")))
}

// A prefix or suffix of kustomize changes the name of the sandbox and not the field that refers to it.
func TestOutputSecret_ofRenamedSandbox(t *testing.T) {
	t.Parallel()
	renamed := edited(t, aSandbox, fed, "metadata: {name: feature-x-7, annotations: {internal.config.kubernetes.io/previousNames: feature-x}}")
	assert.Empty(t, check(t, edited(t, anOutputSecret), edited(t, aPlugin), renamed))
}
