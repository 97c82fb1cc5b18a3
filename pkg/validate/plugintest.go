package validate

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// pluginTest is a PluginTest being checked.
type pluginTest struct {
	*document.PluginTest
	Document

	expectations []expectation
	outputs      []expectedOutput
	values       []fixtureValue
}

// expectation is the expectation of a case for a phase, with its path.
type expectation struct {
	*v1alpha1.PhaseExpectation
	phase v1alpha1.Phase
	path  krm.Path
}

// expectedOutput is the expectation of a case for an output, with its path.
type expectedOutput struct {
	*v1alpha1.OutputExpectation
	phase v1alpha1.Phase
	path  krm.Path
}

// fixtureValue is a value of a fixture, with its path.
type fixtureValue struct {
	*v1alpha1.FixtureValue
	path krm.Path
}

const testPluginPath krm.Path = "spec.plugin"

func fixturePath(i int) krm.Path    { return krm.Path("spec.fixtures").Index(i) }
func testSecretPath(i int) krm.Path { return krm.Path("spec.secrets").Index(i) }
func casePath(i int) krm.Path       { return krm.Path("spec.cases").Index(i) }

func (t *pluginTest) check() {
	read, problems := document.ReadPluginTest(t.item)
	t.PluginTest, t.Document = read, newDocument(t.item, problems)
	for i := range t.Spec.Secrets {
		t.addValues(t.Spec.Secrets[i].FixtureData, testSecretPath(i).Key("fixtureData"))
	}
	for i := range t.Spec.Cases {
		one, path := &t.Spec.Cases[i], casePath(i)
		t.addValues(one.FixtureParams, path.Key("fixtureParams"))
		for _, phase := range v1alpha1.Phases {
			expected := expectation{one.Expectation(phase), phase, path.Key(string(phase))}
			t.expectations = append(t.expectations, expected)
			for n := range expected.Outputs {
				t.outputs = append(t.outputs, expectedOutput{&expected.Outputs[n], phase, expected.path.Key("outputs").Index(n)})
			}
		}
	}
	checksOf(func(r *Rule, check pluginTestCheck) { check(r, t) })
}

func (t *pluginTest) addValues(values []v1alpha1.FixtureValue, path krm.Path) {
	for i := range values {
		t.values = append(t.values, fixtureValue{&values[i], path.Index(i)})
	}
}

// params returns the params of a case. Values from fixtures are replaced with a placeholder.
func params(one *v1alpha1.TestCase) map[string]string {
	all := make(map[string]string, len(one.Params)+len(one.FixtureParams))
	for name, value := range one.Params {
		all[name] = value
	}
	for _, value := range one.FixtureParams {
		all[value.Name] = value.Field
	}
	return all
}

var testName = Rule{
	ID: "test-name", Severity: krm.Error,
	Summary: "The names of a test, its fixtures and its Secrets are DNS subdomains, and those of its cases have letters, " +
		"digits and inner dashes and at most 30 characters.",
	Why:     "A case's name is that of its sandbox, and a fixture's name its host name.",
	Example: "spec.cases[0].name: small shop",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		if t.Name == "" {
			t.Report(r, namePath, "name must not be empty")
		}
		t.Must(r, namePath, "name", document.CheckSubdomain(t.Name))
		for i, fixture := range t.Spec.Fixtures {
			t.Must(r, fixturePath(i).Key("name"), "name", document.CheckSubdomain(fixture.Name))
		}
		for i, secret := range t.Spec.Secrets {
			t.Must(r, testSecretPath(i).Key("name"), "name", document.CheckSubdomain(secret.Name))
		}
		for i, one := range t.Spec.Cases {
			t.Must(r, casePath(i).Key("name"), "name", document.CheckIdentifier(one.Name))
		}
	})},
}

var testUnique = Rule{
	ID: "test-unique", Severity: krm.Error,
	Summary: "A test has one fixture, one Secret and one case of a name, and a case expects something of an output once.",
	Why:     "It would not be clear which one is meant.",
	Sources: []string{},
	Example: "spec.cases[1].name: small",
	checks:  []check{pluginTestCheck(checkTestUnique)},
}

func checkTestUnique(r *Rule, t *pluginTest) {
	fixtures, secrets, cases := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i, fixture := range t.Spec.Fixtures {
		t.Once(r, fixtures, fixture.Name, "fixture", fixturePath(i))
	}
	for i, secret := range t.Spec.Secrets {
		t.Once(r, secrets, secret.Name, "secret", testSecretPath(i))
	}
	for i, one := range t.Spec.Cases {
		t.Once(r, cases, one.Name, "case", casePath(i))
		for n, value := range one.FixtureParams {
			if _, given := one.Params[value.Name]; given {
				t.Report(r, casePath(i).Key("fixtureParams").Index(n).Key("name"),
					"param %q must be given once: params has it too", value.Name)
			}
		}
	}
	for i, secret := range t.Spec.Secrets {
		for n, value := range secret.FixtureData {
			if _, given := secret.Data[value.Name]; given {
				t.Report(r, testSecretPath(i).Key("fixtureData").Index(n).Key("name"),
					"key %q must be given once: data has it too", value.Name)
			}
		}
	}
	for _, expected := range t.expectations {
		outputs := map[string]bool{}
		for n, out := range expected.Outputs {
			key := v1alpha1.StepOutput{Name: out.Step, Output: out.Output}.Key()
			if outputs[key] {
				t.Report(r, expected.path.Key("outputs").Index(n), "output %q must be listed once", key)
			}
			outputs[key] = true
		}
	}
}

var duplicateTest = Rule{
	ID: "duplicate-test", Severity: krm.Error,
	Summary: "A list has one test of a name.",
	Why:     "Sandboxes and ids are derived from the name: two tests would use the same ones.",
	Sources: []string{},
	Example: "metadata.name: hello-db",
	checks: []check{listCheck{contract.PluginTest, func(r *Rule, d *documents) {
		for t, other := range repeated(d.tests, (*pluginTest).identity) {
			t.Report(r, namePath, "test %q is given twice: another%s; rename one of them", t.Name, Origin(other.Item))
		}
	}}},
}

func (t *pluginTest) identity() identity { return identity{name: t.Name} }

var testSkip = Rule{
	ID: "test-skip", Severity: krm.Error,
	Summary: "What a test skips is the id of a built-in check.",
	Why:     "Nothing would be skipped.",
	Sources: []string{},
	Example: "spec.skip[0]: create-once",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		skipped := map[string]bool{}
		for i, id := range t.Spec.Skip {
			path := krm.Path("spec.skip").Index(i)
			switch known := v1alpha1.BuiltinChecks(); {
			case !slices.Contains(known, id):
				t.Report(r, path, "must be one of %s, not %q", strings.Join(known, ", "), id)
			case skipped[id]:
				t.Report(r, path, "%q must be listed once", id)
			}
			skipped[id] = true
		}
	})},
}

var testTimeout = Rule{
	ID: "test-timeout", Severity: krm.Error,
	Summary: "A timeout is a number of seconds from 1 to 86400, and 0 is the default.",
	Why:     "Everything would be out of time at once, or a test that hangs would never end.",
	Sources: []string{},
	Example: "spec.timeoutSeconds: -1",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		t.seconds(r, "spec.timeoutSeconds", t.Spec.TimeoutSeconds)
		for i, fixture := range t.Spec.Fixtures {
			t.seconds(r, fixturePath(i).Key("timeoutSeconds"), fixture.TimeoutSeconds)
		}
	})},
}

// MaxTestTimeout is the longest timeout of a test: one day, in seconds.
const MaxTestTimeout = 86400

func (t *pluginTest) seconds(r *Rule, path krm.Path, seconds int) {
	if seconds < 0 || seconds > MaxTestTimeout {
		t.Report(r, path, "must be between 0 and %d, not %d", MaxTestTimeout, seconds)
	}
}
