package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// limit has valid and invalid values of a field at the limits of its rule.
type limit struct {
	field     string // suffix of the path's pattern, or all of it
	rule      string
	good, bad []string
}

var (
	names     = []string{"a", "Z", "a-9", "A--b", long[:30]}
	badNames  = []string{"1a", "a_b", "a-", "-a", "a.b", "ä", "a b", long[:31]}
	labels63  = []string{"a", `"9"`, "a-b", long[:63]}
	bad63     = []string{"A", "a_b", "a-", "-a", long[:64]}
	ports     = []string{"1", "65535"}
	badPorts  = []string{"0", "-1", "65536"}
	files     = []string{"/a", "/a.b/..c", "/a b"}
	badFiles  = []string{"a/b", "/a/../b", "/a/..", "/", "/a/", `"/a\nb"`}
	images    = []string{"a", "a.b:5000/c/d:e", "a@sha256:" + strings.Repeat("0", 64)}
	badImages = []string{"A", "a b", "a:b:c", "http://a/b", "a@sha256:0"}
	hosts     = []string{"a", "A.b.svc.", "10.0.0.1", `"::1"`, long[:63], long[:63] + ".a"}
	noHosts   = []string{"a/b", "a:80", "http://a", "me@a", "a b", `"[::1]"`, "a..b", long[:64]}
	targets   = []string{"http://a", "https://a.b.svc:1/c", "grpc://a.b:65535"}
	noTargets = []string{"a.b.svc:80", "http://", "http://a:65536", "http://a:0", "//a"}
)

var limits = map[string][]limit{
	aPlugin: {
		{"spec.create[].name", "step-name", names, badNames},
		{"spec.delete[].name", "step-name", names, badNames},
		{".inputs[].name", "input-name", names, badNames},
		{".outputs[].name", "output-name", names, badNames},
		{".outputs[].valueFromPath", "output-path", files, badFiles},
		{".as.path", "input-path", files, badFiles},
		{".as.env", "variable-name", []string{"A", "_", "A_1"}, []string{"1A", "A B", "A=B", "..", "Ä"}},
		{".runner.image", "image-reference", images, badImages},
		{".runner.namespace", "runner-namespace", labels63, bad63},
		{"spec.description", "plugin-description", []string{long[1:], "a"}, []string{long}},
	},
	aSandbox: {
		{"spec.cluster", "sandbox-cluster", []string{"a", long[1:]}, []string{long}},
		{"spec.description", "sandbox-description", []string{"a", long[1:]}, []string{long}},
		{"spec.labels.team", "label-value", []string{"a b", long[1:]}, []string{`""`, long}},
		{"spec.ttl.duration", "ttl-duration", []string{"0m", "1h", "4294967295w"}, []string{"d", "1s", "1d1h", "4294967296d", "-1d"}},
		{"spec.ttl.offsetFrom", "ttl-offset", []string{"createdAt", "updatedAt"}, []string{"noMatchedSandboxes", "createdat"}},
		{"spec.forks[].forkOf.kind", "workload-kind", []string{"Deployment", "ArgoRollout", "Rollout"}, []string{"Pod", "deployment", "StatefulSet"}},
		{".from.kind", "workload-kind", []string{"Deployment", "Service"}, []string{"Pod", "service"}},
		{"spec.forks[].forkOf.namespace", "workload-name", labels63, bad63},
		{".from.namespace", "workload-name", labels63, bad63},
		{".workload.name", "workload-name", []string{"a.b", long[:253]}, []string{"A", "a..b", long[:254]}},
		{".images[].image", "image-reference", images, badImages},
		{".env[].operation", "env-operation", []string{"upsert", "delete"}, []string{"set", "Upsert"}},
		{".env[].name", "variable-name", []string{"A", "_.-"}, []string{"1A", "A B", "A=B"}},
		{".secret.key", "key-reference", []string{"a", ".b", long[:253]}, []string{"a/b", "..", long[:254]}},
		{".resource.outputKey", "output-key", []string{"a.b", long[:30] + "." + long[:30]}, []string{"a/b", "a.", ".b", "a.b.c"}},
		{".resource.outputKey", "output-key-form", nil, []string{"host", long[:30]}},
		{".patch.type", "patch-type", []string{"merge", "strategic"}, []string{"Merge", "jsonpatch"}},
		{"spec.forks[].endpoints[].port", "endpoint-port", ports, badPorts},
		{"spec.endpoints[].port", "endpoint-port", ports, badPorts},
		{"spec.endpoints[].host", "endpoint-host", hosts, noHosts},
		{".endpoints[].protocol", "endpoint-protocol", []string{"http", "grpc"}, []string{"tcp", "HTTP"}},
		{".endpoints[].target", "endpoint-target", append([]string{"http://a.b.deploy", "grpc://a.b.rollout:65535"}, targets...), noTargets},
		{".mappings[].port", "local-address", ports, badPorts},
		{".mappings[].toLocal", "local-address", []string{"a:1", "'[::1]:65535'"}, []string{`"8080"`, "a:0", "a:65536", `"a:"`, "http://a:1"}},
		{".forwards[].toLocal", "local-address", []string{"a:1"}, []string{"a", "a:0"}},
		{".resources[].name", "resource-name", []string{"a", "B-9", long[:30]}, []string{"a_b", "1a", long[:31]}},
		{".resources[].plugin", "plugin-reference", []string{"ab", "ab@1", "ab@^1.2", "ab@latest"}, []string{"a", "a_b", "ab@", "1ab"}},
	},
	aPluginTest: {
		{"spec.plugin", "plugin-reference", []string{"ab", "ab@1", "ab@^1.2", "ab@latest"}, []string{"a", "a_b", "ab@", "1ab"}},
		{"spec.cases[].name", "test-name", names, badNames},
		{"spec.fixtures[].image", "image-reference", images, badImages},
		{"spec.fixtures[].port", "fixture-form", ports, badPorts[1:]},
		{".timeoutSeconds", "test-timeout", []string{"0", "86400"}, []string{"-1", "86401"}},
		{".fails.exitCode", "expectation-form", []string{"0", "255"}, []string{"-1", "256"}},
		{".fails.message", "expectation-pattern", []string{"a+"}, []string{"a(", "'(?=a)'"}},
		{".outputs[].matches", "expectation-pattern", []string{"a+"}, []string{"a("}},
	},
	anOutputSecret: {
		{"spec.data.DB_HOST", "output-key", []string{"a.b", long[:30] + "." + long[:30]}, []string{"a/b", "a.", ".b", "a.b.c"}},
		{"spec.data.DB_HOST", "output-secret-key", nil, []string{"host", long[:30]}},
	},
	aRouteGroup: {
		{"spec.cluster", "route-group-cluster", []string{"a", long[1:]}, []string{long}},
		{".endpoints[].cluster", "route-group-cluster", []string{"a", long[1:]}, []string{long}},
		{"spec.description", "route-group-description", []string{"a", long[1:]}, []string{long}},
		{".label.key", "match-label", []string{"a", "A_-9", "a.b/c", long[1:]}, []string{"a b", "ä", long}},
		{".label.value", "", []string{"'*'", "a b", "ä"}, nil},
		{".endpoints[].target", "endpoint-target", targets, noTargets},
		{".endpoints[].target", "endpoint-workload", targets, []string{"http://a.b.deploy", "grpc://a.b.c.rollout:65535/d"}},
		{"spec.ttl.duration", "ttl-duration", []string{"0m", "4294967295w"}, []string{"d", "1s", "4294967296d"}},
		{"spec.ttl.offsetFrom", "ttl-offset", []string{"createdAt", "updatedAt", "noMatchedSandboxes"}, []string{"never"}},
	},
}

// outOfRange sets each field to values on both sides of its limits.
func outOfRange(t *testing.T, file string) (all []mutation) {
	t.Helper()
	for _, l := range limits[file] {
		hits := 0
		for value, good := range l.values() {
			eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
				if pattern := anyIndex(path); pattern != l.field && (l.field[0] != '.' || !strings.HasSuffix(pattern, l.field)) {
					return
				}
				hits++
				mapping.Content[at+1] = parsed(t, value)
				m := mutation{sort: "out of range", what: string(path) + " as " + value, file: file, root: root,
					follow: slices.Concat(references, usages, misplaced)}
				if !good {
					m.rule, m.path = l.rule, path
				}
				all = append(all, m)
			})
		}
		require.Positive(t, hits, "%s has no field %s", file, l.field)
	}
	return all
}

// values returns the values of a limit, and whether each is valid.
func (l limit) values() map[string]bool {
	values := make(map[string]bool, len(l.good)+len(l.bad))
	for _, value := range l.good {
		values[value] = true
	}
	for _, value := range l.bad {
		values[value] = false
	}
	return values
}
