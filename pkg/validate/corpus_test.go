package validate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// checkFile reads a real file as file mode does and returns its findings, including those of the reader.
func checkFile(t *testing.T, file string, values map[string]string) []string {
	t.Helper()
	read, err := load.Read([]string{file}, load.Options{Values: values})
	require.NoError(t, err)
	list := krm.NewList()
	for _, d := range read.Documents {
		list.Append(d.Item)
	}
	report, err := validate.Check(list, validate.Options{})
	require.NoError(t, err)
	var all []string
	for _, result := range append(read.Results(), report.Results...) {
		all = append(all, string(result.Severity)+" "+result.Message)
	}
	return all
}

func values() map[string]string {
	values := map[string]string{"github-pr": "12"}
	const names = "cluster namespace tfstate-bucket branch name service image devbox-id dev team commit"
	for _, name := range strings.Fields(names) {
		values[name] = "value"
	}
	return values
}

// Files that the vendor's loader accepts have no errors, and only warnings that the specification requires; none is about
// scripts. No plugin has a version, which is an info, and two give scripts an account that sandboxes share.
func TestRealFilesHaveNoErrors(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	var files []string
	for _, pattern := range strings.Fields("plugins/*/plugin.yaml plugins/*/example-*.yaml hotrod/*.yaml hotrod/dev/*.yaml") {
		found, err := filepath.Glob(filepath.Join(corpus, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Len(t, files, 14)
	for _, file := range files {
		for _, finding := range checkFile(t, file, values()) {
			assert.Regexp(t, `^warning must have at most 255 bytes, not [0-9]+$|^info "[a-z-]+" has no version|`+
				`^warning must not give scripts the token of ServiceAccount "sd-(mariadb|postgresdb)"`, finding, file)
		}
	}
}

// Files that the vendor's loader rejects get a helpful message.
func TestBrokenRealFilesAreTold(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	helpful := map[string]string{
		"inputs-to.yaml":             `unknown key "to": it is called "as" today`,
		"outputs-from.yaml":          `unknown key "from": it is called "valueFromPath" today`,
		"unquoted-directive.yaml":    "a value that starts with @ must be quoted",
		"sandbox-tags.yaml":          `unknown key "tags": it is called "labels" today`,
		"sandbox-endpoints-map.yaml": "must be a list: each endpoint begins with a dash",
	}
	for name, want := range helpful {
		assert.Contains(t, strings.Join(checkFile(t, filepath.Join(corpus, "broken", name), values()), "\n"), "error "+want, name)
	}
}
