package schemas

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// meanings are those of fields without a doc comment, by their keys or by PACKAGE.TYPE.KEY.
var meanings = map[string]string{
	"bytes":                        "The size of the value.",
	"case":                         "The name of the case, if the check is about one.",
	"change":                       "`added`, `removed` or `changed`; a sandbox may also become `absent` or `present`.",
	"checks":                       "The checks of the test, in the order in which they ran.",
	"container":                    "The name of the container.",
	"engine.Cause.message":         "What Kubernetes says about it.",
	"engine.Cause.object":          "KIND/NAME of the object with the cause.",
	"exitCode":                     "The exit code of the container.",
	"file":                         "The file of the test.",
	"kind":                         "The kind of the object.",
	"name":                         "The name.",
	"namespace":                    "The namespace.",
	"of":                           "The step, script or fixture.",
	"outputs":                      "The published outputs of the step.",
	"packages":                     "The install requests that differ.",
	"phase":                        "`create` or `delete`.",
	"plugin":                       "The plugin.",
	"pod":                          "The name of the Pod.",
	"reason":                       "The reason, in one word or sentence.",
	"renderdiff.Object.fields":     "The fields that differ.",
	"renderdiff.Reason.kind":       "What differs: `script`, `param`, `variable`, `image`, `overlay`, `input`, `output`, `producer`, `sandbox id`, `routing key`, `namespace`, `new Secret`, `script of another step`, `helper image`, `Job` or `unknown`.",
	"renderdiff.Rendering.after":   "The value after the change.",
	"renderdiff.Rendering.before":  "The value before the change.",
	"renderdiff.Rendering.what":    "What differs.",
	"renderdiff.Sandbox.routes":    "The routes of the sandbox that differ.",
	"renderdiff.Step.run":          "`first` if the step did not exist, `again`, `no` if it does not run although the version of its plugin changes, or `gone`.",
	"renderdiff.Version.after":     "The version after the change.",
	"renderdiff.Version.before":    "The version before the change.",
	"renderdiff.Version.resources": "The number of resources that use the plugin.",
	"request":                      "The name of the install request.",
	"resource":                     "The name of the resource in the sandbox.",
	"result":                       "`passed`, `failed` or `skipped`.",
	"sandbox":                      "The name of the sandbox.",
	"sandboxesAbsent":              "The number of sandboxes whose delete phase is rendered and was not before.",
	"sandboxesAdded":               "The number of new sandboxes.",
	"sandboxesChanged":             "The number of other sandboxes that differ.",
	"sandboxesPresent":             "The number of sandboxes whose create phase is rendered and was not before.",
	"sandboxesRemoved":             "The number of sandboxes that are no longer there.",
	"localrun.StepReport.state":    "`done`, `skipped` if its outputs were published before, or `failed`; `waiting` or `running` if the run ended early.",
	"status.LeftOver.object":       "KIND/NAME of the object.",
	"state":                        "`Blocked`, `Failed`, `Stale`, `Missing`, `Unknown`, `InProgress` or `Ready`: see [states](status.md).",
	"status":                       "The first of these states that a step has: `Blocked`, `Failed`, `Stale`, `Missing`, `Unknown`, `InProgress`, `Ready`.",
	"step":                         "The name of the step.",
	"steps":                        "The steps.",
	"stepsAgain":                   "The number of steps that run again.",
	"stepsFirst":                   "The number of steps that run for the first time.",
	"stepsGone":                    "The number of steps that are removed.",
	"stepsNo":                      "The number of steps that do not run although the version of their plugin changes.",
	"tests":                        "The tests, in the order of the documents.",
	"text":                         "The lines.",
	"value":                        "The value, with `--show-outputs`.",
}

// forUsers rewords references to Go in comments.
var forUsers = strings.NewReplacer(": see Result.", ".", "with Options.Keep", "with `--keep`", "with Options.ShowValues", "with `--show-values`")

// reportPage writes the fields of reports. The comments of a package are read once.
type reportPage struct {
	t        *testing.T
	packages map[string]source
	used     map[string]bool // keys of meanings
	text     strings.Builder
}

// The page about the JSON of commands is that of the types.
func TestPageOfReports(t *testing.T) {
	t.Parallel()
	p := &reportPage{t: t, packages: map[string]source{}, used: map[string]bool{}}
	p.text.WriteString("# JSON of reports\n\nWith `--output json`, these commands print one JSON object. Fields that may be left out are marked.\n" +
		"[Versioning](versioning.md) describes possible changes.\n\n" +
		"This page is made from the Go types (`make golden`); a test holds the two together.\n")
	for _, command := range []string{"diff", "run", "status", "test"} {
		fmt.Fprintf(&p.text, "\n## rplug %[1]s\n\nThe JSON Schema is [api/schemas/reports/%[1]s.json](../../api/schemas/reports/%[1]s.json).\n\n"+
			"| field | value | meaning |\n|---|---|---|\n", command)
		p.fields(reports[command], "")
	}
	compareWithPage(t, "reports.md", p.text.String())
	for key := range meanings {
		assert.True(t, p.used[key], "meanings[%q] is not used", key)
	}
}

// fields writes a row for each field of a struct, and of those in it.
func (p *reportPage) fields(of reflect.Type, above string) {
	for _, f := range jsonFields(of) {
		element, list := elementOf(f.of)
		value := valueName(element)
		if list != "" {
			value = "list of " + value + "s"
		}
		if f.isOptional {
			value += ", may be left out"
		}
		at := above + f.name + list
		fmt.Fprintf(&p.text, "| `%s` | %s | %s |\n", at, value, cell(p.meaning(of, f, element)))
		if value := valueName(element); value == "object" {
			p.fields(element, at+".")
		}
	}
}

// elementOf returns the type of a value, or of the elements of a list.
func elementOf(of reflect.Type) (element reflect.Type, list string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		if of.Kind() == reflect.Slice {
			list = "[]"
		}
		of = of.Elem()
	}
	return of, list
}

func valueName(of reflect.Type) string {
	switch of.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "integer"
	}
	if of.Name() == "Time" {
		return "time"
	}
	return "object"
}

// meaning returns the doc comment of a field, of one before it that names both, or of the struct in it.
func (p *reportPage) meaning(of reflect.Type, f jsonField, element reflect.Type) string {
	of = withField(of, f.name)
	own := p.source(of)[of.Name()]
	require.NotNil(p.t, own, of.String())
	at := slices.IndexFunc(own.fields, func(one field) bool { return one.key == f.name })
	require.GreaterOrEqual(p.t, at, 0, "%s.%s", of, f.name)
	if own.fields[at].doc != "" {
		return forUsers.Replace(withKeys(asMeaning(own.fields[at]), own.fields))
	}
	named := regexp.MustCompile(`\b` + own.fields[at].name + `\b`)
	for _, before := range slices.Backward(own.fields[:at]) {
		if before.doc != "" && named.MatchString(before.doc) {
			return "See `" + before.key + "`."
		}
	}
	for _, key := range []string{path.Base(of.PkgPath()) + "." + own.name + "." + f.name, f.name} {
		if text, found := meanings[key]; found {
			p.used[key] = true
			return text
		}
	}
	if valueName(element) == "object" {
		if s := p.source(element)[element.Name()]; s != nil {
			_, text, found := strings.Cut(s.doc, " is ")
			require.True(p.t, found, "%s: %s", element, s.doc)
			return strings.ToUpper(text[:1]) + text[1:]
		}
	}
	assert.Fail(p.t, "a field must have a doc comment, or be in meanings", "%s.%s %q", of, own.fields[at].name, f.name)
	return ""
}

// withKeys replaces names of fields at the beginning of a comment, such as those in "Before and After are", by their keys.
func withKeys(text string, fields []field) string {
	subject, rest, found := strings.Cut(text, " are ")
	if !found {
		return text
	}
	for _, f := range fields {
		subject = regexp.MustCompile(`\b`+f.name+`\b`).ReplaceAllString(subject, "`"+f.key+"`")
	}
	return subject + " are " + rest
}

// withField returns the struct with a field, which is the type itself or one that it embeds.
func withField(of reflect.Type, key string) reflect.Type {
	for f := range of.Fields() {
		if f.Anonymous && f.Tag.Get("json") == "" && slices.ContainsFunc(jsonFields(f.Type), func(one jsonField) bool { return one.name == key }) {
			return withField(f.Type, key)
		}
	}
	return of
}

// source returns the comments of the package of a type.
func (p *reportPage) source(of reflect.Type) source {
	folder := strings.TrimPrefix(of.PkgPath(), "github.com/resource-plugins/krm-functions/")
	if p.packages[folder] == nil {
		p.packages[folder] = readSource(p.t, folder)
	}
	return p.packages[folder]
}
