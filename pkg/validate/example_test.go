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

// A program checks a list that it reads anyway, and prints the findings.
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
func ExampleFind() {
	rule := validate.Find("image-reference")
	fmt.Println(rule.Severity, rule.Kinds())
	fmt.Println(rule.Summary, rule.Why)
	// Output:
	// error [ResourcePlugin Sandbox PluginTest]
	// An image is a valid image reference. The Pod would stay in InvalidImageName.
}
