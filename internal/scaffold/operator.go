package scaffold

import "bytes"

// Operator are the options of Go code that renders the plugins of a project in its controllers. The code is the same in
// every project.
type Operator struct{}

// operatorFiles are the files of Operator, with their templates.
var operatorFiles = map[string]string{
	PluginPath("plugins.go"):      "plugins.go.tmpl",
	PluginPath("plugins_test.go"): "plugins_test.go.tmpl",
	PluginPath("reconcile.go"):    "reconcile.go.tmpl",
}

// Files returns the code.
func (Operator) Files() (Files, error) {
	files := Files{}
	for path, name := range operatorFiles {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, map[string]string{"Module": Module}); err != nil {
			return nil, err
		}
		files[path] = out.String()
	}
	return files, nil
}
