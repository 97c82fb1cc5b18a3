package validate_test

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

const oldPlugin = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: resourceplugins.dev/v1alpha1
  kind: ResourcePlugin
  metadata: {name: hello-db@1.0}
  spec:
    runner: {image: postgres:17}
    create:
    - name: provision
      script: psql -c "CREATE DATABASE $DBNAME"
      inputs:
      - {name: dbname, valueFromSandbox: true, to: {env: DBNAME}}
`

// A program checks a list, and prints the findings.
func ExampleCheck() {
	list, err := krm.Parse([]byte(oldPlugin))
	if err != nil {
		panic(err)
	}
	options := validate.Options{Strict: true, Rules: map[string]string{"plugin-version-form": "off"}}
	report, err := validate.Check(list, options)
	if err != nil {
		panic(err)
	}
	for _, result := range report.Results {
		fmt.Printf("%s %s: %s [%s]\n", result.Severity, result.Field.Path, result.Message, result.Tags["rule"])
	}
	// Output:
	// error spec.create[0].inputs[0].to: unknown key "to": it is called "as" today [unknown-key]
	// error spec.create[0].script: must name its interpreter in the first line, as in #!/bin/sh: without it the script runs under /bin/sh [script-interpreter]
}

// A published version must not change.
func ExampleCheckUpdate() {
	plugin := func(image string) *krm.ResourceList {
		item, err := krm.NewItem([]byte(`apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: hello-db@1.0.0}
spec:
  runner: {image: "` + image + `"}
  create: [{name: provision, script: "#!/bin/sh"}]
`))
		if err != nil {
			panic(err)
		}
		return krm.NewList(item)
	}
	base := validate.Base{List: plugin("postgres:16")}
	results, err := validate.CheckUpdate(plugin("postgres:17"), base, validate.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(results[0].Message)
	// Output:
	// resource plugin "hello-db" version "1.0.0" already exists; versions are immutable — bump the @<semver> suffix on name: to publish a new revision
}

// A reference page lists the rules.
func ExampleRules() {
	rule := validate.Rules().Find("image-reference")
	fmt.Println(rule.Severity, rule.Kinds)
	fmt.Println(rule.Summary, rule.Why)
	// Output:
	// error [ResourcePlugin Sandbox PluginTest]
	// An image is a valid image reference. The Pod would stay in InvalidImageName.
}

// A company requires an annotation on each plugin with the team that owns it.
func ExampleExtension() {
	owner := &validate.Rule{
		ID: "acme-owner", Severity: krm.Error,
		Summary: "A plugin names its team in the annotation example.org/team.",
		Why:     "No one would be called at night.",
		Kinds:   []string{"ResourcePlugin"},
	}
	acme := validate.Extension{
		Rules: []*validate.Rule{owner},
		Check: func(list *krm.ResourceList) (checked validate.Checked, err error) {
			plugins, err := list.Select("resourceplugins.dev/v1alpha1", "ResourcePlugin")
			for _, plugin := range plugins {
				d := validate.NewDocument(plugin)
				if team, _ := plugin.Annotation("example.org/team"); team == "" {
					d.Report(owner, "metadata.annotations", "must name the team that owns %s", plugin.Name())
				}
				checked.Documents = append(checked.Documents, d)
			}
			return checked, err
		},
	}
	plugin, err := krm.NewItem([]byte(`apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello-db@1.0.0
spec:
  runner: {image: busybox}
  create: [{name: hello, script: "#!/bin/sh\n"}]
`))
	if err != nil {
		panic(err)
	}
	options := validate.Options{Extensions: []validate.Extension{acme}, Rules: map[string]string{"acme-owner": "warning"}}
	report, err := validate.Check(krm.NewList(plugin), options)
	if err != nil {
		panic(err)
	}
	for _, result := range report.Results {
		fmt.Println(result.Severity, result.Tags[krm.RuleTag], result.Message)
	}
	// Output:
	// warning acme-owner must name the team that owns hello-db@1.0.0
}
