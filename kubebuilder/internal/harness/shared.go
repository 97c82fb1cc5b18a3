package harness

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// sharedNames are the files that several plugins and people write, by their last elements.
var sharedNames = []string{
	"README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", "Makefile", "Dockerfile", ".gitignore", ".dockerignore",
	".gitattributes", ".editorconfig", ".golangci.yml", ".pre-commit-config.yaml", "CODEOWNERS", "go.mod", "kustomization.yaml",
	"package.json", "Chart.yaml", "values.yaml", "Tiltfile",
}

// ofOthers is content of other tools, as a text and as a field.
const ofOthers = "ofOthers"

// withText returns a file with a line that the plugin has not written.
func withText(name, content string) string {
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	switch path.Ext(name) {
	case ".md", ".txt":
		return content + ofOthers + "\n"
	case ".go", ".mod", ".js", ".ts":
		return content + "// " + ofOthers + "\n"
	case ".json":
		return "{\n  \"" + ofOthers + "\": \"kept\"\n}\n" // only for new files: others are documents
	}
	return content + "# " + ofOthers + "\n"
}

// withField returns a file of YAML or JSON with a field that the plugin does not know, false for other files.
func withField(name, content string) (string, bool) {
	fields, ok := fieldsOf(name, content)
	if !ok || len(fields) == 0 {
		return "", false
	}
	if path.Ext(name) == ".json" {
		fields[ofOthers] = "kept"
		text, err := json.MarshalIndent(fields, "", "  ")
		return string(text) + "\n", err == nil
	}
	if strings.HasPrefix(strings.TrimSpace(content), "{") {
		return "", false
	}
	return strings.TrimRight(content, "\n") + "\n" + ofOthers + ": kept\n", true
}

// fieldsOf reads a file of YAML or JSON with one mapping.
func fieldsOf(name, content string) (fields map[string]any, ok bool) {
	isDocument := slices.Contains([]string{".json", ".yaml", ".yml"}, path.Ext(name)) || path.Base(name) == "PROJECT"
	if !isDocument || strings.Contains(content, "\n---") {
		return nil, false
	}
	return fields, yaml.Unmarshal([]byte(content), &fields) == nil
}

// checkSharedFiles looks for a plugin that writes files from nothing which others write, too.
func checkSharedFiles(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
			request := s.request(command)
			if _, isGiven := request.Universe[name]; !isGiven && slices.Contains(sharedNames, path.Base(name)) {
				request.Universe[name] = withText(name, "")
				s.keepsText(request, name)
			}
		}
	}
	s.rewritten(func(request v1alpha1.Request, name string) {
		if _, isDocument := withField(name, request.Universe[name]); !isDocument {
			request.Universe[name] = withText(name, request.Universe[name])
			s.keepsText(request, name)
		}
	})
}

// keepsText sends a request with a text of others in a file. The plugin may refuse it.
func (s *session) keepsText(request v1alpha1.Request, name string) {
	response, err := s.send(request)
	if err != nil || response.Error {
		return
	}
	if after, isWritten := response.Universe[name]; isWritten && !strings.Contains(after, ofOthers) ||
		slices.Contains(response.Deleted, name) {
		s.fail("%s: must keep what others have written in %q: change the text in the universe, or fail", request.Command, name)
	}
}

// checkUnknownFields looks for a plugin that drops fields from files of YAML and JSON that it rewrites.
func checkUnknownFields(s *session) {
	checked := false
	s.rewritten(func(request v1alpha1.Request, name string) {
		text, isDocument := withField(name, request.Universe[name])
		if !isDocument {
			return
		}
		checked = true
		request.Universe[name] = text
		response, err := s.send(request)
		if err != nil || response.Error {
			return // it may refuse unknown content
		}
		after, isWritten := response.Universe[name]
		if fields, ok := fieldsOf(name, after); isWritten && (!ok || fields[ofOthers] != "kept") {
			s.fail("%s: must keep fields that it does not know in %q, such as those of later releases and other plugins",
				request.Command, name)
		}
	})
	if !checked && s.skipped == "" {
		s.skip("no command rewrites a file of YAML or JSON")
	}
}

// rewritten calls do with each file that a command rewrites, of the project or of another command, and the request for
// that.
func (s *session) rewritten(do func(request v1alpha1.Request, name string)) {
	supported := s.supported(commands...)
	for _, first := range append([]string{""}, commands...) {
		for _, second := range commands {
			if second == first || first != "" && supported[first] == nil {
				continue // the same command again is for the check "idempotent"
			}
			request := func() v1alpha1.Request {
				request := s.request(second)
				if first != "" {
					maps.Copy(request.Universe, s.request(first).Universe)
					maps.Copy(request.Universe, supported[first].Universe)
				}
				return request
			}
			plain := request()
			again, err := s.send(plain)
			if err != nil || again.Error {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(again.Universe)) {
				isHosts := name == "PROJECT" && second == v1alpha1.CommandInit // for the check "project-file"
				if before, existed := plain.Universe[name]; existed && before != again.Universe[name] && !isHosts {
					do(request(), name)
				}
			}
		}
	}
}
