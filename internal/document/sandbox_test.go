package document_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sandboxWhole sets every field: TestReadTakesEveryField checks that.
const sandboxWhole = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: My-Sandbox}
spec:
  cluster: demo
  description: try it
  labels: {team: a}
  ttl: {duration: 2d, offsetFrom: updatedAt}
  disableSandboxTrafficManager: true
  localMachineID: laptop
  connection: {devboxId: d1}
  forks:
  - name: app
    forkOf: {kind: Deployment, namespace: ns, name: app}
    customizations:
      images: [{container: main, image: "app:1"}]
      patch: {type: strategic, value: "{}"}
      env:
      - {name: A, container: main, operation: upsert, value: x}
      - {name: B, valueFrom: {resource: {name: db, outputKey: provision.host}}}
      - name: C
        valueFrom:
          fork: {forkOf: {kind: Deployment, namespace: ns, name: app}, expression: "{{.Service.Host}}"}
      - {name: D, valueFrom: {configMap: {name: m, key: k, optional: true}}}
      - {name: E, valueFrom: {secret: {name: m, key: k, optional: true}}}
    endpoints: [{name: e1, port: 80, protocol: http}]
  endpoints: [{name: e2, host: h.ns.svc, port: 80, protocol: grpc}]
  defaultRouteGroup:
    endpoints: [{name: e3, target: "http://h.ns.svc:80"}]
  local:
  - name: l
    from: {kind: Deployment, namespace: ns, name: other}
    mappings: [{port: 80, toLocal: "localhost:80", appProtocol: http}]
    env: [{name: A, value: x}]
    files:
    - {path: /a, value: x}
    - {path: /b, valueFrom: {resource: {name: db, outputKey: provision.host}}}
    - {path: /c, valueFrom: {configMap: {name: m, key: k, optional: true}}}
    - {path: /d, valueFrom: {secret: {name: m, key: k, optional: true}}}
  virtual: [{name: v, workload: {kind: Deployment, namespace: ns, name: third}}]
  middleware:
  - name: override
    match: [{workload: "*"}]
    args: [{name: x, value: v}, {name: overrideHost, valueFrom: {forward: f}}]
  routing:
    forwards: [{name: f, port: 80, toLocal: "localhost:80", appProtocol: http}]
  resources: [{name: db, plugin: mariadb@1.0.0, params: {dbname: test}}]
`

func read(t *testing.T, text string) (*document.Sandbox, []string) {
	t.Helper()
	item, err := krm.NewItem([]byte(text))
	require.NoError(t, err)
	s, problems := document.ReadSandbox(item)
	var got []string
	for _, problem := range problems {
		got = append(got, string(problem.Path)+": "+problem.Rule)
	}
	return s, got
}

func TestSandboxReadTakesEveryField(t *testing.T) {
	t.Parallel()
	s, problems := read(t, sandboxWhole)
	require.Empty(t, problems)
	assert.Equal(t, "My-Sandbox", s.Name)
	assert.Equal(t, "my-sandbox", s.LowerName())
	set := map[string]bool{}
	fields(reflect.ValueOf(s.Spec), set)
	for field, seen := range set {
		assert.True(t, seen, "%s is not in the test's document", field)
	}
}

// fields notes for each field of each struct type whether any value of it is set.
func fields(v reflect.Value, set map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fields(v.Elem(), set)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fields(v.Index(i), set)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key := v.Type().Name() + "." + v.Type().Field(i).Name
			set[key] = set[key] || !v.Field(i).IsZero()
			fields(v.Field(i), set)
		}
	}
}

func TestReadNamesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spec string
		want []string
	}{
		"no spec":       {"metadata: {name: a}", []string{"spec: required"}},
		"null spec":     {"spec: null", []string{"spec: required"}},
		"no cluster":    {"spec: {description: x}", []string{"spec.cluster: required"}},
		"tags":          {"spec: {cluster: a, tags: {a: b}}", []string{"spec.tags: unknown-key"}},
		"locals":        {"spec: {cluster: a, locals: []}", []string{"spec.locals: unknown-key"}},
		"workloads":     {"spec: {cluster: a, workloads: []}", []string{"spec.workloads: unknown-key"}},
		"number":        {"spec: {cluster: a, labels: {pr: 12}}", []string{"spec.labels.pr: type"}},
		"endpoints map": {"spec: {cluster: a, endpoints: {name: x}}", []string{"spec.endpoints: type"}},
		"list of params": {
			"spec: {cluster: a, resources: [{name: db, plugin: p, params: [{a: b}]}]}",
			[]string{"spec.resources[0].params: type"},
		},
		"match in the default route group": {
			"spec: {cluster: a, defaultRouteGroup: {match: {}}}",
			[]string{"spec.defaultRouteGroup.match: unknown-key"},
		},
		"patches": {
			"spec: {cluster: a, forks: [{forkOf: {kind: D, namespace: ns, name: m}, patches: []}]}",
			[]string{"spec.forks[0].patches: unknown-key"},
		},
	}
	for name, c := range cases {
		_, got := read(t, c.spec)
		assert.Equal(t, c.want, got, name)
	}
}

// A target names a workload by its kind, in any case; a workload's name may hold dots.
func TestTargetsOfWorkloads(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]v1alpha1.Workload{
		"http://web.shop.deploy:8080":     {Kind: "Deployment", Namespace: "shop", Name: "web"},
		"grpc://web.v2.shop.rollout":      {Kind: "Rollout", Namespace: "shop", Name: "web.v2"},
		"https://Web.Shop.Deploy:1/a?b#c": {Kind: "Deployment", Namespace: "shop", Name: "web"},
	} {
		w, ok := v1alpha1.TargetWorkload(target)
		assert.True(t, ok, target)
		assert.Equal(t, want, w, target)
		assert.Equal(t, want, w.Plain(), target)
	}
	for _, target := range []string{
		"", "http://", "http://deploy", "http://web.deploy", "http://.shop.deploy", "http://web..deploy", "http://web.shop.svc/a.b.deploy",
		"web.shop.deploy:8080", "http://web.shop.deploy.svc", "http://web.shop.deployment", "http://%zz.shop.deploy",
	} {
		_, ok := v1alpha1.TargetWorkload(target)
		assert.False(t, ok, target)
	}
	assert.Equal(t, "Rollout", v1alpha1.Workload{Kind: "ArgoRollout"}.Plain().Kind)
}

func TestNullMeansAbsent(t *testing.T) {
	t.Parallel()
	s, problems := read(t, "spec: {cluster: a, resources: null, endpoints: null, ttl: null, forks: []}")
	assert.Empty(t, problems)
	assert.Nil(t, s.Spec.Resources)
	assert.Nil(t, s.Spec.TTL)
}

func FuzzSandboxRead(f *testing.F) {
	f.Add(sandboxWhole)
	f.Add("spec: {cluster: 1, forks: {}, local: [[]], labels: [a]}")
	f.Add("spec: {match: &a {any: [*a], all: [{label: {}}]}, endpoints: [{target: 1}], ttl: {}}")
	f.Fuzz(func(t *testing.T, text string) {
		item, err := krm.NewItem([]byte(text))
		if err != nil {
			return
		}
		_, problems := document.ReadSandbox(item)
		_, more := document.ReadRouteGroup(item)
		for i, problem := range append(problems, more...) {
			assert.NotEmpty(t, problem.Message, strconv.Itoa(i))
		}
	})
}
