package scaffold

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The defaults of a Plugin.
const (
	DefaultVersion     = "1.0.0"
	DefaultImage       = "debian:13-slim"
	DefaultDescription = "describe here what a sandbox gets"

	// CreateStep is the name of the step that publishes the outputs.
	CreateStep = "provision"
)

// Plugin are the options of a plugin with one step in each phase. An option that is empty has its default.
type Plugin struct {
	// Name is the bare name, or a kind in CamelCase: see BareName.
	Name    string
	Version string
	// Params are the names of the create step's params, Outputs those of its outputs.
	Params, Outputs []string
	// Image is the image of the steps. It must have a POSIX shell.
	Image       string
	Description string
}

// PluginFile returns the path of the plugin with a bare name.
func PluginFile(bare string) string { return bare + "/plugin.yaml" }

// BareName returns the bare name of a plugin that is named by a kind in CamelCase: PostgresDB is postgres-db. A name
// without upper-case letters is returned unchanged.
func BareName(name string) string {
	var out strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && letters[i-1] != '-' {
			beginsWord := i+1 < len(letters) && unicode.IsLower(letters[i+1])
			if !unicode.IsUpper(letters[i-1]) || beginsWord {
				out.WriteByte('-')
			}
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// input is a param, and the step's variable for it.
type input struct{ Name, Env string }

// IsNamed reports whether the variable must be set explicitly.
func (i input) IsNamed() bool { return i.Env != v1alpha1.DefaultEnv(i.Name) }

// Files returns the plugin. The error is krm.OptionErrors if options are invalid.
func (p Plugin) Files() (Files, error) {
	name, wrong := p.identity()
	checkNames(&wrong, "params", p.Params)
	checkNames(&wrong, "outputs", p.Outputs)
	p.Image, p.Description = cmp.Or(p.Image, DefaultImage), cmp.Or(p.Description, DefaultDescription)
	checkText(&wrong, "image", p.Image)
	checkText(&wrong, "description", p.Description)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return expand("plugin.yaml.tmpl", PluginFile(name.Bare), struct {
		Plugin
		Name   document.PluginName
		Inputs []input
	}{p, name, inputs(p.Params)}, map[krm.Path]krm.Path{
		"spec.description":      "description",
		"spec.runner.image":     "image",
		"spec.create[0].inputs": "params", "spec.create[0].outputs": "outputs",
	})
}

// identity returns the name with the version.
func (p Plugin) identity() (name document.PluginName, wrong krm.OptionErrors) {
	bare, pin := BareName(p.Name), cmp.Or(p.Version, DefaultVersion)
	if _, _, isPinned := strings.Cut(bare, "@"); isPinned {
		wrong.Add("name", "must be without a version, not %q", p.Name)
	} else if err := document.CheckBareName(bare); err != nil {
		wrong.Add("name", "%s", err)
	}
	v, err := document.ParseVersion(pin)
	if err != nil {
		wrong.Add("version", "%s", err)
	}
	return document.PluginName{Bare: bare, Version: v}, wrong
}

// checkNames checks names of params or outputs. They are also used in scripts, so other characters are not allowed.
func checkNames(wrong *krm.OptionErrors, option krm.Path, names []string) {
	for i, name := range names {
		switch message := document.CheckIdentifier(name); {
		case name == "":
			wrong.Add(option, "must not hold an empty name")
		case message != "":
			wrong.Add(option, "%s", message)
		case slices.Contains(names[:i], name):
			wrong.Add(option, "must hold %q once", name)
		}
	}
}

// ownedByShell are variables that a shell or the loader of programs reads or sets: a param must not change them.
var ownedByShell = []string{
	"CDPATH", "ENV", "HOME", "IFS", "LANG", "MAIL", "OLDPWD", "OPTARG", "OPTIND", "PATH", "PPID", "PWD", "SHELL", "TERM",
	"TMPDIR", "USER",
}

// inputs returns the params with their variables: the default one, unless the shell or the step needs that.
func inputs(params []string) []input {
	all := make([]input, len(params))
	for i, param := range params {
		env := v1alpha1.DefaultEnv(param)
		prefix, _, _ := strings.Cut(env, "_")
		if slices.Contains(ownedByShell, env) || slices.Contains([]string{"LC", "LD", "PS1", "PS2", "PS4", "SIGNADOT"}, prefix) {
			env = "PARAM_" + env
		}
		all[i] = input{param, env}
	}
	return all
}
