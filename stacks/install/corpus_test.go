package install

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// imported returns the documents of a package as import-plugin makes them, without its dependencies; nil if the package is
// not valid.
func imported(t *testing.T, folder string) []*krm.Item {
	t.Helper()
	contents, err := pack.Read(os.DirFS(folder), registry.Folder, folder)
	require.NoError(t, err)
	const image = "registry.example.org/acme/package:v0.1.0@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	unpacked, results := pack.Unpack(contents[0].Files, registry.Options{Image: image})
	if results.Failed() {
		return nil
	}
	require.NoError(t, kyaml.NewRNode(unpacked.Record).PipeE(kyaml.Lookup("spec"), kyaml.Clear("dependsOn")))
	var items []*krm.Item
	for _, node := range append(slices.Clone(unpacked.CRDs), unpacked.Record) {
		items = append(items, krm.FromNode(node, ""))
	}
	pack.Mark(items, image)
	return items
}

// The API's types have all fields of the objects that real packages render to.
func TestRender_corpus(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "stacks")
	folders, err := filepath.Glob(filepath.Join(corpus, "*", "*", registry.Folder))
	require.NoError(t, err)
	require.NotEmpty(t, folders, corpus)
	count, broken := 0, 0
	for _, folder := range folders {
		for _, way := range []func(*render.Options){nil, unpacked} {
			items := imported(t, filepath.Dir(folder))
			if items == nil {
				continue
			}
			count++
			kind := stacks.KindStackInstall
			if node, _ := krm.Path("spec.permissionScope").Find(items[len(items)-1].YNode()); node != nil && node.Value == stacks.ScopeCluster {
				kind = stacks.KindClusterStackInstall
			}
			list := listOf(t, "apiVersion: stacks.crossplane.io/v1alpha1\nkind: "+kind+"\nmetadata: {name: request, namespace: apps}\n"+
				"spec: {package: registry.example.org/acme/package:v0.1.0}\n")
			list.Append(items...)
			summary := rendered(t, list, func(o *render.Options) {
				if way != nil {
					way(o)
				}
				// Many have rights on CRDs of packages that they do not declare.
				o.Rules = map[string]string{"package-rights/registry.example.org/acme/package": "warning"}
			})
			if list.Results().Failed() { // one has a Deployment whose Pod template is called helm
				require.Contains(t, messages(list), "template.spec must be set")
				broken++
				continue
			}
			require.NotEmpty(t, summary.Objects)
			checkIDs(t, list)
			checkJobs(t, summary.Objects)
			for _, deployment := range decoded[appsv1.Deployment](t, summary.Objects, "Deployment") {
				assert.Equal(t, deployment.Spec.Selector.MatchLabels["app"], deployment.Spec.Template.Labels["app"])
				for _, container := range deployment.Spec.Template.Spec.Containers {
					assert.NotEmpty(t, container.Image, folder)
				}
			}
		}
	}
	t.Logf("%d renders of %d packages, %d refused", count, len(folders), broken)
	assert.Less(t, broken, 5)
	assert.Greater(t, count, len(folders)/2)
}
