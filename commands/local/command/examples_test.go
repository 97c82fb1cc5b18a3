package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The test of examples/postgres passes with a PostgreSQL server on this machine instead of in a container.
func TestExamplePostgres(t *testing.T) {
	t.Parallel()
	checkout.Program(t, "setpriv", "util-linux")
	checkout.Program(t, "psql", "postgresql-client")
	bin, err := exec.Command(checkout.Program(t, "pg_config", "libpq-dev"), "--bindir").Output()
	require.NoError(t, err)
	checkout.Program(t, filepath.Join(strings.TrimSpace(string(bin)), "initdb"), "postgresql")
	version, err := exec.Command("pg_config", "--version").Output()
	require.NoError(t, err)
	stdout := testsExample(t, "postgres", "plugin.yaml",
		"image: postgres:15", "command: "+serverOf(t, "postgres"),
		"ready: [pg_isready, --host=127.0.0.1, --username=postgres]",
		"ready: [sh, -c, pg_isready --host=127.0.0.1 --port=$FIXTURE_PORT]",
		`"15[.].*\n"`, `"`+regexp.MustCompile(`[0-9]+`).FindString(string(version))+`[.].*\n"`,
	)
	assert.Contains(t, stdout, "1 test and 3 cases: 27 checks passed, 0 failed, 6 skipped\n")
	assert.Contains(t, stdout, "ok    postgres/products delete-check\n")
}

// The test of examples/orders-db passes with a MariaDB server on this machine instead of in a container.
func TestExampleOrdersDB(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"mariadb", "mariadbd", "mariadb-install-db"} {
		checkout.Program(t, program, "mariadb-server")
	}
	stdout := testsExample(t, "orders-db", "documents.yaml",
		"image: mariadb:11.8", "command: "+serverOf(t, "orders-db"),
		"ready: [mariadb-admin, --host=127.0.0.1, ping]",
		"ready: [sh, -c, mariadb-admin --host=127.0.0.1 --port=$FIXTURE_PORT ping]",
	)
	assert.Contains(t, stdout, "1 test and 2 cases: 18 checks passed, 0 failed, 5 skipped\n")
	assert.Contains(t, stdout, "ok    orders-db/orders delete-check\n")
}

// serverOf returns the fixture's command that starts the server of an example on this machine.
func serverOf(t *testing.T, example string) string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", example, "server.sh"))
	require.NoError(t, err)
	return fmt.Sprintf("[env, INITIAL=%s, %s]", filepath.Join(t.TempDir(), "data"), script)
}

// testsExample runs the test of an example, and returns its output. changes are pairs of a text in the test and its
// replacement.
func testsExample(t *testing.T, example, plugin string, changes ...string) string {
	t.Helper()
	needsNamespaces(t)
	folder := filepath.Join(checkout.Root(), "examples", example)
	text, err := os.ReadFile(filepath.Join(folder, "test.yaml"))
	require.NoError(t, err)
	local := string(text)
	for i := 0; i < len(changes); i += 2 {
		require.Contains(t, local, changes[i])
		local = strings.ReplaceAll(local, changes[i], changes[i+1])
	}
	file := filepath.Join(t.TempDir(), "test.yaml")
	require.NoError(t, os.WriteFile(file, []byte(local), 0o600))
	code, stdout, stderr := call("test", "--engine", "process", filepath.Join(folder, plugin), file)
	assert.Equal(t, rplug.ExitClean, code, "%s%s", stdout, stderr)
	return stdout
}

// A case in the test of examples/postgres has the same params as the sandbox in examples/shop.
func TestExampleShop(t *testing.T) {
	t.Parallel()
	var sandbox struct{ Spec v1alpha1.SandboxSpec }
	readExample(t, "shop/sandbox.yaml", &sandbox)
	require.Len(t, sandbox.Spec.Resources, 1)
	var test struct{ Spec v1alpha1.PluginTestSpec }
	readExample(t, "postgres/test.yaml", &test)
	at := slices.IndexFunc(test.Spec.Cases, func(c v1alpha1.TestCase) bool { return c.Name == "shop" })
	require.GreaterOrEqual(t, at, 0)
	assert.Equal(t, sandbox.Spec.Resources[0].Params, test.Spec.Cases[at].Params)
}

// readExample decodes a document of the examples.
func readExample(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", file))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}
