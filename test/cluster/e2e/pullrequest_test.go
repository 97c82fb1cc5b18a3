//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The script of examples/pull-requests gives two pull requests an environment each, with its own database. The
// next commit keeps it. An environment without a close event is found by the sweep, also when the branch is gone.
func TestLifecyclePullRequest(t *testing.T) {
	r := newPullRequests(t, "shop-pr-")
	r.copyExample()

	r.bash("./preview open 42")
	r.bash("./preview open 43")
	r.databases("2", "one each")
	assert.Equal(t, "0\n", r.query("42", "SELECT count(*) FROM products"))
	first := r.query("42", "SELECT current_database()")
	assert.NotEqual(t, first, r.query("43", "SELECT current_database()"))

	r.query("42", "INSERT INTO products VALUES ('tea', 4.50)")
	r.bash("./preview open 42")
	assert.Equal(t, "1\n", r.query("42", "SELECT count(*) FROM products"), "the same commit must change nothing")

	r.write("deploy/shop.yaml", strings.Replace(r.read("deploy/shop.yaml"), "sleep infinity", "sleep 86400", 1))
	r.bash("./preview open 42")
	assert.Equal(t, "1\n", r.query("42", "SELECT count(*) FROM products"), "a new version of the shop keeps its database")

	r.bash("./preview close 42")
	r.databases("1", "the other one")
	require.NoError(t, os.RemoveAll(filepath.Join(r.folder, "deploy")), "the branch is gone")
	r.bash("echo 43 > open.txt; ./preview sweep open.txt")
	r.databases("1", "it is open")
	r.bash("echo 44 > open.txt; ./preview sweep open.txt")
	r.nothingLeft("42", "43")
}

// pullRequests are environments whose names have a prefix, with a server for their databases.
type pullRequests struct {
	*page
	prefix string
}

// newPullRequests starts the server.
func newPullRequests(t *testing.T, prefix string) *pullRequests {
	t.Helper()
	databases, _ := loadServers(t)
	must(t, "", "create", "secret", "generic", "postgres-admin", "--namespace", databases.name,
		"--from-literal=PGHOST=postgres."+databases.name+".svc", "--from-literal=PGPORT=5432", "--from-literal=PGUSER=postgres",
		"--from-literal=PGPASSWORD=adm$(in) 'pass'")
	databases.server(nil, "postgres")
	t.Cleanup(func() { _, _ = kubectl("", "delete", "namespaces", "-l", "pull-request", "--wait=false") })
	return &pullRequests{newPage(databases, "none"), prefix}
}

// databases requires a number of databases of sandboxes.
func (r *pullRequests) databases(number, why string) {
	r.t.Helper()
	assert.Equal(r.t, number+"\n", r.admin("SELECT count(*) FROM pg_database WHERE datname LIKE '%-db'"), why)
}

// nothingLeft requires that the environments are gone, with their databases, users and objects.
func (r *pullRequests) nothingLeft(numbers ...string) {
	r.t.Helper()
	r.databases("0", "nothing is left")
	assert.Equal(r.t, "0\n", r.admin("SELECT count(*) FROM pg_roles WHERE rolname LIKE '%-db'"))
	for _, number := range numbers {
		left := must(r.t, "", "get", "jobs,pods,secrets,configmaps,roles,rolebindings,serviceaccounts", "--all-namespaces", "-o", "name",
			"-l", contract.SandboxKey+"="+r.prefix+number)
		assert.Empty(r.t, left)
	}
	assert.Empty(r.t, must(r.t, "", "get", "namespaces", "-l", "pull-request", "-o", "name"))
}

func (r *pullRequests) copyExample() {
	r.t.Helper()
	from := filepath.Join(checkout.Root(), "examples", "pull-requests")
	require.NoError(r.t, os.CopyFS(r.folder, os.DirFS(from)))
	plugin, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "postgres", "plugin.yaml"))
	require.NoError(r.t, err)
	r.write("plugin.yaml", r.rename(nil, string(plugin)))
	r.write("preview", strings.Replace(r.read("preview"), "../postgres/plugin.yaml", "plugin.yaml", 1))
}

func (r *pullRequests) read(file string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.folder, file))
	require.NoError(r.t, err)
	return string(text)
}

// admin asks the server.
func (r *pullRequests) admin(query string) string {
	r.t.Helper()
	return must(r.t, "", "exec", "deployment/postgres", "--namespace", r.name, "--", "psql", "--host=/tmp", "--username=postgres",
		"--tuples-only", "--no-align", "--command", query)
}

// query asks the database of a pull request from its Deployment.
func (r *pullRequests) query(number, query string) string {
	r.t.Helper()
	return must(r.t, "", "exec", "deployment/shop", "--namespace", r.prefix+number, "--", "sh", "-c",
		`psql --quiet --no-psqlrc --tuples-only --no-align --command "$1" "$DATABASE_URL"`, "psql", query)
}
