package validate

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// scriptUse holds the names in a script, read once: a step may have thousands of inputs and outputs to compare it with.
type scriptUse struct {
	script      string
	identifiers map[string]bool // all, in code, texts and comments
	paths       []string        // words that may be paths, sorted
	expanded    []string        // the paths in which a script expands something, up to there, sorted
	names       map[string]bool // the last elements of the paths that are not absolute

	file      *syntax.File // nil if it is of another language, or cannot be parsed
	isParsed  bool
	delegated *bool
}

// newScriptUse reads the words of a script.
func newScriptUse(script string) *scriptUse {
	u := &scriptUse{script: script, identifiers: map[string]bool{}, names: map[string]bool{}}
	for word := range strings.FieldsFuncSeq(script, func(r rune) bool { return r != '_' && !document.IsAlphanumeric(r) }) {
		u.identifiers[word] = true
	}
	for line := range strings.Lines(script) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "mkdir" {
			continue
		}
		for word := range strings.FieldsFuncSeq(line, endsPath) {
			u.addPath(strings.TrimRight(word, "/.,"))
		}
	}
	slices.Sort(u.paths)
	slices.Sort(u.expanded)
	return u
}

func (u *scriptUse) addPath(word string) {
	u.paths = append(u.paths, word)
	if last := strings.LastIndexAny(word, expansions); last >= 0 {
		u.expanded = append(u.expanded, word[:last+1])
	}
	if !strings.HasPrefix(word, "/") {
		u.names[path.Base(word)] = true
	}
}

// endsPath reports whether a character ends a path in a script, or stands in front of one.
func endsPath(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>=:,[]", r) }

// expansions are the characters of a path that a script expands.
const expansions = "$*?{}%\\"

// reads reports whether the script names the variable or the file of an input.
func (u *scriptUse) reads(in *v1alpha1.Input) bool {
	return u.identifiers[in.Env()] || in.Path() != "" && u.mentions(path.Clean(in.Path()))
}

// mentions reports whether the script may use a file: it names the file, its folder as a whole, as `cd /outputs` and
// `>/outputs/$key` do, or the file's name in a path that is not absolute.
func (u *scriptUse) mentions(file string) bool {
	if _, named := slices.BinarySearch(u.paths, file); named || hasPrefix(u.paths, file+"/") {
		return true
	}
	folder, name := path.Split(file)
	if u.names[name] {
		return true
	}
	folder = path.Clean(folder)
	if folder == "/" {
		return false
	}
	_, named := slices.BinarySearch(u.paths, folder)
	return named || hasPrefix(u.expanded, folder+"/")
}

// hasPrefix reports whether one of some sorted texts begins with a prefix.
func hasPrefix(sorted []string, prefix string) bool {
	at, _ := slices.BinarySearch(sorted, prefix)
	return at < len(sorted) && strings.HasPrefix(sorted[at], prefix)
}

// parsed returns the script as a shell reads it, nil if it is of another language or cannot be parsed.
func (u *scriptUse) parsed() *syntax.File {
	if !u.isParsed {
		u.file, u.isParsed = parsedShell(u.script), true
	}
	return u.file
}

// delegates reports whether the script is of another language, cannot be parsed, or runs code that may read every variable
// and write any file.
func (u *scriptUse) delegates() bool {
	if u.delegated == nil {
		found := runsOthers(u.parsed(), u.script)
		u.delegated = &found
	}
	return *u.delegated
}

// unset returns the variables that the script reads and that nothing sets: neither the script nor known.
func (u *scriptUse) unset(known map[string]bool) []string {
	var read []string
	syntax.Walk(u.parsed(), func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			if node.Name != nil {
				known[node.Name.Value] = true
			}
		case *syntax.WordIter:
			known[node.Name.Value] = true
		case *syntax.CallExpr: // such as `read`, `getopts` and `printf -v`
			for _, word := range node.Args {
				known[word.Lit()] = true
			}
		case *syntax.ParamExp:
			if node.Param != nil {
				read = append(read, node.Param.Value)
			}
		}
		return true
	})
	var unset []string
	for _, name := range read {
		if !known[name] {
			known[name] = true
			unset = append(unset, name)
		}
	}
	return unset
}

// meantFor returns the first of some variables that is likely to be meant for an input; empty if no variable is. Like
// suggestions, it considers a limited number.
func meantFor(in *v1alpha1.Input, variables []string) string {
	own := in.Env()
	if own == "" {
		return ""
	}
	for _, name := range variables[:min(len(variables), strictyaml.MaxCandidates)] {
		nearest, _ := strictyaml.Suggest(name, []string{own})
		if nearest != "" || strings.HasSuffix(name, "_"+own) || strings.HasSuffix(own, "_"+name) {
			return name
		}
	}
	return ""
}

// setBefore returns the variables that are set for a step before its script starts, as far as the plugin says.
func (p *plugin) setBefore(s step) map[string]bool {
	known := map[string]bool{}
	for _, name := range contract.StepVariables() {
		known[name] = true
	}
	for i := range s.Inputs {
		known[s.Inputs[i].Env()] = true
	}
	for _, main := range p.overlayMains() {
		for _, variable := range main.Env {
			known[variable.Name] = true
		}
	}
	return known
}
