package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

// configured runs a function with a functionConfig, and returns its config, its ConfigName and the outcome.
func configured(config string) (*trial, string, outcome) {
	var seen *trial
	name := ""
	got := run(function(func(c *trial, call cli.Call) { seen, name = c, call.ConfigName }), head+"items: []\n"+config)
	return seen, name, got
}

func TestConfigForms(t *testing.T) {
	t.Parallel()
	const typed = "apiVersion: resourceplugins.dev/v1alpha1, kind: Trial"
	const configMap = "apiVersion: v1, kind: ConfigMap"
	defaults := trial{Phases: []string{"create"}, Retries: 3}
	all := trial{
		Phases: []string{"delete", "create"}, Prune: true, Retries: 5, RunnerImg: "a:b",
		Rename: map[string]string{"a": "b,c", "d": "e=f"},
	}
	cases := map[string]struct {
		config string
		want   trial
		name   string
	}{
		"absent": {"", defaults, "try"},
		"null":   {"functionConfig: null\n", defaults, "try"},
		"empty":  {"functionConfig: {}\n", defaults, "try"},
		"kpt's empty one": {
			"functionConfig: {" + configMap + ", metadata: {name: function-input}, data: {}}\n",
			defaults,
			"function-input",
		},
		"no data":         {"functionConfig: {" + configMap + ", metadata: {name: x}}\n", defaults, "x"},
		"null data":       {"functionConfig: {" + configMap + ", data: null}\n", defaults, "try"},
		"typed and empty": {"functionConfig: {" + typed + ", metadata: {name: x}}\n", defaults, "x"},
		"typed": {
			"functionConfig: {" + typed +
				", metadata: {name: x, annotations: {a: b}}, phases: [delete, create], prune: true, retries: 5, " +
				"runnerImage: 'a:b', namespaces: {a: 'b,c', d: e=f}}\n",
			all,
			"x",
		},
		"a ConfigMap": {
			"functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data:\n    phases: delete, create\n    " +
				"prune: 'true'\n    retries: ' 5 '\n    runnerImage: a:b\n    namespaces: |\n      a=b,c\n      " +
				"d=e=f\n",
			all,
			"try",
		},
		"lists in lines": {
			"functionConfig: {" + configMap + ", data: {phases: \"a, b\\nc\"}}\n",
			trial{Phases: []string{"a, b", "c"}, Retries: 3},
			"try",
		},
		"pairs in one line": {
			"functionConfig: {" + configMap + ", data: {namespaces: \"a=b, c=d\"}}\n",
			trial{Phases: []string{"create"}, Retries: 3, Rename: map[string]string{"a": "b", "c": "d"}},
			"try",
		},
		"an empty list": {
			"functionConfig: {" + configMap + ", data: {phases: ''}}\n",
			trial{Phases: []string{}, Retries: 3},
			"try",
		},
		"a ConfigMap not quoted": {
			"functionConfig: {" + configMap + ", data: {prune: true, retries: 4}}\n",
			trial{Phases: []string{"create"}, Prune: true, Retries: 4},
			"try",
		},
		"null fields are absent": {
			"functionConfig: {" + typed + ", phases: null, retries: null}\n",
			defaults,
			"try",
		},
		"a list replaces default": {
			"functionConfig: {" + typed + ", phases: []}\n",
			trial{Phases: []string{}, Retries: 3},
			"try",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen, configName, got := configured(c.config)
			assert.Equal(t, 0, got.code, got.stderr)
			if assert.NotNil(t, seen) {
				seen.show = nil
				assert.Equal(t, c.want, *seen)
			}
			assert.Equal(t, c.name, configName)
		})
	}
}

func TestConfigsThatDoNotFit(t *testing.T) {
	t.Parallel()
	const typed = "apiVersion: resourceplugins.dev/v1alpha1, kind: Trial, metadata: {name: x}"
	const configMap = "apiVersion: v1, kind: ConfigMap, metadata: {name: x}"
	cases := map[string]struct {
		config string
		want   []string
	}{
		"another kind": {
			"{apiVersion: resourceplugins.dev/v1alpha1, kind: Trail, metadata: {name: x}}",
			[]string{
				`Trail/x kind: functionConfig must be a Trial of resourceplugins.dev/v1alpha1 or a ConfigMap ` +
					`of v1, not "Trail" of "resourceplugins.dev/v1alpha1"`,
			},
		},
		"another version": {
			"{apiVersion: resourceplugins.dev/v1, kind: Trial, metadata: {name: x}}",
			[]string{`Trial/x apiVersion: must be "resourceplugins.dev/v1alpha1", not "resourceplugins.dev/v1"`},
		},
		"another ConfigMap": {
			"{apiVersion: v2, kind: ConfigMap, metadata: {name: x}}",
			[]string{
				`ConfigMap/x kind: functionConfig must be a Trial of resourceplugins.dev/v1alpha1 or a ` +
					`ConfigMap of v1, not "ConfigMap" of "v2"`,
			},
		},
		"no kind": {
			"{prune: true}",
			[]string{
				`kind: functionConfig must be a Trial of resourceplugins.dev/v1alpha1 or a ConfigMap of v1, ` +
					`not "" of ""`,
			},
		},
		"an unknown field": {
			"{" + typed + ", phase: a}",
			[]string{`Trial/x phase: unknown key "phase": did you mean "phases"?`},
		},
		"a spec": {
			"{" + typed + ", spec: {phases: [a]}}",
			[]string{`Trial/x spec: unknown key "spec": the fields of a functionConfig must be next to metadata`},
		},
		"data of a kind": {
			"{" + typed + ", data: {phases: a}}",
			[]string{`Trial/x data: unknown key "data": the fields of a Trial must be next to metadata; "data" is for a ConfigMap`},
		},
		"types": {
			"{" + typed + ", phases: a, prune: maybe, retries: x}",
			[]string{
				`Trial/x phases: must be a list, not the string "a"`,
				`Trial/x prune: must be true or false, not the string "maybe"`,
				`Trial/x retries: must be a whole number, not the string "x"`,
			},
		},
		"a repeated field": {
			"{" + typed + ", prune: true, prune: true}",
			[]string{`Trial/x prune: must be given once: key "prune" is repeated`},
		},
		"a ConfigMap's key": {
			"{" + configMap + ", data: {phase: a}}",
			[]string{`ConfigMap/x data.phase: unknown key "phase": did you mean "phases"?`},
		},
		"a ConfigMap's word": {
			"{" + configMap + ", data: {prune: 'yes', retries: many, namespaces: a}}",
			[]string{
				`ConfigMap/x data.prune: must be true or false, not "yes"`,
				`ConfigMap/x data.retries: must be a whole number, not "many"`,
				`ConfigMap/x data.namespaces: must be KEY=VALUE, not "a"`,
			},
		},
		"a ConfigMap's pair": {
			"{" + configMap + ", data: {namespaces: 'a=b,a=c'}}",
			[]string{`ConfigMap/x data.namespaces: must give "a" one value, not two`},
		},
		"data as a list": {
			"{" + configMap + ", data: [a]}",
			[]string{`ConfigMap/x data: must be a mapping of strings`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen, _, got := configured("functionConfig: " + c.config + "\n")
			assert.Nil(t, seen, "the function does not run")
			assert.Equal(t, 1, got.code)
			assert.Equal(t, "[error] "+strings.Join(c.want, "\n[error] ")+"\n", got.stderr)
			assert.Contains(t, got.stdout, "items: []", "the list is written unchanged")
			assert.Equal(t, len(c.want), strings.Count(got.stdout, "severity: error"), "with the results")
		})
	}
}

func TestMisconfiguredNamesTheField(t *testing.T) {
	t.Parallel()
	_, _, got := configured("functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: Trial, " +
		"metadata: {name: x}, phases: [crate], do: misconfigure}\n")
	assert.Equal(t, "[error] Trial/x phases[0]: must be \"create\" or \"delete\"\n", got.stderr)
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stdout, "currentValue: crate")
}

// Without a functionConfig there is no object to name, but still a field.
func TestMisconfiguredDefault(t *testing.T) {
	t.Parallel()
	f := function(func(_ *trial, call cli.Call) { call.ConfigError("retries", "must be fewer") })
	got := run(f, head+"items: []\n")
	assert.Equal(t, 1, got.code)
	assert.Equal(t, "[error] functionConfig retries: must be fewer\n", got.stderr)
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"{apiVersion: v1, kind: ConfigMap, data: {phases: a, prune: 'true', namespaces: a=b}}",
		"null",
		"[]",
		"a",
		"{kind: Trial}",
		"{apiVersion: resourceplugins.dev/v1alpha1, kind: Trial, phases: [a], spec: {}}",
		"{apiVersion: v1, kind: ConfigMap, data: {retries: 1e3}}",
		"&a {apiVersion: v1, kind: ConfigMap, data: *a}",
		"{apiVersion: v1, kind: ConfigMap, data: {phases: \"\\n,\", do: \" \"}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, config string) {
		if strings.Contains(config, "panic") || strings.Contains(config, "fail") {
			return
		}
		input := head + "items: []\nfunctionConfig: " + config + "\n"
		got := run(function(nil), input)
		assert.NotContains(t, got.stderr, "internal error")
		assert.Contains(t, []int{0, 1, 2}, got.code)
		assert.Equal(t, got.code == 2, got.stdout == "")
		assert.Equal(t, got, run(function(nil), input))
	})
}
