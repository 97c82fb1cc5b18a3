package schemas

import (
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/stacks"
)

// options returns the options of a function with all features, which the pages and schemas describe.
func options() validate.Options {
	return validate.Options{Extensions: []validate.Extension{
		stacks.Extension().Rules,
		kubebuilder.Extension().Rules,
	}}
}

func allRules() validate.Ruleset { return validate.Rules(options().Extensions...) }
