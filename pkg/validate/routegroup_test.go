package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRouteGroup(t *testing.T) {
	t.Parallel()
	cases{
		"metadata.name: f":                   nil,
		"metadata.name: Features-9":          nil,
		"metadata.name: " + long[:30]:        nil,
		"metadata.name: " + long[:31]:        {"error route-group-name metadata.name: name must have at most 30"},
		"metadata.name: a_b":                 {"error route-group-name metadata.name: name must hold letters"},
		"metadata.name: 1a":                  {"error route-group-name metadata.name: name must start with a letter"},
		"metadata.name: a-":                  {"error route-group-name metadata.name: name must end in a letter"},
		"-metadata.name":                     {"error route-group-name metadata.name: name must not be empty"},
		"-spec.cluster":                      nil,
		"spec.cluster: " + long[1:]:          nil,
		"spec.cluster: " + long:              {"error route-group-cluster spec.cluster: must have at most 255 bytes, not 256"},
		"spec.cluster: CHANGE_ME":            {"error placeholder spec.cluster: "},
		"spec.endpoints[0].cluster: " + long: {"error route-group-cluster spec.endpoints[0].cluster: "},
		"-spec.description":                  nil,
		"spec.description: " + long:          {"error route-group-description spec.description: must have at most 255 bytes"},
		"-spec.ttl":                          nil,
		"-spec.ttl.offsetFrom":               nil,
		"-spec.ttl.duration":                 {"error required spec.ttl.duration: must be set"},
		"spec.ttl.duration: 1y":              {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.offsetFrom: createdAt":     nil,
		"spec.ttl.offsetFrom: updatedAt":     nil,
		"spec.ttl.offsetFrom: nomatchedsandboxes": {
			`error ttl-offset spec.ttl.offsetFrom: must be one of "noMatchedSandboxes", "createdAt", "updatedAt", not "nomatched`,
		},
		"-spec.endpoints":             nil,
		"spec.endpoints[1].name: web": {`error endpoint-unique spec.endpoints[1].name: endpoint name "web" must be unique`},
		"spec.endpoints[0].target: web:8080": {
			`error endpoint-target spec.endpoints[0].target: target must be a URL such as "http://web.shop.svc:8080"`,
		},
		"spec.endpoints[0].target: http://web.shop.deploy:8080": {
			`warning endpoint-workload spec.endpoints[0].target: target must name a Service by the specification, not the workload "web" ` +
				`of namespace "shop": write a URL such as "http://web.shop.svc:8080"`,
		},
		"spec.endpoints[0].target: http://web.v2.shop.rollout": {"warning endpoint-workload spec.endpoints[0].target: "},
		"spec.endpoints[0].target: http://shop.deploy":         nil,
		"spec.endpoints[0].target: http://web.${ns}.svc":       {"error placeholder spec.endpoints[0].target: "},
		"-spec.endpoints[0].target":                            {"error required spec.endpoints[0].target: must be set"},
		"spec.endpoints[0].port: 80":                           {`error unknown-key spec.endpoints[0].port: unknown key "port"`},
		"spec.endpoints: {name: web}":                          {"error type spec.endpoints: must be a list: each endpoint begins"},
		"spec.forks: []":                                       {`error unknown-key spec.forks: unknown key "forks"`},
	}.run(t, aRouteGroup)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	cases{
		"spec.match: {label: {key: team, value: '*'}}": nil,
		"spec.match.all: []":                           nil,
		"-spec.match":                                  {"error required spec.match: must be set"},
		"spec.match: {}": {
			"error match-form spec.match: must have exactly one of label, any and all, not 0 of them",
		},
		"spec.match.label: {key: team, value: a}": {
			"error match-form spec.match: must have exactly one of label, any and all, not 2 of them",
		},
		"spec.match.any: []": {"error match-form spec.match: "},
		"spec.match.any[1].all[0]: {any: [{all: []}]}": {
			"error match-form spec.match.any[1].all[0].any[0]: ",
		},
		"spec.match: []":                 {"error type spec.match: must be a mapping"},
		"spec.match: {team: shop}":       {`error unknown-key spec.match.team: unknown key "team"`},
		"-spec.match.any[0].label.value": {"error required spec.match.any[0].label.value: must be set"},
		`spec.match.any[0].label.key: ""`: {
			"error required spec.match.any[0].label.key: must not be empty",
		},
		"spec.match.any[0].label.key: a b": {
			`error match-label spec.match.any[0].label.key: label key must hold letters, digits, dashes and ` +
				`underscores only, not as "a b" does`,
		},
		"spec.match.any[0].label.key: " + long: {
			"error match-label spec.match.any[0].label.key: label key must have at most 255 bytes",
		},
	}.run(t, aRouteGroup)
}

// A match that is nested too deeply is one finding, and is checked in linear time.
func TestDeepMatches(t *testing.T) {
	t.Parallel()
	nest := func(depth int) string {
		return "spec.match: " + strings.Repeat("{any: [", depth) + "{label: {key: a, value: b}}" + strings.Repeat("]}", depth)
	}
	assert.Empty(t, check(t, edited(t, aRouteGroup, nest(48))))
	for _, depth := range []int{50, 51, 60, 3000} {
		got := check(t, edited(t, aRouteGroup, nest(depth)))
		if assert.Len(t, got, 1, depth) {
			assert.Contains(t, got[0], "must not be nested in more than 100 lists and mappings")
		}
	}
}

func TestDuplicateRouteGroups(t *testing.T) {
	t.Parallel()
	assert.Empty(t, check(t, edited(t, aRouteGroup), edited(t, aRouteGroup, "spec.cluster: other"),
		edited(t, aRouteGroup, "metadata.name: other")))
	assert.Equal(t, []string{`error duplicate-route-group metadata.name: route group "features" is given twice: ` +
		`another is in cluster "staging" too; rename one of them`}, check(t, edited(t, aRouteGroup), edited(t, aRouteGroup)))
}
