package validate

import (
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var fixtureReference = Rule{
	ID: "fixture-reference", Severity: krm.Error,
	Summary: "A value of a fixture is the host or the port of a fixture of the test, and a port is one that the fixture has.",
	Why:     "There would be no value.",
	Sources: []string{},
	Example: "spec.secrets[0].fixtureData[0].fixture: sever",
	checks:  []check{pluginTestCheck(checkFixtureValues)},
}

func checkFixtureValues(r *Rule, t *pluginTest) {
	fixtures := map[string]int{}
	names := make([]string, 0, len(t.Spec.Fixtures))
	for i, fixture := range t.Spec.Fixtures {
		fixtures[fixture.Name], names = i, append(names, fixture.Name)
	}
	otherwise := "the test has none"
	if len(names) > 0 {
		otherwise = "the fixtures are " + strictyaml.Listed(names)
	}
	if slices.Contains(names, "") || t.Unsure("spec.fixtures") {
		return // which is then unknown
	}
	for _, value := range t.values {
		t.OneOf(r, value.path.Key("field"), value.Field, v1alpha1.FixtureHost, v1alpha1.FixturePort)
		at, found := fixtures[value.Fixture]
		switch {
		case !found:
			t.suggest(r, value.path.Key("fixture"), "there is no fixture", value.Fixture, names, otherwise)
		case value.Field == v1alpha1.FixturePort && t.Spec.Fixtures[at].Port == 0 && !t.Unsure(fixturePath(at).Key("port")):
			t.Report(r, value.path.Key("field"), "fixture %q has no port: set its port", value.Fixture)
		}
	}
}

var testSecretKey = Rule{
	ID: "test-secret-key", Severity: krm.Error,
	Summary: "A key of a Secret has letters, digits, dashes, underscores and dots, and at most 253 characters.",
	Why:     "A cluster would refuse the Secret.",
	Sources: []string{"https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data"},
	Example: "spec.secrets[0].fixtureData[0].name: the host",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		for i, secret := range t.Spec.Secrets {
			for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
				if wrong := document.CheckKey(key); wrong != "" {
					t.ReportKey(r, testSecretPath(i).Key("data").Key(key), "key %s", wrong)
				}
			}
			for n, value := range secret.FixtureData {
				t.Must(r, testSecretPath(i).Key("fixtureData").Index(n).Key("name"), "key", document.CheckKey(value.Name))
			}
		}
	})},
}
