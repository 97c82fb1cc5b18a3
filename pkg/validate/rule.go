package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rule is one requirement that documents must meet. It is not changed once it is in use.
type Rule struct {
	// ID names the rule in configs and in the tag `rule` of results.
	ID string
	// Severity is the default severity; Options may change it.
	Severity krm.Severity
	// Summary states the requirement in one sentence.
	Summary string
	// Why explains the consequences of breaking the rule.
	Why string
	// Example is a field and a value that breaks the rule, as `path: value` in YAML.
	Example string
	// Kinds are the kinds of the documents that the rule is about. Those of a rule of this package are those of its checks.
	Kinds []string
	// Sources are links to the pages that require the rule, empty if Why explains it completely. For a rule of this package,
	// nil means the specifications of its kinds.
	Sources []string
	// Page is the link to the description of the rule. Rules of this package have one.
	Page string

	// checks look for breaks of the rule. A rule of the YAML decoder has none.
	checks []check
}

// The pages that rules come from.
const (
	pluginSpec     = "https://www.signadot.com/docs/reference/resource-plugins/spec"
	sandboxSpec    = "https://www.signadot.com/docs/reference/sandboxes/spec"
	routeGroupSpec = "https://www.signadot.com/docs/reference/route-groups/spec"
	clientModels   = "https://github.com/signadot/go-sdk/tree/main/models"
	kubernetesName = "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/"
	testPage       = "https://github.com/resource-plugins/krm-functions/blob/main/docs/howto/test.md"
	secretPage     = "https://github.com/resource-plugins/krm-functions/blob/main/docs/reference/outputsecret.md"
	outputsPage    = "https://github.com/resource-plugins/krm-functions/blob/main/docs/reference/outputs.md"
)

var specs = map[string]string{
	contract.ResourcePlugin: pluginSpec, contract.Sandbox: sandboxSpec, contract.RouteGroup: routeGroupSpec,
	contract.PluginTest: testPage, contract.OutputSecret: secretPage,
}

// check is a function of one of the types below: the type determines its input.
type check interface {
	// kind is the kind of the documents that the check reports on.
	kind() string
}

type (
	// pluginCheck, sandboxCheck, routeGroupCheck, pluginTestCheck and outputSecretCheck look at one document.
	pluginCheck       func(*Rule, *plugin)
	sandboxCheck      func(*Rule, *sandbox)
	routeGroupCheck   func(*Rule, *routeGroup)
	pluginTestCheck   func(*Rule, *pluginTest)
	outputSecretCheck func(*Rule, *outputSecret)
	// listCheck looks at all documents of a list.
	listCheck struct {
		on  string
		run func(*Rule, *documents)
	}
	// updateCheck compares two states of a list. Check does not run it, CheckUpdate does.
	updateCheck struct {
		on  string
		run func(*Rule, *update)
	}
)

func (pluginCheck) kind() string       { return contract.ResourcePlugin }
func (sandboxCheck) kind() string      { return contract.Sandbox }
func (routeGroupCheck) kind() string   { return contract.RouteGroup }
func (pluginTestCheck) kind() string   { return contract.PluginTest }
func (outputSecretCheck) kind() string { return contract.OutputSecret }
func (c listCheck) kind() string       { return c.on }
func (c updateCheck) kind() string     { return c.on }

// each returns a check of the elements of a document.
func each[D, E any](elements func(D) []E, do func(*Rule, D, E)) func(*Rule, D) {
	return func(r *Rule, document D) {
		for _, element := range elements(document) {
			do(r, document, element)
		}
	}
}

// checksOf calls do for each check of the type, in the order of the rules.
func checksOf[C check](do func(*Rule, C)) {
	for _, r := range rules {
		for _, c := range r.checks {
			if typed, ok := c.(C); ok {
				do(r, typed)
			}
		}
	}
}

// RulesPage describes all rules, each in a section that is named after its id.
const RulesPage = "https://github.com/resource-plugins/krm-functions/blob/main/docs/reference/rules.md"

// described completes rules with the fields that follow from their checks.
func described(rules ...*Rule) Ruleset {
	for _, r := range rules {
		for _, c := range r.checks {
			r.Kinds = append(r.Kinds, c.kind())
		}
		if r.Kinds = slices.Compact(r.Kinds); r.checks == nil || r.ConcernsComments() {
			r.Kinds = []string{contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup}
		}
		r.Page = RulesPage + "#" + r.ID
		if r.Sources != nil {
			continue
		}
		for _, kind := range r.Kinds {
			r.Sources = append(r.Sources, specs[kind])
		}
	}
	return rules
}

// ComparesStates reports whether the rule is about updates: CheckUpdate checks it, and Check does not.
func (r *Rule) ComparesStates() bool {
	return slices.ContainsFunc(r.checks, func(c check) bool { _, isUpdate := c.(updateCheck); return isUpdate })
}

// rules are the rules of this package, in the order of the documents and the fields that they are about.
var rules = described(
	&documentVersion, &otherVersion, &documentKind, &formerKind,
	&fieldType, &unknownKey, &duplicateKey, &required, &ambiguousYAML, &quotedNumber, &aliasLimit, &depthLimit, &nextLine,
	&placeholderValue, &imageReference, &variableName,

	&pluginName, &pluginVersionMissing, &pluginVersion, &duplicatePlugin, &outputType, &pluginDescription, &runnerNamespace,
	&overlayForm, &overlayReplaced, &overlaySidecar, &overlaySidecarDelete, &overlayConflict, &overlayVariable,
	&overlayAccount, &overlayToken,
	&emptyWorkflow, &missingCreate, &stepName, &stepUnique,
	&script, &scriptInterpreter, &scriptLines, &scriptLineEnd, &scriptSyntax,
	&inputName, &inputUnique, &inputSource, &inputVariable, &inputReserved, &inputPath, &inputClash, &inputUnread,
	&unknownStep, &unknownOutput, &binaryVariable, &createFromDelete, &stepCycle,
	&outputName, &outputUnique, &outputPath, &outputUnwritten,

	&sandboxName, &duplicateSandbox, &sandboxState, &skippedStep, &forkStart, &sandboxCluster, &sandboxDescription,
	&labelKey, &labelKeyForm, &labelValue,
	&labelReserved, &ttlDuration, &ttlOffset, &ttlIgnored,
	&workloadKind, &workloadName, &workloadUnique, &workloadNameUnique, &imageContainer,
	&environmentOperation, &environmentSource, &forkReference, &keyReference, &resourceReference, &outputKey, &outputKeyForm,
	&patchType, &patchValue, &patchField,
	&endpointUnique, &endpointPort, &endpointProtocol, &endpointHost, &endpointTarget, &endpointWorkload,
	&localMappings, &localAddress,
	&resourceUnique, &resourceName, &pluginReference,
	&unknownPlugin, &unknownOutputKey, &unknownParam, &missingParam,

	&routeGroupName, &duplicateRouteGroup, &routeGroupCluster, &routeGroupDescription, &matchForm, &matchLabel,

	&outputSecretName, &duplicateOutputSecret, &outputSecretResource, &outputSecretKey,

	&testName, &duplicateTest, &testUnique, &fixtureForm, &fixtureReference, &testSecretKey,
	&expectationForm, &expectationPattern, &expectedStep, &testSkip, &testTimeout,

	&immutableVersion, &versionInUse, &immutableField, &forkRemoved, &teardownSkipped,

	&suppressionForm, &suppressionUnused, &suppressionRefused,
)

// Ruleset is a list of rules.
type Ruleset []*Rule

// Rules returns all rules about documents: those of this package in the order of the documents and the fields that they are
// about, and those of the extensions at the places that these name.
func Rules(extensions ...Extension) Ruleset {
	all := slices.Clone(rules)
	for _, e := range extensions {
		at := slices.IndexFunc(all, func(r *Rule) bool { return r.ID == e.After }) + 1
		if at == 0 {
			at = len(all)
		}
		all = slices.Insert(all, at, e.Rules...)
	}
	return all
}

// Find returns the rule with an id, nil if no rule has it.
func (s Ruleset) Find(id string) *Rule {
	if i := slices.IndexFunc(s, func(r *Rule) bool { return r.ID == id }); i >= 0 {
		return s[i]
	}
	return nil
}

// IDs returns the ids of the rules.
func (s Ruleset) IDs() []string {
	ids := make([]string, len(s))
	for i, r := range s {
		ids[i] = r.ID
	}
	return ids
}
