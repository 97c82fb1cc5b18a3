package function

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
)

// ourFiles are documents of ours in different folders of a repository.
var ourFiles = map[string]string{
	".signadot/sandbox.yaml": "name: \"feature-x\"\nspec:\n  cluster: demo\n  forks:\n  - forkOf: {kind: Deployment, namespace: a, name: web}\n" +
		"    customizations: {env: [{name: A, valueFrom: {fork: {forkOf: {kind: Deployment, namespace: a, name: web}, " +
		"expression: \"{{ .Host }}\"}}}]}\n  - forkOf: {kind: Deployment, namespace: a, name: db}\n",
	"plugins/hello/plugin.yaml": "name: hello-db@1.0.0\nspec:\n  runner: {image: ubuntu}\n  create:\n" +
		"  - name: hello\n    script: \"@{embed: hello.sh}\"\n",
	"plugins/hello/hello.sh": "#!/bin/sh\necho '{{ hello }}'\n",
	"deploy/plugin.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: other-db@1.0.0}\n" +
		"spec:\n  runner: {image: ubuntu}\n  create: [{name: a, script: \"#!/bin/sh\\n\"}]\n",
	"deploy/sandbox.json": `{"name": "feature-y", "spec": {"cluster": "demo", "resources": [{"name": "db", "plugin": "hello-db@1.0.0"}]}}`,
}

// otherFiles are the other files of a repository. Some look like documents of ours, and some are broken.
var otherFiles = map[string]string{
	".github/workflows/ci.yaml":   "name: ci\non: [push]\njobs:\n  a:\n    runs-on: x\n    steps: [{run: \"echo ${{ github.sha }}\"}]\n",
	".pre-commit-config.yaml":     "repos: [{repo: local, hooks: []}]\n",
	".signadot/job.yaml":          "spec:\n  runnerGroup: tests\n  namePrefix: a\n  script: |\n    #!/bin/sh\n",
	".signadot/config.yaml":       "smart_tests: [tests]\n",
	"chart/Chart.yaml":            "apiVersion: v2\nname: web\nversion: 1.0.0\n",
	"chart/values.yaml":           "name: web\nimage: nginx\nspec:\n  replicas: 2\n  labels: {a: b}\n  resources: {limits: {cpu: 1}}\n",
	"chart/values-prod.yaml":      "name: web\nspec:\n  cluster: prod\n  replicas: 2\n  hosts: []\n",
	"chart/templates/web.yaml":    "{{- if .Values.on }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\nspec:\n  create: [\n{{- end }}\n",
	"chart/templates/labels.yaml": "name: {{ .Values.name }}\nspec:\n{{ toYaml .Values.spec | indent 2 }}\n",
	"kustomization.yaml":          "resources: [deploy]\n",
	"deploy/kustomization.yaml":   "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [plugin.yaml]\n",
	"deploy/patch.yaml":           "spec:\n  template:\n    spec: {containers: [{name: a}]}\n",
	"deploy/agent.yaml": "apiVersion: agents.x-k8s.io/v1alpha1\nkind: Sandbox\nmetadata: {name: agent}\n" +
		"spec: {podTemplate: {spec: {containers: []}}}\n",
	"deploy/skipper.yaml":     "apiVersion: zalando.org/v1\nkind: RouteGroup\nmetadata: {name: a}\nspec: {hosts: [], backends: []}\n",
	"web/package.json":        `{"name": "web", "version": "1.0.0", "scripts": {"create": "a", "delete": "b"}, "resources": []}`,
	"web/tsconfig.json":       "{\n  // a comment\n  \"compilerOptions\": {\"paths\": {\"@/*\": [\"*\"]}},\n  \"files\": [],\n}\n",
	"web/latin.yaml":          "author: J\xf6rg\n",
	"web/archive.yaml":        "PK\x03\x04\x00\x00",
	"web/broken.yaml":         "a: [\n",
	"web/large.json":          `{"spec_version": 1, "rows": [` + strings.Repeat(`{"name": "a", "spec": {"cluster": "b"}},`, 100_000) + "1]}",
	"web/compose.yaml":        "name: web\nservices: {web: {image: nginx, labels: {a: b}}}\n",
	"web/openapi.yaml":        "openapi: 3.0.0\npaths:\n  /a: {get: {}}\ncomponents:\n  schemas:\n    Spec:\n      properties:\n        name: {}\n",
	"web/node_modules/a.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: [\n",
	".gitignore":              "node_modules/\n",
}

// repository writes a repository with 2,000 manifests of other tools.
func repository(t *testing.T, withOthers bool) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for name, text := range ourFiles {
		write(name, text)
	}
	if !withOthers {
		return dir
	}
	for name, text := range otherFiles {
		write(name, text)
	}
	for i := range 2000 {
		write(fmt.Sprintf("manifests/%d/%d.yaml", i%50, i), fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: web-%d\n  labels:\n    app: web\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      app: web\n"+
			"  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n"+
			"        image: nginx\n        resources:\n          limits:\n            cpu: 100m\n", i))
	}
	return dir
}

func validateFolder(dir string, args ...string) (code int, stdout, stderr string) {
	var out, notes bytes.Buffer
	code = validateplugin.New().Run(context.Background(), append(args, dir), strings.NewReader(""), &out, &notes)
	return code, strings.ReplaceAll(out.String(), dir+"/", ""), notes.String()
}

// In a repository of many tools only documents of ours are checked, and the summary says so.
func TestRepositoryOfManyTools(t *testing.T) {
	t.Parallel()
	clean, mixed := repository(t, false), repository(t, true)
	summary := func(stderr string) string {
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		return lines[len(lines)-1]
	}
	for dir, want := range map[string]string{
		clean: "validate-plugin: checked 2 plugins and 2 sandboxes: no findings",
		mixed: "validate-plugin: checked 2 plugins and 2 sandboxes; skipped 2022 other documents: no findings",
	} {
		start := time.Now()
		code, stdout, stderr := validateFolder(dir, "--verbose")
		t.Logf("%d lines in %s", strings.Count(stderr, "\n"), time.Since(start))
		assert.Equal(t, 0, code)
		assert.Empty(t, stdout)
		assert.Equal(t, want, summary(stderr))
	}

	// With a mistake in one of our files, exactly that is found.
	for name, c := range map[string]struct{ change, to, want string }{
		".signadot/sandbox.yaml": {
			`"feature-x"`, `"feature-x`, ".signadot/sandbox.yaml:5:3: [error] must be valid YAML: did not find expected key",
		},
		"plugins/hello/plugin.yaml": {
			"runner: {", "runer: {", `plugins/hello/plugin.yaml:3:3: [error] ResourcePlugin/hello-db@1.0.0 spec.runer: unknown key`,
		},
		"deploy/plugin.yaml": {
			"kind: ", "kind ", "deploy/plugin.yaml:2:1: [error] must be valid YAML: could not find expected ':'",
		},
		"deploy/sandbox.json": {"cluster", "culster", "deploy/sandbox.json:1:32: [error] Sandbox/feature-y spec.culster: unknown key"},
	} {
		text := ourFiles[name]
		require.NoError(t, os.WriteFile(filepath.Join(mixed, name), []byte(strings.Replace(text, c.change, c.to, 1)), 0o600))
		code, stdout, _ := validateFolder(mixed)
		assert.Equal(t, 1, code, name)
		assert.Equal(t, 1, strings.Count(stdout, "\n"), stdout)
		assert.True(t, strings.HasPrefix(stdout, c.want), stdout)
		require.NoError(t, os.WriteFile(filepath.Join(mixed, name), []byte(text), 0o600))
	}
}
