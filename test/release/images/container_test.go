//go:build e2e

package images

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// programs is the folder with the functions and, in images/, their images.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func runTests(m *testing.M) (code int, err error) {
	code = 1
	if programs, err = os.MkdirTemp("", "krm-functions-"); err != nil {
		return code, err
	}
	defer os.RemoveAll(programs)
	if err := checkout.BuildFunctions(programs); err != nil {
		return code, err
	}
	stop, err := docker.Start()
	if err != nil {
		return code, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := docker.LoadImages(programs); err != nil {
		return code, err
	}
	return m.Run(), nil
}

// result has the outputs of a call.
type result struct {
	stdout, stderr string
	exit           int
}

func call(t *testing.T, input, folder, program string, args ...string) result {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = folder
	command.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var failed *exec.ExitError
	if err := command.Run(); !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// inContainer runs a function's image as kpt and kustomize do, but without capabilities and with a read-only file system.
func inContainer(t *testing.T, input, folder, function string) result {
	t.Helper()
	return call(t, input, "", "docker", docker.Run("-i", "--user", "nobody", "--volume", folder+":/work:ro", "--workdir", "/work",
		contract.ImageRegistry+"/"+function+":"+contract.ImageTag)...)
}

// The image of each function has the same output as its program, for valid and invalid input.
func TestContainerOutputIsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o755)) // for another user
	require.NoError(t, checkout.Copy(folder, "examples"))
	examples := resourceList(t, "examples/hello-db/plugin.yaml", "examples/hello-db/sandbox.yaml", "examples/orders-db/documents.yaml")
	shop, err := filepath.Glob(filepath.Join(checkout.Root(), "examples", "shop", "baseline", "*.yaml"))
	require.NoError(t, err)
	for i := range shop {
		shop[i], err = filepath.Rel(checkout.Root(), shop[i])
		require.NoError(t, err)
	}
	forks := resourceList(t, append(shop, "examples/postgres/plugin.yaml", "examples/shop/sandbox.yaml")...)
	imports := "functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: ImportPlugin, metadata: {name: import}, " +
		"path: examples/orders-db/native, set: {cluster: staging}}\n"
	for _, function := range functions(t) {
		good := examples
		switch function {
		case "import-plugin":
			good = imports + resourceList(t)
		case "render-sandbox":
			good = forks
		}
		for name, input := range map[string]string{
			"good":       good,
			"unresolved": strings.ReplaceAll(examples, "plugin: hello-db", "plugin: nowhere"),
			"not a list": "kind: Pod\n",
			"no input":   "",
		} {
			t.Run(function+" "+name, func(t *testing.T) {
				t.Parallel()
				want := call(t, input, folder, filepath.Join(programs, function))
				assert.Equal(t, want, inContainer(t, input, folder, function))
				if name == "good" {
					assert.Zero(t, want.exit, want.stderr)
					assert.Contains(t, want.stdout, "kind: ResourceList")
				}
			})
		}
	}
}

// resourceList returns a ResourceList with the documents of files.
func resourceList(t *testing.T, files ...string) string {
	t.Helper()
	items := []yaml.Node{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), file))
		require.NoError(t, err)
		for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var document yaml.Node
			err := decoder.Decode(&document)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			items = append(items, *document.Content[0])
		}
	}
	list, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items})
	require.NoError(t, err)
	return string(list)
}

// The image of the runtime starts the manager, and has the runner at the path from which the input manager copies it.
func TestRuntimeContainer(t *testing.T) {
	t.Parallel()
	image := contract.RuntimeImage
	got := call(t, "", "", "docker", docker.Run(image, "what")...)
	assert.NotZero(t, got.exit)
	assert.Contains(t, got.stderr, "usage: manager")
	got = call(t, "", "", "docker", docker.Run("--entrypoint", contract.ImageRunner, image)...)
	assert.Contains(t, got.stderr, "usage: runner")

	user := call(t, "", "", "docker", "image", "inspect", "--format", "{{.Config.User}}", image)
	assert.Equal(t, "65532:65532\n", user.stdout)
}
