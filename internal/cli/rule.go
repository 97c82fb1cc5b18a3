package cli

import "github.com/resource-plugins/krm-functions/pkg/krm"

// RuleDescription tells those who read findings with a machine what a rule asks for.
type RuleDescription struct {
	// ID is what results name the rule by, in their tag RuleTag.
	ID string
	// Severity is the rule's own.
	Severity krm.Severity
	// Demand says what must hold, in one sentence.
	Demand string
	// Why says what goes wrong otherwise.
	Why string
}

// RuleTag is the tag of a result that names its rule.
const RuleTag = "rule"
