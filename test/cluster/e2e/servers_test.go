//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// PostgreSQL: a step provisions a database and a user, two parallel steps seed and check the database, a Pod in another
// namespace uses it, and the teardown removes everything.
func TestLifecyclePostgres(t *testing.T) {
	t.Parallel()
	postgres(t, jobs.Name)
}

func postgres(t *testing.T, engineName string) {
	t.Helper()
	s, shop := loadServers(t)
	must(t, "", "create", "secret", "generic", "postgres-admin", "--namespace", s.name, "--from-literal=PGHOST=postgres."+s.name+".svc",
		"--from-literal=PGPORT=5432", "--from-literal=PGUSER=postgres", "--from-literal=PGPASSWORD=adm$(in) 'pass'")
	s.server(shop, "postgres")
	admin := func(query string) string {
		t.Helper()
		return must(t, "", "exec", "deployment/postgres", "--namespace", s.name, "--", "psql", "--host=/tmp", "--username=postgres",
			"--tuples-only", "--no-align", "--command", query)
	}

	l := example(s, shop, "catalog-7", "postgres/plugin.yaml", "postgres/sandbox.yaml").on(engineName)
	l.run("create")
	provisioned := l.output(s, "provision")
	assert.Equal(t, "products,seeded\n", string(l.output(s, "seed").Data["tables"]))
	assert.True(t, strings.HasPrefix(string(l.output(s, "check").Data["version"]), "15."))

	copied := l.output(shop, "provision")
	assert.Equal(t, provisioned.Data["url"], copied.Data["url"])
	const query = `psql --no-psqlrc --tuples-only --no-align --command="SELECT name FROM products ORDER BY price" "$DATABASE_URL"`
	assert.Equal(t, "the $(CHEAPEST) cup\ntea\nit's $$12\n", client(shop, "catalog", "postgres:15", "DATABASE_URL", copied, "url", query))

	password := string(provisioned.Data["password"])
	s.requireHidden(password)
	l.run("create")
	assert.Equal(t, password, string(l.output(s, "provision").Data["password"]), "applying again must not change the password")
	l.run("delete")
	assert.Equal(t, "0\n", admin(`SELECT count(*) FROM pg_database WHERE datname = '`+string(provisioned.Data["name"])+`'`))
	assert.Equal(t, "0\n", admin(`SELECT count(*) FROM pg_roles WHERE rolname = '`+string(provisioned.Data["name"])+`'`))
	l.remove()
}

// MariaDB: two parallel steps, and a third that reads the outputs of both.
func TestLifecycleOrdersDB(t *testing.T) {
	t.Parallel()
	ordersDB(t, jobs.Name)
}

func ordersDB(t *testing.T, engineName string) {
	t.Helper()
	s, shop := loadServers(t)
	must(t, "", "create", "secret", "generic", "mariadb-admin", "--namespace", s.name, "--from-literal=password=an'other pass\\word")
	s.server(shop, "orders-db")
	l := example(s, shop, "checkout-42", "orders-db/documents.yaml").on(engineName)
	l.run("create")
	granted := l.output(shop, "grant")
	assert.Equal(t, l.output(s, "grant").Data["url"], granted.Data["url"])
	const query = `url=${DATABASE_URL#mysql://}; at=${url#*@}; user=${url%%:*}; password=${url#*:}
export MYSQL_PWD=${password%%@*}
mariadb --host="${at%/*}" --user="$user" --skip-column-names "${at#*/}" <<SQL
CREATE TABLE numbers (n int); INSERT INTO numbers VALUES (42); SELECT n FROM numbers;
SQL`
	assert.Equal(t, "42\n", client(shop, "checkout", "mariadb:11.8", "DATABASE_URL", granted, "url", query))

	name := string(l.output(s, "create-database").Data["name"])
	l.run("delete")
	shown := must(t, "", "exec", "deployment/mariadb", "--namespace", s.name, "--", "sh", "-c",
		`MYSQL_PWD=$MARIADB_ROOT_PASSWORD mariadb --user=root --skip-column-names --execute="SHOW DATABASES; SELECT user FROM mysql.user"`)
	assert.Contains(t, shown, "root")
	assert.NotContains(t, shown, name)
	assert.NotContains(t, shown, "u_")
	l.remove()
}

// server applies the server of an example. The scripts wait for it.
func (s *testNamespace) server(shop *testNamespace, example string) {
	s.t.Helper()
	manifest, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", example, "server.yaml"))
	require.NoError(s.t, err)
	s.apply(s.rename(shop, string(manifest)))
}

// loadServers loads the images of the servers, and creates the two namespaces of the examples.
func loadServers(t *testing.T) (databases, shop *testNamespace) {
	t.Helper()
	databases = newNamespace(t)
	shop = newNamedNamespace(t, databases.name+"-shop")
	nodeScript(t, "load", strings.Fields(nodeScript(t, "databases"))...)
	return databases, shop
}
