package rules_test

import (
	"testing"

	"github.com/resource-plugins/krm-functions/stacks/rules"
	"github.com/resource-plugins/krm-functions/test/framework/rulefile"
)

func TestRulesAreInTheFilesOfTheirFields(t *testing.T) {
	t.Parallel()
	rulefile.Check(t, rules.Extension().Rules, map[string]string{
		"StackInstall": "install", "package request": "request", "Stack": "record", "package metadata": "metadata",
		"CustomResourceDefinition": "crd",
	})
}
