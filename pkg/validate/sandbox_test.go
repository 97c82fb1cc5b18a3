package validate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/pkg/validate"
)

func TestSandboxHead(t *testing.T) {
	t.Parallel()
	cases{
		"metadata.name: X":            nil,
		"metadata.name: " + long[:30]: nil,
		"metadata.name: " + long[:31]: {
			"error sandbox-name metadata.name: name must have at most 30 characters, not 31",
		},
		"metadata.name: a_b":         {"error sandbox-name metadata.name: name must hold"},
		"metadata.name: 1a":          {"error sandbox-name metadata.name: name must start with a letter"},
		"metadata.name: a-":          {"error sandbox-name metadata.name: name must end in"},
		"-metadata.name":             {"error sandbox-name metadata.name: name must not be empty"},
		`metadata.name: "@{name}"`:   {"error placeholder metadata.name: "},
		`spec.cluster: ""`:           {"error required spec.cluster: must not be empty"},
		"-spec.cluster":              {"error required spec.cluster: must be set"},
		"spec.cluster: " + long:      {"error sandbox-cluster spec.cluster: must have at most 255 bytes"},
		`spec.cluster: "@{cluster}"`: {"error placeholder spec.cluster: "},
		"spec.description: " + long:  {"error sandbox-description spec.description: must have at most 255 bytes"},
		"-spec.description":          nil,
		"spec.tags: {a: b}": {
			`error unknown-key spec.tags: unknown key "tags": it is called "labels" today`,
		},
		"spec.resource: []": {
			`error unknown-key spec.resource: unknown key "resource": it is called "resources" today`,
		},
		"spec.local~locals": {
			`error unknown-key spec.locals: unknown key "locals": it is called "local" today`,
		},
		"spec.workloads: []": {
			`error unknown-key spec.workloads: unknown key "workloads": workloads must be given as forks`,
		},
		"spec.endpoints: {name: a}": {
			"error type spec.endpoints: must be a list: each endpoint begins with a dash",
		},
		"spec.endpoints: web": {"error type spec.endpoints: must be a list, not "},
	}.run(t, aSandbox)
}

func TestLabels(t *testing.T) {
	t.Parallel()
	cases{
		"-spec.labels":    nil,
		"spec.labels: {}": nil,
		"spec.labels: {A-b_9: anything goes (here)}": nil,
		`spec.labels: {"": a}`:                       {"error label-key "},
		`spec.labels: {"a b": a}`: {
			`error label-key spec.labels["a b"]: label key must hold`,
		},
		"spec.labels: {ä: a}": {"error label-key "},
		"spec.labels: {" + long + ": a}": {
			"error label-key spec.labels." + long + ": label key must have at most 255 bytes",
		},
		"spec.labels: {a: " + long + "}": {
			"error label-value spec.labels.a: label value must have at most 255 bytes",
		},
		`spec.labels: {a: ""}`: {
			"error label-value spec.labels.a: label value must not be empty",
		},
		"spec.labels: {a: 12}": {
			"error type spec.labels.a: must be a string, not the number 12: quote it",
		},
		"spec.labels: {app.kubernetes.io/name: a}": {
			`warning label-key-form spec.labels["app.kubernetes.io/name"]: `,
		},
		"spec.labels: {signadot/other: a}": {
			`error label-reserved spec.labels["signadot/other"]: label key "signadot/other" must not begin with`,
		},
		"spec.labels: {signadot/github-repo: a/b}": {
			`error label-reserved spec.labels["signadot/github-repo"]: label "signadot/github-repo" must be ` +
				`given together with "signadot/github-pull-request"`,
		},
		`spec.labels: {signadot/github-pull-request: "1"}`: {`error label-reserved `},
	}.run(t, aSandbox)
}

func TestTTL(t *testing.T) {
	t.Parallel()
	cases{
		"-spec.ttl":                      nil,
		"-spec.ttl.offsetFrom":           nil,
		"spec.ttl.duration: 0m":          nil,
		"spec.ttl.duration: 4294967295w": nil,
		"spec.ttl.duration: 4294967296w": {
			"error ttl-duration spec.ttl.duration: must be a number of at most 32 bits",
		},
		"spec.ttl.duration: 90s":         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 1d12h":       {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 2dd":         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: d":           {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: -1d":         {"error ttl-duration spec.ttl.duration: "},
		`spec.ttl.duration: "2"`:         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 2":           {"error type spec.ttl.duration: "},
		"-spec.ttl.duration":             {"error required spec.ttl.duration: must be set"},
		"spec.ttl.offsetFrom: createdAt": nil,
		"spec.ttl.offsetFrom: createdat": {
			`error ttl-offset spec.ttl.offsetFrom: must be one of "createdAt", "updatedAt", not "createdat"`,
		},
	}.run(t, aSandbox)
}

func TestWorkloads(t *testing.T) {
	t.Parallel()
	const of = "spec.forks[0].forkOf"
	cases{
		of + ".kind: StatefulSet": {
			"error workload-kind " + of + `.kind: must be one of "Deployment", "ArgoRollout", "Rollout", not "StatefulSet"`,
		},
		of + ".kind: Service":     {"error workload-kind " + of + ".kind: "},
		of + ".kind: deployment":  {"error workload-kind " + of + ".kind: "},
		of + ".kind: ArgoRollout": nil,
		of + ".namespace: Shop":   {"error workload-name " + of + ".namespace: namespace must hold"},
		of + ".namespace: a.b":    {"error workload-name " + of + ".namespace: "},
		of + ".namespace: CHANGE_ME": {
			"error placeholder " + of + `.namespace: "CHANGE_ME" is a placeholder: fill it in`,
		},
		of + ".namespace: ${ns}": {"error placeholder " + of + ".namespace: "},
		of + ".name: web.v1":     nil,
		of + ".name: Web":        {"error workload-name " + of + ".name: name must hold"},
		of + ".name: " + long:    {"error workload-name " + of + ".name: name must have at most 253 characters"},
		of + `: {kind: "", namespace: "", name: ""}`: {
			"error required " + of + ".kind: must not be empty", "error required " + of + ".namespace: ",
			"error required " + of + ".name: ",
		},
		"-" + of + ".name": {"error required " + of + ".name: must be set"},
		of + ": {kind: ArgoRollout, namespace: shop, name: cart}": {
			`error workload-unique spec.forks[1].forkOf: the Rollout "cart" of namespace "shop" must be ` +
				`named once: it is already in spec.forks[0].forkOf`,
		},
		"spec.local[0].from: {kind: Deployment, namespace: shop, name: web}": {
			"error workload-unique spec.local[0].from: ",
		},
		"spec.virtual[0].workload: {kind: Deployment, namespace: shop, name: web}": nil,
		"spec.virtual[0].name: web-fork": {
			`error workload-name-unique spec.virtual[0].name: workload name "web-fork" must be unique`,
		},
		"-spec.forks[0].name":                  nil,
		"spec.forks: null\n-spec.local[0].env": nil,
	}.run(t, aSandbox)
}

func TestTTLIgnored(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]int{
		"spec.ttl.duration: 1h": 1, "-spec.ttl": 0, "spec.ttl.offsetFrom: updatedAt": 1,
		"metadata.annotations: {resourceplugins.dev/state: absent}": 0,
	} {
		assert.Len(t, lines(t, validate.Options{}, edited(t, aPlugin), edited(t, aSandbox, fed, change)), want, change)
	}
	for change, want := range map[string]int{
		"spec.ttl.duration: 1h": 1, "-spec.ttl": 0, "spec.ttl.offsetFrom: createdAt": 0,
	} {
		assert.Len(t, lines(t, validate.Options{}, edited(t, aRouteGroup, change)), want, change)
	}
}
