package schemas

import (
	"maps"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	reading "github.com/resource-plugins/krm-functions/internal/document"
	external "github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// limit is the form of a value. It must accept all values that the rules accept: TestLimitsAgreeWithTheRules compares them.
// Lengths are in characters here and in bytes in the rules, which is never stricter.
type limit struct {
	required bool   // by a rule, if the type does not require it
	quotable bool   // a number that may be a string of digits
	pattern  string // of the whole text
	words    string // an editor's message if the pattern does not match
	length   int    // maximum number of characters
	oneOf    []string
	least    int    // minimum of a number, or of a list's length
	most     int    // maximum of a number
	keys     string // pattern of a map's keys
	keyNames []string
}

// keywords returns the limit in JSON Schema. An optional text may be empty, which means that it is not set.
func (l limit) keywords(kind string, required bool) object {
	var o object
	add := func(key string, value any) { o = append(o, member{key, value}) }
	switch {
	case l.oneOf != nil && required:
		add("enum", l.oneOf)
	case l.oneOf != nil:
		values := []any{}
		for _, one := range l.oneOf {
			values = append(values, one)
		}
		add("enum", append(values, "", nil))
	case l.pattern != "" && required:
		add("pattern", "^("+l.pattern+")$")
	case l.pattern != "":
		add("pattern", "^("+l.pattern+")?$")
	case kind == "string" && required:
		add("minLength", 1)
	}
	if l.words != "" {
		add("patternErrorMessage", l.words)
	}
	if l.length > 0 {
		add("maxLength", l.length)
	}
	if l.keys != "" {
		add("propertyNames", object{{"pattern", "^(" + l.keys + ")$"}})
	}
	if l.keyNames != nil {
		add("propertyNames", object{{"enum", l.keyNames}})
	}
	if l.least > 0 && kind == "array" {
		add("minItems", l.least)
	} else if l.least > 0 || l.most > 0 {
		add("minimum", l.least)
	}
	if l.most > 0 {
		add("maximum", l.most)
	}
	return o
}

var (
	identifier = limit{
		pattern: "[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?", length: 30,
		words: "must hold letters, digits and inner dashes only, and start with a letter",
	}
	bareName = limit{
		pattern: "[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9]", length: reading.MaxBareName,
		words: "must be at least two letters, digits and inner dashes, and start with a letter",
	}
	pluginName = limit{
		pattern: bareName.pattern + "(@v?[0-9][0-9a-zA-Z.+-]*)?", length: reading.MaxBareName + 1 + reading.MaxVersion,
		words: "must be a name of letters, digits and inner dashes, or NAME@VERSION with a semver such as 1.0.0",
	}
	reference = limit{
		pattern: bareName.pattern + `(@[\s\S]+)?`,
		words:   "must be the name of a plugin, or NAME@VERSION",
	}
	label = limit{
		pattern: "[a-z0-9]([a-z0-9-]*[a-z0-9])?", length: 63,
		words: "must hold lower-case letters, digits and inner dashes only",
	}
	subdomain = limit{
		pattern: `[a-z0-9]([a-z0-9.-]*[a-z0-9])?`, length: 253,
		words: "must hold lower-case letters, digits, inner dashes and dots only",
	}
	variable = limit{
		pattern: "[a-zA-Z_.-][a-zA-Z0-9_.-]*",
		words:   "must hold letters, digits, underscores, dashes and dots only, and not start with a digit",
	}
	file     = limit{pattern: `/(.*[^/])`, words: "must be the absolute path of a file"}
	text     = limit{length: 255}
	port     = limit{least: 1, most: 65535}
	protocol = limit{oneOf: []string{"http", "grpc"}}
	address  = limit{pattern: ".+:[0-9]+", words: "must be HOST:PORT, such as localhost:8080"}
	host     = limit{
		pattern: "[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9.])?|[0-9a-fA-F:.]*:[0-9a-fA-F.]*:[0-9a-fA-F:.]*",
		words:   "must be a DNS name or an IP address, without scheme, port and path",
	}
	duration = limit{
		pattern: "[0-9]+[mhdw]",
		words:   "must be a number and one of the units m, h, d and w, such as 2d",
	}
	operation = limit{oneOf: []string{"upsert", "delete"}}
	outputKey = limit{
		pattern: `[a-zA-Z][a-zA-Z0-9-]*(\.[a-zA-Z][a-zA-Z0-9-]*)?`,
		words:   "must be STEP.OUTPUT, such as provision.host",
	}
	labelKey   = "[a-zA-Z0-9_./-]{1,255}"
	forkKinds  = limit{oneOf: []string{"Deployment", "ArgoRollout", "Rollout"}}
	otherKinds = limit{oneOf: []string{"Deployment", "ArgoRollout", "Rollout", "Service"}}
	some       = limit{least: 1}
	sha256     = limit{
		pattern: "sha256:[0-9a-f]{64}",
		words:   "must be sha256: and 64 hexadecimal digits in lower case",
	}
	semver = limit{
		pattern: `[0-9]+\.[0-9]+\.[0-9]+([-+][0-9a-zA-Z.+-]+)?`,
		words:   "must be a semver such as 1.0.0",
	}
	tag = limit{pattern: `v?[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-zA-Z.-]+)?`, words: "must be a tag such as v1.0.0"}
)

func pluginLimits() map[string]limit {
	all := map[string]limit{"name": pluginName, "spec.runner.namespace": label}
	for _, phase := range []string{"spec.create", "spec.delete"} {
		step := phase + "[]"
		all[phase] = some
		all[step+".name"], all[step+".inputs[].name"], all[step+".outputs[].name"] = identifier, identifier, identifier
		all[step+".script"] = limit{required: true}
		all[step+".inputs[].as.env"], all[step+".inputs[].as.path"] = variable, file
		all[step+".outputs[].valueFromPath"] = file
	}
	return all
}

func sandboxLimits() map[string]limit {
	all := map[string]limit{
		"name": identifier, "spec.cluster": text, "spec.description": text,
		"spec.labels": {keys: labelKey}, "spec.labels{}": {required: true, length: 255},
		"spec.ttl.duration": duration, "spec.ttl.offsetFrom": {oneOf: []string{"createdAt", "updatedAt"}},
		"spec.forks[].customizations.patch.type": {oneOf: []string{"json", "merge", "strategic", "signadot/env", "signadot/image"}},
		"spec.forks[].endpoints[].port":          port, "spec.forks[].endpoints[].protocol": protocol,
		"spec.endpoints[].host": host, "spec.endpoints[].port": port, "spec.endpoints[].protocol": protocol,
		"spec.local[].mappings": some, "spec.local[].mappings[].port": port, "spec.local[].mappings[].toLocal": address,
		"spec.routing.forwards[].toLocal": address,
		"spec.resources[].plugin":         reference,
	}
	for _, workload := range []string{"spec.forks[].forkOf", "spec.local[].from", "spec.virtual[].workload"} {
		all[workload+".kind"], all[workload+".namespace"], all[workload+".name"] = otherKinds, label, subdomain
	}
	all["spec.forks[].forkOf.kind"] = forkKinds
	for _, env := range []string{"spec.forks[].customizations.env[]", "spec.local[].env[]"} {
		all[env+".name"], all[env+".operation"] = variable, operation
		all[env+".valueFrom.resource.outputKey"] = outputKey
	}
	all["spec.local[].files[].valueFrom.resource.outputKey"] = outputKey
	return all
}

func routeGroupLimits() map[string]limit {
	return map[string]limit{
		"name": identifier, "spec.cluster": text, "spec.description": text, "spec.endpoints[].cluster": text,
		"spec.match.label.key": {pattern: labelKey, words: "must hold letters, digits, dashes and underscores only"},
		"spec.ttl.duration":    duration,
		"spec.ttl.offsetFrom":  {oneOf: []string{"noMatchedSandboxes", "createdAt", "updatedAt"}},
	}
}

func catalogLimits() map[string]limit {
	return map[string]limit{
		"spec.plugins[].name": bareName, "spec.plugins[].versions[].version": semver,
		"spec.plugins[].versions[].digest": sha256, "spec.plugins[].channels{}": {required: true, pattern: semver.pattern, words: semver.words},
		"spec.packages[].versions[].version": tag, "spec.packages[].versions[].digest": sha256,
		"spec.packages[].versions[].crds[].scope": {oneOf: []string{"Cluster", "Namespaced"}},
	}
}

func lockLimits() map[string]limit {
	return map[string]limit{
		"spec.plugins[].asked": reference, "spec.plugins[].chosen": pluginName, "spec.plugins[].digest": sha256,
		"spec.packages[].digest": sha256,
	}
}

func outputSecretLimits() map[string]limit {
	return map[string]limit{"name": subdomain, "namespace": label}
}

func testLimits() map[string]limit {
	seconds := limit{most: validate.MaxTestTimeout}
	all := map[string]limit{
		"name": subdomain, "spec.plugin": reference, "spec.skip[]": {oneOf: v1alpha1.BuiltinChecks()},
		"spec.cases[].name": identifier, "spec.fixtures[].name": subdomain, "spec.secrets[].name": subdomain,
		"spec.fixtures[].port": {most: port.most}, "spec.timeoutSeconds": seconds, "spec.fixtures[].timeoutSeconds": seconds,
	}
	for _, values := range []string{"spec.secrets[].fixtureData[]", "spec.cases[].fixtureParams[]"} {
		all[values+".field"] = limit{oneOf: []string{v1alpha1.FixtureHost, v1alpha1.FixturePort}}
	}
	for _, phase := range v1alpha1.Phases {
		all["spec.cases[]."+string(phase)+".fails.exitCode"] = limit{most: 255}
	}
	return all
}

func externalPluginLimits() map[string]limit {
	all := map[string]limit{"spec.entries[].type": {oneOf: external.EntryTypes()}}
	for _, m := range messages {
		for path, limit := range m.limits {
			all["spec.exchanges[]."+strings.ToLower(m.kind)+path] = limit
		}
	}
	return all
}

// messages are the messages of kubebuilder's external plugins, which are not documents, since they have no kind.
var messages = []struct {
	kind, file string
	limits     map[string]limit
}{
	{"Request", "pluginrequest.json", map[string]limit{
		".apiVersion": {oneOf: []string{external.APIVersion}}, ".command": {oneOf: external.Commands()},
	}},
	{"Response", "pluginresponse.json", map[string]limit{".flags[].Type": {oneOf: external.FlagTypes()}}},
}

// configLimits returns the limits of function configs, by kind. The values of a field are in its tag. Other fields are only
// checked by the function.
func configLimits(kind string) map[string]limit {
	rules := map[string]limit{
		".rules": {keyNames: allRules().IDs()}, ".rules{}": {required: true, oneOf: []string{"off", "warning", "error"}},
	}
	all := map[string]map[string]limit{
		"ValidatePlugin": rules, contract.Project: rules,
		"RenderPhase": {
			".runnerNamespace": label, ".namespaces{}": {required: true, pattern: label.pattern, words: label.words, length: label.length},
			".stepTimeoutSeconds": some, ".startTimeoutSeconds": some,
		},
		"RenderSandbox": {
			".headers[]": {oneOf: sandbox.Headers()},
		},
	}
	limits := map[string]limit{}
	maps.Copy(limits, all[kind])
	return limits
}
