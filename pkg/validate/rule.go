// Package rule holds what plugin and sandbox documents must keep to, and checks them.
//
// A Rule is an id, a severity, the words that the reference page needs, and a function over a document that package
// plugin or package sandbox has read. Adding one is writing its function beside those of the same field, and naming it
// in Rules. The engine does the rest: it reads the documents, spreads them over the cores, drops what follows from
// another mistake at the same place, and applies the severities that the user configured.
package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rule is one thing that documents must keep to.
type Rule struct {
	// ID names the rule in configs and in the tag "rule" of results.
	ID string
	// Severity is the rule's own; Levels may change it.
	Severity krm.Severity
	// Demand says what must hold, in one sentence.
	Demand string
	// Why says what goes wrong otherwise, or which page asks for it.
	Why string
	// Example is a field and a value that breaks the rule, as `path: value` in YAML.
	Example string

	// plugin, sandbox and routeGroup look at one document. plugins, sandboxes and routeGroups look at all of them and
	// report on those they are named after. What is found while decoding has none of them.
	plugin      func(*pluginCheck)
	sandbox     func(*sandboxCheck)
	routeGroup  func(*routeGroupCheck)
	plugins     func(*acrossCheck)
	sandboxes   func(*acrossCheck)
	routeGroups func(*acrossCheck)
	// pluginUpdates and sandboxUpdates compare with an older state; Check does not run them.
	pluginUpdates  func(*updateCheck)
	sandboxUpdates func(*updateCheck)
}

// Kinds returns the kinds of the documents that the rule is about.
func (r *Rule) Kinds() []string {
	var kinds []string
	if r.plugin != nil || r.plugins != nil || r.pluginUpdates != nil {
		kinds = append(kinds, contract.ResourcePlugin)
	}
	if r.sandbox != nil || r.sandboxes != nil || r.sandboxUpdates != nil {
		kinds = append(kinds, contract.Sandbox)
	}
	if r.routeGroup != nil || r.routeGroups != nil {
		kinds = append(kinds, contract.RouteGroup)
	}
	if kinds == nil {
		return []string{contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup}
	}
	return kinds
}

// ComparesStates tells whether the rule is about an update: CheckUpdate finds what breaks it, and Check does not.
func (r *Rule) ComparesStates() bool { return r.pluginUpdates != nil || r.sandboxUpdates != nil }

// Rules are all rules, grouped by the document and the field that they are about.
var Rules = []*Rule{
	&documentVersion, &documentKind, &formerKind,
	&fieldType, &unknownKey, &duplicateKey, &required, &ambiguousYAML, &aliasLimit, &depthLimit,
	&placeholderValue, &imageReference, &variableName,

	&pluginName, &pluginVersion, &duplicatePlugin, &pluginDescription, &runnerNamespace,
	&overlayForm, &overlayReplaced, &overlayConflict, &overlayVariable,
	&emptyWorkflow, &missingCreate, &stepName, &stepUnique, &script, &scriptInterpreter, &scriptLineEnd, &scriptSyntax,
	&inputName, &inputUnique, &inputSource, &inputVariable, &inputReserved, &inputPath, &inputClash,
	&unknownStep, &unknownOutput, &createFromDelete, &stepCycle,
	&outputName, &outputUnique, &outputPath,

	&sandboxName, &duplicateSandbox, &sandboxCluster, &sandboxDescription, &labelKey, &labelKeyForm, &labelValue,
	&labelReserved, &ttlDuration, &ttlOffset,
	&workloadKind, &workloadPlace, &workloadUnique, &workloadNameUnique, &imageContainer,
	&environmentOperation, &environmentSource, &forkReference, &keyReference, &resourceReference, &outputKey,
	&patchType, &patchValue, &patchField,
	&endpointUnique, &endpointPort, &endpointProtocol, &endpointHost, &endpointTarget, &endpointWorkload,
	&localMappings, &localAddress,
	&resourceUnique, &resourceName, &pluginReference,
	&unknownPlugin, &unknownOutputKey, &unknownParam, &missingParam,

	&routeGroupName, &duplicateRouteGroup, &routeGroupCluster, &routeGroupDescription, &matchForm, &matchLabel,

	&immutableVersion, &versionInUse, &immutableField, &forkRemoved, &teardownSkipped,
}

// Find returns the rule of an id, nil where there is none.
func Find(id string) *Rule {
	if i := slices.IndexFunc(Rules, func(r *Rule) bool { return r.ID == id }); i >= 0 {
		return Rules[i]
	}
	return nil
}

// IDs returns the ids of all rules.
func IDs() []string {
	ids := make([]string, len(Rules))
	for i, r := range Rules {
		ids[i] = r.ID
	}
	return ids
}
