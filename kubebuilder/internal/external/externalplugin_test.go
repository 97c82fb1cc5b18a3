package external_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// install writes files to a new discovery folder. A name that ends in + is executable.
func install(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name, executable := strings.CutSuffix(name, "+")
		mode := os.FileMode(0o600)
		if executable {
			mode = 0o700
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), mode))
	}
	return root
}

func TestDiscoverIsolatesBrokenFolders(t *testing.T) {
	t.Parallel()
	root := install(t, map[string]string{
		"good/v1/good+":                             "",
		"good/v2-alpha/good.sh+":                    "",
		"good/v2-alpha/README.md":                   "",
		"dotted.example.org/v1/dotted.example.org+": "",
		".DS_Store":                                 "",
		"good/.DS_Store":                            "",
		"notes.txt":                                 "",
		"Upper/v1/Upper+":                           "",
		"badversion/1.0/badversion+":                "",
		"empty/v1/other+":                           "",
		"plain/v1/plain":                            "",
		"two/v1/two+":                               "",
		"two/v1/two.py+":                            "",
		"file/v1":                                   "",
		"folder/v1/folder/x":                        "",
	})
	plugins, broken, err := external.Discover(root)
	require.NoError(t, err)
	keys := make([]string, len(plugins))
	for i, plugin := range plugins {
		keys[i] = plugin.Key()
	}
	assert.Equal(t, []string{"dotted.example.org/v1", "good/v1", "good/v2-alpha"}, keys)
	assert.Equal(t, filepath.Join(root, "good", "v2-alpha", "good.sh"), plugins[2].Path)
	reasons := make([]string, len(broken))
	for i, one := range broken {
		reasons[i] = strings.ReplaceAll(one.Error(), root+"/", "")
	}
	assert.Equal(t, []string{
		"Upper: the name of a plugin must be a DNS subdomain: " + validation.IsDNS1123Subdomain("Upper")[0],
		`badversion/1.0: the version must be such as v1, v2-alpha or v1-beta, not "1.0"`,
		`empty/v1: must hold the program "empty"`,
		"file/v1: must be a folder with the version of a plugin, and no link",
		`folder/v1: the program "folder" must be a regular file`,
		"notes.txt: must be a folder with the name of a plugin",
		`plain/v1: the program "plain" must be executable: chmod +x plain/v1/plain`,
		"two/v1: must hold one program, not two and two.py",
	}, reasons)
}

func TestDiscoverWithoutFolder(t *testing.T) {
	t.Parallel()
	plugins, broken, err := external.Discover(filepath.Join(t.TempDir(), "none"))
	require.NoError(t, err)
	assert.Empty(t, plugins)
	assert.Empty(t, broken)
}

func TestRootIsTheFolderOfTheSystem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		system      string
		environment map[string]string
		want        string
	}{
		"named":      {"linux", map[string]string{"EXTERNAL_PLUGINS_PATH": "/p", "XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/p"},
		"XDG":        {"linux", map[string]string{"XDG_CONFIG_HOME": "/c", "HOME": "/h"}, "/c/kubebuilder/plugins"},
		"Linux":      {"linux", map[string]string{"HOME": "/h"}, "/h/.config/kubebuilder/plugins"},
		"macOS":      {"darwin", map[string]string{"HOME": "/h"}, "/h/Library/Application Support/kubebuilder/plugins"},
		"no folders": {"linux", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, err := external.Root(test.system, func(key string) string { return test.environment[key] })
			assert.Equal(t, test.want, root)
			assert.Equal(t, test.want == "", err != nil)
		})
	}
}

// script returns a plugin that is a shell script.
func script(t *testing.T, text string) external.Plugin {
	t.Helper()
	root := install(t, map[string]string{"sample/v1/sample+": "#!/bin/sh\n" + text})
	plugins, broken, err := external.Discover(root)
	require.NoError(t, err)
	require.Empty(t, broken)
	return plugins[0]
}

func TestCall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		limits external.Limits
		want   string // the error
	}{
		"an answer":      {`cat > request; printf '{"APIVERSION": "v1alpha1", "universe": {"a": "b"}}'`, external.Limits{}, ""},
		"an empty one":   {`echo '{}'`, external.Limits{}, ""},
		"a failure":      {`echo '{"error": true, "errorMsgs": ["one", "two"]}'`, external.Limits{}, "plugin sample/v1: one\nplugin sample/v1: two"},
		"without reason": {`echo '{"error": true, "error_msg": "lost"}'`, external.Limits{}, "plugin sample/v1 failed without a message: it must give errorMsgs"},
		"an exit code": {`echo '{}'; exit 3`, external.Limits{},
			"plugin sample/v1: must exit with 0 and report errors in its response, not end with exit status 3"},
		"two objects": {`echo '{} {}'`, external.Limits{},
			"plugin sample/v1: the response must be one JSON object, and nothing else may be on stdout: print messages to stderr"},
		"a message on stdout": {`echo hello; echo '{}'`, external.Limits{},
			"plugin sample/v1: the response must be one JSON object: " + json.Unmarshal([]byte("hello"), new(any)).Error()},
		"null":     {`echo null`, external.Limits{}, "plugin sample/v1: the response must be one JSON object, not null"},
		"nothing":  {`true`, external.Limits{}, "plugin sample/v1: the response must be one JSON object: EOF"},
		"too much": {`cat /dev/zero`, external.Limits{Output: 1000}, "plugin sample/v1: the response must have at most 1000 bytes"},
		"too slow": {`sleep 60`, external.Limits{Time: 50 * time.Millisecond}, "plugin sample/v1: no response within 50ms"},
		"a child that keeps stdout open": {`sleep 60 & echo '{}'`, external.Limits{},
			"plugin sample/v1: a process that it started keeps its stdout or stderr open after it has ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := t.TempDir()
			request := v1alpha1.Request{APIVersion: v1alpha1.APIVersion, Command: v1alpha1.CommandInit}
			response, err := script(t, test.script).Call(context.Background(), project, request, nil, test.limits)
			if test.want != "" {
				require.EqualError(t, err, test.want)
				return
			}
			require.NoError(t, err)
			if received, err := os.ReadFile(filepath.Join(project, "request")); err == nil {
				assert.JSONEq(t, `{"apiVersion": "v1alpha1", "command": "init", "args": null, "universe": {}}`, string(received))
				assert.Equal(t, map[string]string{"a": "b"}, response.Universe)
			}
		})
	}
}

func TestCheckPath(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a/b.go":      "",
		".github/x":   "",
		"..a/b":       "",
		"":            "must not be empty",
		"../x":        `must be a path below the project's folder, not "../x"`,
		"a/../../x":   `must be a path below the project's folder, not "a/../../x"`,
		"/etc/passwd": `must be a path below the project's folder, not "/etc/passwd"`,
		"C:/x":        `must be a path below the project's folder, not "C:/x"`,
		`a\b`:         `must have slashes between folders, not "a\\b"`,
		"a//b":        `must be the shortest path, "a/b", not "a//b"`,
		"./a":         `must be the shortest path, "a", not "./a"`,
		"a/":          `must be the shortest path, "a", not "a/"`,
		"a\nb":        `must be text without control characters, not "a\nb"`,
		"\xff":        `must be text without control characters, not "\xff"`,
		".git/hooks":  `must not be in a folder of git, as ".git/hooks" is`,
		"a/.GIT/x":    `must not be in a folder of git, as "a/.GIT/x" is`,
	} {
		assert.Equal(t, want, v1alpha1.CheckUniversePath(name), name)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"universe": {"a": "b"}, "flags": [{"Name": "x"}]}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		response, err := external.Decode([]byte(text))
		assert.Equal(t, err == nil, response != nil)
	})
}

// A relative path is relative to the working directory, although the plugin runs in the folder of the project.
func TestFromPath_relative(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	folder := filepath.Join("sample", "v2-beta")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	script := []byte("#!/bin/sh\ncat > /dev/null\necho '{}'\n")
	for _, file := range []string{filepath.Join(folder, "sample.sh"), "other.sh"} {
		require.NoError(t, os.WriteFile(file, script, 0o755))
	}
	installed, err := external.FromPath(filepath.Join(folder, "sample.sh"))
	require.NoError(t, err)
	assert.Equal(t, "sample/v2-beta", installed.Key())
	_, err = installed.Call(t.Context(), t.TempDir(), v1alpha1.Request{}, nil, external.Limits{})
	require.NoError(t, err)
	elsewhere, err := external.FromPath("other.sh")
	require.NoError(t, err)
	assert.Equal(t, "other/v1", elsewhere.Key())
	require.NoError(t, os.Chmod("other.sh", 0o644))
	_, err = external.FromPath("other.sh")
	assert.EqualError(t, err, `the program "other.sh" must be executable: chmod +x other.sh`)
}
