package validate

import (
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// These rules are checked by package strictyaml while it decodes a document.

var fieldType = Rule{
	ID: strictyaml.RuleType, Severity: krm.Error,
	Summary: "Each field has the type that its specification gives it.",
	Why:     "Signadot refuses the document.",
	Example: "spec.description: [a, b]",
}

var unknownKey = Rule{
	ID: strictyaml.RuleUnknown, Severity: krm.Error,
	Summary: "Under spec there are only the keys of the specification. Ignored keys beside spec are warnings.",
	Why:     "A misspelled key would be dropped silently, and Signadot refuses unknown keys.",
	Sources: []string{clientModels},
	Example: "spec.discription: a database",
}

var duplicateKey = Rule{
	ID: strictyaml.RuleDuplicate, Severity: krm.Error,
	Summary: "A key is given once in a mapping.",
	Why:     "YAML readers disagree on which of the values counts; the others are lost.",
	Sources: []string{"https://yaml.org/spec/1.2.2/#3213-node-comparison"},
	Example: "spec.runner: {image: a, image: b}",
}

var required = Rule{
	ID: strictyaml.RuleRequired, Severity: krm.Error,
	Summary: "Fields that the specification requires are set and not empty.",
	Why:     "Signadot refuses the document.",
	Example: "spec.runner: {namespace: tools}",
}

var ambiguousYAML = Rule{
	ID: strictyaml.RuleAmbiguous, Severity: krm.Error,
	Summary: "A string that YAML readers disagree on is quoted.",
	Why:     "In YAML 1.1, which Signadot reads, a plain yes, on or 1_000 is a boolean or a number; dates are rewritten.",
	Sources: []string{"https://yaml.org/type/bool.html", "https://yaml.org/type/timestamp.html"},
	Example: "spec.description: yes",
}

var quotedNumber = Rule{
	ID: strictyaml.RuleQuoted, Severity: krm.Warning,
	Summary: "A port is a number, not a string of digits.",
	Why: "Signadot's command line tool converts it, and so do these functions; other readers refuse it. A template's " +
		"variable gives a string.",
	Sources: []string{sandboxSpec},
	Example: `spec.endpoints[0].port: "8080"`,
}

var aliasLimit = Rule{
	ID: strictyaml.RuleAlias, Severity: krm.Error,
	Summary: "The aliases of a document stand for at most 100,000 values, and none contains itself.",
	Why:     "A few lines of aliases can stand for more values than fit into memory.",
	Sources: []string{},
	Example: "spec.runner: &a {image: postgres, <<: [*a]}",
}

var depthLimit = Rule{
	ID: strictyaml.RuleDepth, Severity: krm.Error,
	Summary: "Values are nested in at most 100 lists and mappings.",
	Why:     "The matches of a route group may be nested without limit, and each level costs every reader.",
	Sources: []string{},
	Example: "spec.match.any[1].all: (a match within 100 others)",
}
