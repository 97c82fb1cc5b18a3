package cli

import (
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// perCall are the fields of configs that a project file must not set: they ask for another output, or belong to one call.
var perCall = []string{
	"phases", "update", "explain", "images", "lock", "prune", "compatible", "executorImage", "templatingImage",
}

// section is a part of the project file with fields of a function's config.
type section struct {
	key    krm.Path
	config any
}

// sections returns the parts of the file that configure functions.
func (p *Project) sections() []section {
	return []section{{"resolve", &p.Resolve}, {"render", &p.Render}, {"fork", &p.Fork}}
}

// projectValue is a value of the file, and its path there.
type projectValue struct {
	path  krm.Path
	value reflect.Value
}

// given returns the values of the file for fields of a config, by their keys: those of the names, which are keys of the file
// or sections.
func (p *Project) given(names []string) map[string]projectValue {
	all := map[string]projectValue{}
	for _, f := range fieldsOf(&p.Project) {
		if slices.Contains(names, f.Key) && !f.value.IsZero() {
			all[f.Key] = projectValue{krm.Path(f.Key), f.value}
		}
	}
	for _, s := range p.sections() {
		if !slices.Contains(names, string(s.key)) {
			continue
		}
		for _, f := range fieldsOf(s.config) {
			if path := s.key.Key(f.Key); p.has(path) {
				all[f.Key] = projectValue{path, f.value}
			}
		}
	}
	return all
}

// has reports whether the file has a value at a path, which may be a zero value.
func (p *Project) has(path krm.Path) bool {
	node, found := path.Find(p.root)
	return found && (node.Kind != yaml.ScalarNode || node.ShortTag() != "!!null")
}

// checkSections refuses fields that are also keys at the top of the file, or belong to one call.
func (p *Project) checkSections() (errs []error) {
	fields := fieldsOf(&p.Project)
	top := make([]string, 0, len(fields))
	for _, f := range fields {
		top = append(top, f.Key)
	}
	for _, s := range p.sections() {
		for _, f := range fieldsOf(s.config) {
			path := s.key.Key(f.Key)
			switch {
			case !p.has(path):
			case slices.Contains(top, f.Key):
				errs = append(errs, p.wrong(path, fmt.Sprintf("must be at the top of the file, as %q", f.Key)))
			case slices.Contains(perCall, f.Key):
				errs = append(errs, p.wrong(path, "must be a flag: it is about one call"))
			}
		}
	}
	return errs
}

// Configure sets the fields of the configs that the file has and no flag, for commands that are no functions.
func (p *Project) Configure(resolve *v1alpha1.ResolveVersion, render *v1alpha1.RenderPhase, fork *v1alpha1.RenderSandbox,
	isFlag func(name string) bool,
) {
	if p == nil {
		return
	}
	given := p.given([]string{"cluster", "helperImage", "podTemplateDefaults", "resolve", "render", "fork"})
	for _, config := range []any{resolve, render, fork} {
		for _, f := range fieldsOf(config) {
			if one, isGiven := given[f.Key]; isGiven && !isFlag(f.flag) {
				f.set(one.value)
			}
		}
	}
}

// projectKeys returns the keys of the project file that set fields of the function's config, by the fields' keys.
func (f Function) projectKeys() map[string]string {
	keys := map[string]string{"set": "values", "exclude": "exclude"}
	var file Project
	top := fieldsOf(&file.Project)
	for _, one := range top {
		if slices.Contains(f.Project, one.Key) {
			keys[one.Key] = one.Key
		}
	}
	for _, s := range file.sections() {
		for _, one := range fieldsOf(s.config) {
			isTop := slices.ContainsFunc(top, func(t Field) bool { return t.Key == one.Key })
			if slices.Contains(f.Project, string(s.key)) && !isTop && !slices.Contains(perCall, one.Key) {
				keys[one.Key] = string(s.key.Key(one.Key))
			}
		}
	}
	return keys
}
