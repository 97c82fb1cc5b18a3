package kubebuilder_test

import (
	"testing"

	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/test/framework/rulefile"
)

func TestRulesAreInTheFilesOfTheirFields(t *testing.T) {
	t.Parallel()
	rulefile.Check(t, kubebuilder.Extension().Rules.Rules, nil)
}
