package kubebuilder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/kubebuilder"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// layouts are discovery folders with a working plugin and other entries: programs are executable, links lead to the plugin's
// version. The rule is the broken one, or empty.
var layouts = map[string]struct {
	programs, files []string
	link            string
	rule            string
	works           bool // kubebuilder still finds the plugin
}{
	"nothing else":             {works: true},
	"another extension":        {programs: []string{"other/v1-alpha/other.sh"}, works: true},
	"other files of a version": {programs: []string{"other/v1/other"}, files: []string{"other/v1/README"}, works: true},
	"a program without x bit":  {files: []string{"other/v1/other"}, rule: "plugin-folder-program"},
	"two programs":             {programs: []string{"other/v1/other", "other/v1/other.sh"}, rule: "plugin-folder-program"},
	"another version":          {programs: []string{"other/1.0/other"}, rule: "plugin-folder-version"},
	"a version v0":             {programs: []string{"other/v0/other"}, works: true},
	"another name":             {programs: []string{"Other/v1/Other"}, rule: "plugin-folder-name"},
	"a hidden file":            {files: []string{"write/v1/.DS_Store"}, rule: "plugin-folder-hidden"},
	"a file beside versions":   {files: []string{"write/README"}, rule: "plugin-folder-entry", works: true},
	"a file beside plugins":    {files: []string{".DS_Store"}, rule: "plugin-folder-entry", works: true},
	"a link to a version":      {link: "write/v2", rule: "plugin-folder-entry", works: true},
}

// If a discovery folder breaks a rule with severity error, the real kubebuilder runs no plugin; with a warning it still
// does.
func TestDiscoveryFoldersOfRules(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		for name, layout := range layouts {
			t.Run(release+"/"+name, func(t *testing.T) {
				t.Parallel()
				program := checkout.Tool(t, release)
				project, root := t.TempDir(), filepath.Join(t.TempDir(), "plugins")
				install(t, root, "write")
				for _, path := range layout.programs {
					write(t, filepath.Join(root, path), 0o755)
				}
				for _, path := range layout.files {
					write(t, filepath.Join(root, path), 0o644)
				}
				if layout.link != "" {
					require.NoError(t, os.Symlink("v1", filepath.Join(root, layout.link)))
				}
				err := initWith(program, project, root, []string{"write/v1"})
				assert.Equal(t, layout.works, err == nil, "%s: %v", release, err)
				assert.Equal(t, layout.rule, brokenRule(t, root, layout.works))
			})
		}
	}
}

func write(t *testing.T, file string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\ncat > /dev/null\necho '{}'\n"), mode))
}

// brokenRule returns the rule that a discovery folder breaks: an error, or a warning if kubebuilder works.
func brokenRule(t *testing.T, root string, works bool) string {
	t.Helper()
	feature := kubebuilder.Extension()
	read, err := load.Read([]string{root}, load.Options{Formats: feature.Formats})
	require.NoError(t, err)
	list := krm.NewList()
	for _, document := range read.Documents {
		list.Append(document.Item)
	}
	report, err := validate.Check(list, validate.Options{Extensions: []validate.Extension{feature.Rules}})
	require.NoError(t, err)
	assert.Contains(t, report.Counts, validate.Count{N: 1, Noun: "external plugin"})
	if len(report.Results) == 0 {
		return ""
	}
	require.Len(t, report.Results, 1)
	assert.Equal(t, works, report.Results[0].Severity == krm.Warning)
	return report.Results[0].Tags[krm.RuleTag]
}
