//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// stackKinds are the kinds of all objects of an installed stack, and of the Jobs that install and remove it.
const stackKinds = "jobs,pods,deployments,replicasets,serviceaccounts,roles,rolebindings"

// stackCluster are the kinds without a namespace.
const stackCluster = "customresourcedefinitions,clusterroles,clusterrolebindings"

// stacksRun is examples/stacks in a namespace.
type stacksRun struct {
	*testNamespace

	mode string
	// example is the folder of a copy of the example.
	example string
	// before are the objects of the cluster that existed before.
	before string
}

// newStacksRun copies the example, and loads its packages as images that contain only their YAML.
func newStacksRun(t *testing.T, mode string) *stacksRun {
	t.Helper()
	lockNodeExclusive(t) // it compares all objects of the cluster, and deletes those of packages
	s := &stacksRun{testNamespace: newNamespace(t), mode: mode, example: t.TempDir()}
	require.NoError(t, checkout.Copy(s.example, "examples/stacks"))
	require.NoError(t, os.Symlink(suite.programs, filepath.Join(s.example, "bin")))
	requests := filepath.Join(s.example, "examples/stacks/base/requests.yaml")
	text, err := os.ReadFile(requests)
	require.NoError(t, err)
	changed := strings.ReplaceAll(string(text), "namespace: stacks", "namespace: "+s.name)
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(requests, []byte(changed), 0o600))
	for _, name := range []string{"storage", "cache"} {
		s.loadPackage(name, filepath.Join(s.example, "examples/stacks/base", name, ".registry"))
	}
	s.loadCurl()
	s.before = s.inCluster()
	t.Cleanup(func() { // even after a failure, so that the next test starts clean
		_, _ = kubectl("", "delete", "clusterroles,clusterrolebindings", "--selector", contract.ManagedByKey+"="+contract.ManagedBy)
		_, _ = kubectl("", "delete", "customresourcedefinitions", "--ignore-not-found", "volumes.storage.example.org", "caches.cache.example.org")
	})
	return s
}

// loadCurl loads the image of the example's controllers: the shell of the node's images, and this machine's curl with its
// libraries.
func (s *stacksRun) loadCurl() {
	s.t.Helper()
	root, archive := s.t.TempDir(), filepath.Join(s.t.TempDir(), "curl.tar")
	fill := exec.Command("/bin/sh", "-ec", `cp -a "$1/." "$2"; program=$(command -v curl)
		for file in "$program" $(ldd "$program" | grep -o '/[^ ]*'); do cp -L --parents "$file" "$2"; done; chmod -R a+rX "$2"`,
		"fill", filepath.Join(suite.node, "images", "shell"), root)
	_, _, err := execute(fill, "")
	require.NoError(s.t, err)
	nodeScript(s.t, "image", "-o", archive, "-t", "curlimages/curl:8.16.0", root)
	nodeScript(s.t, "load", archive)
}

// loadPackage loads an image with a `.registry` folder into the node, under the name that the example gives it.
func (s *stacksRun) loadPackage(name, registry string) {
	s.t.Helper()
	root := s.t.TempDir()
	require.NoError(s.t, exec.Command("cp", "-a", registry, filepath.Join(root, ".registry")).Run())
	require.NoError(s.t, exec.Command("chmod", "-R", "a+rX", root).Run())
	archive := filepath.Join(s.t.TempDir(), name+".tar")
	nodeScript(s.t, "image", "-o", archive, "-t", "registry.example.org/acme/"+name+":v0.1.0", root)
	nodeScript(s.t, "load", archive)
}

// inCluster returns the names of objects without a namespace that this project or a stack has created.
func (s *stacksRun) inCluster() string {
	s.t.Helper()
	return must(s.t, "", "get", stackCluster, "--output=name")
}

// build renders the overlay of the mode.
func (s *stacksRun) build() string {
	s.t.Helper()
	kustomize := filepath.Join(checkout.Root(), "bin", "tools", "kustomize")
	command := exec.Command(kustomize, "build", "--enable-alpha-plugins", "--enable-exec", "examples/stacks/install-"+s.mode)
	command.Dir = s.example
	stdout, _, err := execute(command, "")
	require.NoError(s.t, err)
	return stdout
}

// setAbsent annotates the request, as a user does to remove the stack.
func (s *stacksRun) setAbsent() {
	s.t.Helper()
	requests := filepath.Join(s.example, "examples/stacks/base/requests.yaml")
	text, err := os.ReadFile(requests)
	require.NoError(s.t, err)
	changed := strings.Replace(string(text), "metadata:\n", "metadata:\n  annotations: {"+contract.StateKey+": absent}\n", 1)
	require.NoError(s.t, os.WriteFile(requests, []byte(changed), 0o600))
}

// applySoon applies until all kinds are served: with install objects, kubectl applies CRDs before they are established.
func (s *stacksRun) applySoon(manifest string) {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		_, err := kubectl(manifest, "apply", "-f", "-")
		return "", err
	})
}

// customResources applies the example's custom resources, and waits until the controllers have read them.
func (s *stacksRun) customResources() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples/stacks/custom-resources.yaml"))
	require.NoError(s.t, err)
	s.applySoon(strings.ReplaceAll(string(text), "namespace: stacks", "namespace: "+s.name))
	for controller, line := range map[string]string{
		"storage-controller": "volumes sessions-volume\n", "cache-controller": "caches sessions\n",
	} {
		eventually(s.t, func() (string, error) {
			name, err := s.controller(controller)
			if err != nil || name == "" {
				return "the Deployment of " + controller, err
			}
			log, err := kubectl("", "logs", "deployment/"+name, "--namespace", s.name, "--tail=50")
			if !strings.Contains(log, line) {
				return line + " in the log of " + controller + ", which has:\n" + tail(log, 500), err
			}
			return "", err
		})
	}
}

// controller returns the name of a controller's Deployment, and checks that its Pods run with the rendered ServiceAccount.
func (s *stacksRun) controller(prefix string) (string, error) {
	deployments, err := kubectl("", "get", "deployments", "--namespace", s.name, "--output=jsonpath="+
		`{range .items[*]}{.metadata.name} {.spec.template.spec.serviceAccountName}{"\n"}{end}`)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(deployments) {
		if name, account, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, prefix) {
			assert.Regexp(s.t, "^"+prefix+"-[a-z2-7]{12}$", account)
			return name, nil
		}
	}
	return "", nil
}

// requireEstablished checks the CRDs of both packages.
func (s *stacksRun) requireEstablished() {
	s.t.Helper()
	for _, crd := range []string{"caches.cache.example.org", "volumes.storage.example.org"} {
		eventually(s.t, func() (string, error) {
			_, err := kubectl("", "wait", "--for=condition=Established", "--timeout=10s", "crd/"+crd)
			return "", err
		})
	}
}

// awaitJobs waits until all Jobs have ended, and returns their results.
func (s *stacksRun) awaitJobs() map[string]string {
	s.t.Helper()
	ends := map[string]string{}
	eventually(s.t, func() (string, error) {
		jobs, err := list[workload](s.name, "jobs")
		for _, one := range jobs {
			if ends[one.Metadata.Name] = one.end(); one.end() == "" {
				return "the end of " + one.Metadata.Name, err
			}
		}
		return "", err
	})
	return ends
}

// tearDown runs the delete phase, first with custom resources, which it must refuse, and then without. Nothing may remain.
func (s *stacksRun) tearDown() {
	s.t.Helper()
	s.setAbsent()
	remove := s.build()
	s.apply(remove)
	for name, end := range s.awaitJobs() {
		if strings.Contains(name, "remove") {
			assert.Equal(s.t, "Failed", end, name)
		}
	}
	messages := must(s.t, "", "get", "pods", "--namespace", s.name, "--output=jsonpath="+
		`{range .items[*].status.containerStatuses[*]}{.state.terminated.message}{"\n"}{end}`)
	assert.Contains(s.t, messages, `custom resources must be deleted first`)
	assert.Contains(s.t, messages, s.name+"/sessions")
	s.requireEstablished()

	must(s.t, "", "delete", "volumes.storage.example.org,caches.cache.example.org", "--all", "--namespace", s.name)
	must(s.t, remove, "delete", "-f", "-")
	s.apply(remove)
	for name, end := range s.awaitJobs() {
		if strings.Contains(name, "remove") {
			assert.Equal(s.t, "Complete", end, name)
		}
	}
	must(s.t, remove, "delete", "-f", "-")
	if s.mode == "job" { // which installed the stack
		must(s.t, "", "delete", stackKinds, "--namespace", s.name, "--selector", contract.ManagedByKey+"="+contract.ManagedBy)
		must(s.t, "", "delete", "clusterroles,clusterrolebindings", "--selector", contract.ManagedByKey+"="+contract.ManagedBy)
	}
	eventually(s.t, func() (string, error) {
		left, err := kubectl("", "get", stackKinds, "--namespace", s.name, "--output=name")
		return strings.ReplaceAll(strings.TrimSpace(left), "serviceaccount/default", ""), err
	})
	assert.Equal(s.t, s.before, s.inCluster())
}

// A request by CRD is installed by Jobs in the cluster, with both packages, although one requires the other's CRD.
func TestStackJob(t *testing.T) {
	s := newStacksRun(t, "job")
	s.apply(s.build())
	for name, end := range s.awaitJobs() {
		require.Equal(t, "Complete", end, name)
	}
	s.requireEstablished()
	s.customResources()
	s.apply(s.build()) // complete Jobs stay complete
	s.tearDown()
}

// The same stack can be unpacked on the client and applied with kubectl.
func TestStackObjects(t *testing.T) {
	s := newStacksRun(t, "objects")
	s.applySoon(s.build())
	s.requireEstablished()
	s.customResources()
	s.tearDown()
}

// If the image behind the tag of a rendered Job has changed since the import, nothing is applied.
func TestStackImageChanged(t *testing.T) {
	s := newStacksRun(t, "job")
	manifest := s.build()
	other := filepath.Join(t.TempDir(), ".registry")
	require.NoError(t, exec.Command("cp", "-a", filepath.Join(s.example, "examples/stacks/base/storage/.registry"), other).Run())
	changed := regexp.MustCompile(`image: curlimages/curl:.*`)
	install := filepath.Join(other, "install.yaml")
	text, err := os.ReadFile(install)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(install, changed.ReplaceAll(text, []byte("image: evil")), 0o600))
	s.loadPackage("storage", other)
	s.requireRefused(manifest, `the package image must be the one that was rendered, but Stack "storage"`)
}

// For a package image with links and special files, the Job fails and names the file. Nothing is written outside the volume,
// and nothing is applied.
func TestStackHostile(t *testing.T) {
	for name, test := range map[string]struct{ plant, want string }{
		"file":   {"ln -s /etc/passwd app2.yaml", `"app2.yaml": must link to a file of the folder`},
		"folder": {"ln -s / everything", `"everything": must link to a file of the folder`},
		"volume": {"ln -s /ext-pkg resources2", `"resources2": must link to a file of the folder`},
		"pipe":   {"mkfifo pipe.yaml", `"pipe.yaml": must be a `},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStacksRun(t, "job")
			manifest := s.build()
			hostile := filepath.Join(t.TempDir(), ".registry")
			require.NoError(t, exec.Command("cp", "-a", filepath.Join(s.example, "examples/stacks/base/storage/.registry"), hostile).Run())
			plant := exec.Command("/bin/sh", "-ec", test.plant)
			plant.Dir = hostile
			require.NoError(t, plant.Run())
			s.loadPackage("storage", hostile)
			s.requireRefused(manifest, test.want)
		})
	}
}

// requireRefused applies Jobs. The Job of the package storage must fail with a message, and nothing may be installed.
func (s *stacksRun) requireRefused(manifest, want string) {
	s.t.Helper()
	s.apply(manifest)
	eventually(s.t, func() (string, error) {
		jobs, err := list[workload](s.name, "jobs")
		for _, one := range jobs {
			if strings.HasPrefix(one.Metadata.Name, "storage-") && one.end() == "Failed" {
				return "", err
			}
		}
		return "the failure of the Job of storage", err
	})
	messages := must(s.t, "", "get", "pods", "--namespace", s.name, "--output=jsonpath="+
		`{range .items[*].status}{.initContainerStatuses[*].state.terminated.message}{.containerStatuses[*].state.terminated.message}{"\n"}{end}`)
	assert.Contains(s.t, messages, want)
	time.Sleep(2 * time.Second)
	assert.Empty(s.t, must(s.t, "", "get", "deployments", "--namespace", s.name, "--output=name"))
	must(s.t, manifest, "delete", "-f", "-")
	assert.Equal(s.t, s.before, s.inCluster())
}
