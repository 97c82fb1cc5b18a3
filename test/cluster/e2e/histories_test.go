//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/histories"
)

// atOnce is how many histories run at the same time: most of the time, they wait for Pods.
const atOnce = 8

// Random histories of Git repositories agree with the model of package histories when kubectl applies the renders. Each
// history has two namespaces, its clusters. The create step writes a file for its sandbox on the node, and the delete step
// removes it: after each render of rplug sweep, the files of the sandboxes in it are gone, and all others are there. By
// default, 40 histories run, 8 for each of E2E_ROUNDS. TEST_SEED has others.
func TestLifecycleHistories(t *testing.T) {
	lockNodeShared(t)
	random := checkout.Random(t)
	counts := make([]histories.Count, 8*rounds(t))
	var group sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for round := range counts {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		group.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			t.Run(fmt.Sprint(round), func(t *testing.T) { history(t, own, &counts[round]) })
		})
	}
	group.Wait()
	skipUnlessTimeLeft(t, 0, "all histories")
	var all histories.Count
	for _, one := range counts {
		all.Listed += one.Listed
		all.Rendered += one.Rendered
		all.Due += one.Due
	}
	t.Logf("%d histories: %d sandboxes listed, %d torn down, of which %d had to be", len(counts), all.Listed, all.Rendered,
		all.Due)
	assert.NotZero(t, all.Listed-all.Rendered)
	if len(counts) >= 8*5 {
		assert.NotZero(t, all.Due)
	}
}

func history(t *testing.T, random *rand.Rand, count *histories.Count) {
	t.Helper()
	histories.Run(t, random, &histories.Options{
		Plugin: func(version int) string { return databasePlugin(t, version) }, Rplug: rplugIn, Operations: 10,
		NewCluster: func(name string) histories.Cluster {
			pid := strconv.FormatInt(int64(os.Getpid()), 36)
			s := newNamedNamespace(t, fmt.Sprintf("e2e-history-%s-%s-%s", filepath.Base(t.Name()), name, pid))
			for _, folder := range []string{"made", "deleted"} {
				require.NoError(t, os.Mkdir(filepath.Join(s.folder, folder), 0o755))
			}
			return &nodeCluster{testNamespace: s, created: map[types.UID]time.Time{}}
		},
	}, count)
}

// rplugIn runs rplug in a folder.
func rplugIn(folder string, args ...string) (stdout, stderr string, code int) {
	command := exec.Command(filepath.Join(suite.programs, "rplug"), args...)
	command.Dir, command.Env = folder, append(os.Environ(), histories.GitEnvironment()...)
	stdout, stderr, err := execute(command, "")
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		code = failed.ExitCode()
	case err != nil:
		stderr, code = err.Error(), -1
	}
	return stdout, stderr, code
}

// databasePlugin returns a version of a plugin whose databases are files in the folder of the namespace: made/ID. A deleted
// one is recorded in deleted/ID.
func databasePlugin(t *testing.T, version int) string {
	t.Helper()
	s := &testNamespace{t: t, name: "steps", eventLog: eventLog{filepath.Join(suite.node, "shared")}} // of all namespaces
	name := fmt.Sprintf("db@1.%d.0", version)
	plugin := s.plugin(name, s.overlay("env: [{name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}]"))
	const start = "#!/bin/sh\nset -eu\ncd \"/shared/$NAMESPACE\"\nid=$" + contract.SandboxIDVariable + "\n"
	of := func(step, format string) []object {
		return []object{{
			"name": step, "script": start + fmt.Sprintf(format, name),
			"inputs": []object{{"name": "size", "valueFromSandbox": true, "as": object{"env": "SIZE"}}},
		}}
	}
	spec := plugin["spec"].(object)
	spec["create"] = of("make", "echo \"%s $SIZE\" > made/$id\necho \"make $id $SIZE\" >> events\n")
	spec["delete"] = of("drop", "echo \"%s $SIZE\" > deleted/$id\nrm -f made/$id\necho \"drop $id $SIZE\" >> events\n")
	return texts(t, plugin)
}

// nodeCluster is a namespace that is a cluster of a history.
type nodeCluster struct {
	*testNamespace

	// created is when objects were created, by the clock of the history, and now when a render was applied last.
	created   map[types.UID]time.Time
	now       time.Time
	objects   []*unstructured.Unstructured
	isRunning bool
}

// BuildArguments implements histories.Cluster.
func (c *nodeCluster) BuildArguments() []string { return []string{"--runner-namespace", c.name} }

// Apply implements histories.Cluster.
func (c *nodeCluster) Apply(objects []*unstructured.Unstructured, first int, now time.Time) {
	c.t.Helper()
	if first > 0 {
		documents := make([]object, first)
		for i := range documents {
			documents[i] = objects[i].Object
		}
		c.apply(texts(c.t, documents...))
	}
	if first == len(objects) {
		c.pruneSandboxes(objects)
	}
	c.now, c.isRunning = now, true
	c.list()
}

// Wait implements histories.Cluster.
func (c *nodeCluster) Wait() {
	c.t.Helper()
	if !c.isRunning {
		return
	}
	for key, end := range c.ended() {
		require.Equal(c.t, "Complete", end, key)
	}
	c.isRunning = false
	c.list()
}

// list reads the objects. New ones are as old as the last render: the clock of the node is another one.
func (c *nodeCluster) list() {
	c.t.Helper()
	found, err := list[*unstructured.Unstructured](c.name, historyKinds, "--selector", contract.SandboxIDKey)
	require.NoError(c.t, err)
	for _, one := range found {
		if _, isKnown := c.created[one.GetUID()]; !isKnown {
			c.created[one.GetUID()] = c.now
		}
		one.SetCreationTimestamp(metav1.NewTime(c.created[one.GetUID()]))
	}
	c.objects = found
}

// historyKinds are the kinds of the objects of sandboxes that rplug sweep reads, and that their clusters can have.
const historyKinds = "jobs,pods,configmaps,secrets,serviceaccounts,roles,rolebindings"

// pruneSandboxes deletes the Jobs of sandboxes of a render that it lacks.
func (c *nodeCluster) pruneSandboxes(objects []*unstructured.Unstructured) {
	c.t.Helper()
	rendered, sandboxes := map[string]bool{}, map[string]bool{}
	for _, one := range objects {
		rendered[one.GetKind()+"/"+one.GetName()], sandboxes[histories.SandboxID(one)] = true, true
	}
	arguments := []string{"delete", "jobs", "--namespace", c.name, "--cascade=foreground", "--ignore-not-found"}
	least := len(arguments)
	for _, one := range c.objects {
		if one.GetKind() == "Job" && sandboxes[histories.SandboxID(one)] && !rendered["Job/"+one.GetName()] {
			arguments = append(arguments, one.GetName())
		}
	}
	if len(arguments) > least {
		must(c.t, "", arguments...)
	}
}

// Remove implements histories.Cluster.
func (c *nodeCluster) Remove(id string) {
	c.t.Helper()
	must(c.t, "", "delete", historyKinds, "--namespace", c.name, "--selector", contract.SandboxIDKey+"="+id,
		"--cascade=foreground")
	c.objects = slices.DeleteFunc(c.objects, func(one *unstructured.Unstructured) bool {
		return histories.SandboxID(one) == id
	})
}

// Objects implements histories.Cluster.
func (c *nodeCluster) Objects() []*unstructured.Unstructured { return c.objects }

// Databases implements histories.Cluster.
func (c *nodeCluster) Databases() map[string]histories.Database { return c.read("made") }

// Deleted implements histories.Cluster.
func (c *nodeCluster) Deleted() map[string]histories.Database { return c.read("deleted") }

// read reads the files of databases.
func (c *nodeCluster) read(folder string) map[string]histories.Database {
	c.t.Helper()
	files, err := os.ReadDir(filepath.Join(c.folder, folder))
	require.NoError(c.t, err)
	found := map[string]histories.Database{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(c.folder, folder, file.Name()))
		require.NoError(c.t, err)
		plugin, size, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		found[file.Name()] = histories.Database{Plugin: plugin, Size: size}
	}
	return found
}
