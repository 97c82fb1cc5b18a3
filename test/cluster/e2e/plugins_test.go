//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// clientOfPlugins is a workload with a container for each plugin.
const clientOfPlugins = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: catalog, namespace: shop}
spec:
  selector: {matchLabels: {app: catalog}}
  template:
    metadata: {labels: {app: catalog}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: database, image: 'postgres:15', command: &sleep [/bin/sh, -c, 'while sleep 1; do :; done']}
      - {name: server, image: busybox, command: *sleep}
      - {name: namespace, image: 'alpine/k8s:1.33.3', command: *sleep}
`

// userOfPlugins is a sandbox whose fork uses a database as files, and a server and a namespace as variables.
const userOfPlugins = `
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: feature-x
spec:
  cluster: test
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: catalog}
    customizations:
      env:
      - {name: SERVICE_BINDING_ROOT, value: /bindings, container: database}
      - {name: HOST, container: server, valueFrom: {resource: {name: web, outputKey: provision.host}}}
      - {name: PORT, container: server, valueFrom: {resource: {name: web, outputKey: provision.port}}}
      - {name: PASSWORD, container: server, valueFrom: {resource: {name: web, outputKey: provision.password}}}
      - {name: API, container: namespace, valueFrom: {resource: {name: space, outputKey: provision.uri}}}
      - {name: TOKEN, container: namespace, valueFrom: {resource: {name: space, outputKey: provision.token}}}
      - {name: NAMESPACE, container: namespace, valueFrom: {resource: {name: space, outputKey: provision.namespace}}}
  resources:
  - name: db
    plugin: postgres
    params: {mode: dump, dump: CREATE TABLE tea AS SELECT 'assam' AS name}
  - name: space
    plugin: kubernetes-namespace
    params: {pods: "3"}
  - name: web
    plugin: server
    params:
      image: busybox
      port: "8080"
      password-env: PASSWORD
      env: GREETING=it's "$(tea)" time
      ready-path: /index.html
      memory: 32Mi
      args: |
        /bin/sh
        -ec
        mkdir /www; echo "$GREETING $PASSWORD" > /www/index.html; exec httpd -f -p 8080 -h /www
`

// Three plugins of plugins/ create a database, a server and a namespace for a sandbox; its fork uses all of them; the teardown
// leaves nothing.
func TestLifecyclePlugins(t *testing.T) {
	databases, shop := loadServers(t)
	loadKubectl(t)
	namespaces := []*testNamespace{databases}
	for plugin, name := range map[string]string{"server": "servers", "kubernetes-namespace": "resourceplugins"} {
		namespaces = append(namespaces, newNamedNamespace(t, name))
		must(t, "", "apply", "-f", filepath.Join(checkout.Root(), "plugins", plugin, "rbac.yaml"))
	}
	must(t, "", "create", "secret", "generic", "postgres-admin", "--namespace", databases.name, "--from-literal=PGPORT=5432",
		"--from-literal=PGHOST=postgres."+databases.name+".svc", "--from-literal=PGUSER=postgres", "--from-literal=PGPASSWORD=adminpass")
	databases.server(shop, "postgres")

	documents := databases.rename(shop, userOfPlugins)
	for _, plugin := range []string{"postgres", "server", "kubernetes-namespace"} {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), "plugins", plugin, "plugin.yaml"))
		require.NoError(t, err)
		documents += "\n---\n" + strings.Replace(databases.rename(shop, string(text)), "postgres:17-alpine", "postgres:15", 1)
	}
	baseline := databases.rename(shop, clientOfPlugins)
	run := func(documents, phase string) {
		t.Helper()
		must(t, function(t, "render-phase", documents, append(longStartTimeout, "-")...), "apply", "-f", "-")
		for _, s := range namespaces {
			ends := s.ended("--selector=resourceplugins.dev/phase=" + phase)
			require.NotEmpty(t, ends, s.name)
			for job, end := range ends {
				require.Equal(t, "Complete", end, "%s in %s", job, s.name)
			}
		}
	}
	shop.apply(baseline)
	shop.apply(function(t, "render-sandbox", baseline+"---\n"+documents, "-"))
	run(documents, "create")
	fork := shop.named("deployments")
	shop.rolledOut(fork)
	in := func(container, script string) string {
		t.Helper()
		return must(t, "", "exec", "deployment/"+fork, "--namespace", shop.name, "--container", container, "--", "/bin/sh", "-ec", script)
	}
	assert.Equal(t, "assam\n", in("database", `psql "$(cat /bindings/db/uri)" --tuples-only --no-align --command 'SELECT name FROM tea'`))
	assert.Equal(t, "postgresql server kubernetes-namespace", in("database", "cd /bindings; echo $(cat db/type) $(cat web/type) $(cat space/type) | tr -d '\\n'"))
	assert.Equal(t, "it's \"$(tea)\" time true\n", in("server",
		`until wget -q -O - "http://$HOST:$PORT/index.html" > /tmp/got; do sleep 0.5; done # DNS takes a moment
test "$(sed 's/.* //' /tmp/got)" = "$PASSWORD"; sed 's/[^ ]*$/true/' /tmp/got`))
	assert.Equal(t, "configmap/cup created\nno\n", in("namespace", `as() { kubectl --server "$API" --insecure-skip-tls-verify --token "$TOKEN" "$@"; }
as --namespace "$NAMESPACE" create configmap cup; as auth can-i list secrets --namespace default || true`))

	absent := strings.Replace(documents, "  name: feature-x\n", "  name: feature-x\n  annotations: {resourceplugins.dev/state: absent}\n", 1)
	run(absent, "delete")
	left := must(t, "", "get", "namespaces,deployments,services,secrets,pods", "--all-namespaces", "--output=name",
		"--selector", "!app.kubernetes.io/managed-by,!job-name")
	for _, resource := range []string{"-db", "-web", "-space"} {
		assert.NotRegexp(t, `(?m)^\S+/[a-z0-9]{13}`+resource+`(\.|-|$)`, left)
	}
	assert.Equal(t, "0\n", must(t, "", "exec", "deployment/postgres", "--namespace", databases.name, "--", "psql", "--host=/tmp",
		"--username=postgres", "--tuples-only", "--no-align", "--command", "SELECT count(*) FROM pg_roles WHERE rolname LIKE '%-db'"))
}

// loadKubectl loads an image with kubectl and a shell, under the name that plugins have.
func loadKubectl(t *testing.T) {
	t.Helper()
	folder, archive := t.TempDir(), filepath.Join(t.TempDir(), "k8s.tar")
	nodeScript(t, "shell", folder)
	out, err := exec.Command("cp", suite.kubectl, filepath.Join(folder, "bin", "kubectl")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	nodeScript(t, "image", "-o", archive, "-t", "alpine/k8s:1.33.3", "-c", `["/bin/sh"]`, folder)
	nodeScript(t, "load", archive)
}
