package histories

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Cluster is a cluster to which renders are applied, with a record of the databases that the scripts of the plugin create
// and delete.
type Cluster interface {
	// BuildArguments are arguments of rplug build.
	BuildArguments() []string
	// Apply applies the first objects of a render; those that are new are created at a time. If these are all, it deletes the
	// Jobs of the sandboxes of the render that the render lacks, as kubectl apply --prune does.
	Apply(objects []*unstructured.Unstructured, first int, now time.Time)
	// Wait waits until the Jobs have ended. Before, they may run.
	Wait()
	// Remove deletes all objects of a sandbox.
	Remove(id string)
	// Objects returns the objects of sandboxes, in a stable order.
	Objects() []*unstructured.Unstructured
	// Databases returns those that exist, by the ids of their sandboxes.
	Databases() map[string]Database
	// Deleted returns the databases for which the last delete steps of sandboxes have run, by the ids.
	Deleted() map[string]Database
}

// Database is a database, with the plugin and the size of the step that made or deleted it.
type Database struct{ Plugin, Size string }

// modelCluster is a cluster of a history.
type modelCluster struct {
	Cluster

	name string
	// applied are the sandboxes whose create phases were applied last, by their ids, wherever they are from.
	applied map[string]appliedSandbox
}

// appliedSandbox is a sandbox of a repository.
type appliedSandbox struct {
	repository string
	key        sandboxKey
	spec       string // of the document
	content    string // the same, without its state and the versions of plugins
	isWhole    bool   // all of the render was applied, with the teardown
	database   Database
}

func parseObjects(t *testing.T, text string) (all []*unstructured.Unstructured) {
	t.Helper()
	for part := range strings.SplitSeq(text, "\n---\n") {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &object))
		if len(object) > 0 {
			all = append(all, &unstructured.Unstructured{Object: object})
		}
	}
	return all
}

// SandboxID returns the id of the sandbox of an object, empty if it belongs to none.
func SandboxID(object *unstructured.Unstructured) string {
	return object.GetLabels()[contract.SandboxIDKey]
}

// ids returns the ids of the sandboxes that have objects, sorted.
func (c *modelCluster) ids() (ids []string) {
	for _, object := range c.Objects() {
		if id := SandboxID(object); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// keyOf returns the sandbox of an id.
func (c *modelCluster) keyOf(id string) sandboxKey {
	for _, object := range c.Objects() {
		if name := object.GetAnnotations()[contract.SandboxKey]; SandboxID(object) == id && name != "" {
			return sandboxKey{c.name, name}
		}
	}
	return c.applied[id].key
}

// youngest returns when the youngest object of a sandbox was created.
func (c *modelCluster) youngest(id string) (latest time.Time) {
	for _, object := range c.Objects() {
		if created := object.GetCreationTimestamp().Time; SandboxID(object) == id && created.After(latest) {
			latest = created
		}
	}
	return latest
}

// dump returns all objects as kubectl get -o json prints them.
func (c *modelCluster) dump(t *testing.T) []byte {
	t.Helper()
	objects := c.Objects()
	items := make([]any, 0, len(objects))
	for _, object := range objects {
		items = append(items, object.Object)
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	require.NoError(t, err)
	return text
}
