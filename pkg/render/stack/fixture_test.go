package stack

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/stackpackage"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	resolve "github.com/resource-plugins/krm-functions/pkg/resolve/stack"
)

// file reads a file of testdata.
func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// listOf makes a list of YAML documents.
func listOf(t *testing.T, texts ...string) *krm.ResourceList {
	t.Helper()
	list := krm.NewList()
	for _, text := range texts {
		for document := range strings.SplitSeq(text, "\n---\n") {
			item, err := krm.NewItem([]byte(strings.TrimRight(document, "\n") + "\n"))
			require.NoError(t, err)
			list.Append(item)
		}
	}
	return list
}

// resolved resolves the requests of a list in the simplest way that there is: the package whose image has the name, and
// those that own what it depends on.
func resolved(list *krm.ResourceList) (resolution resolve.Resolution) {
	byName := map[string]*resolve.Chosen{}
	var all []*resolve.Chosen
	for _, p := range stackpackage.Find(list) {
		one := &resolve.Chosen{
			Name: p.Name, Version: p.Version, Digest: p.Digest, APIVersion: p.APIVersion, Kind: p.Kind, Content: p, CRDs: p.CRDs,
		}
		all = append(all, one)
		byName[path.Base(p.Name)] = one
	}
	for _, one := range all {
		for _, dependency := range one.Content.DependsOn {
			for _, other := range all {
				owns := dependency.Package != "" && other.Name == dependency.Package
				for _, crd := range other.CRDs {
					owns = owns || strings.Contains(dependency.CRD, "."+crd.Group+"/")
				}
				if owns && other != one && !slices.Contains(one.DependsOn, other) {
					one.DependsOn = append(one.DependsOn, other)
				}
			}
		}
	}
	var closure func(of *resolve.Chosen) []*resolve.Chosen
	closure = func(of *resolve.Chosen) (before []*resolve.Chosen) {
		for _, dependency := range of.DependsOn {
			for _, one := range closure(dependency) {
				if !slices.Contains(before, one) {
					before = append(before, one)
				}
			}
		}
		return append(before, of)
	}
	for _, item := range Requests(list) {
		node, _ := krm.Path("spec.package").Find(item.YNode())
		one := resolve.Request{Item: item}
		if node != nil {
			name, _, _ := strings.Cut(path.Base(node.Value), "@")
			name, _, _ = strings.Cut(name, ":")
			if own := byName[name]; own != nil {
				one.Package, one.Closure = own.Name, closure(own)
			}
		}
		resolution.Requests = append(resolution.Requests, one)
	}
	return resolution
}

// rendered renders a list with options that change may set.
func rendered(t *testing.T, list *krm.ResourceList, change func(*render.Options)) Summary {
	t.Helper()
	options := render.DefaultOptions()
	options.WithoutPaths = true
	if change != nil {
		change(&options)
	}
	require.Empty(t, options.Validate())
	return newRenderer(list, &options).render(resolved(list))
}

// printed are the objects of a render as file mode prints them.
func printed(t *testing.T, list *krm.ResourceList, objects []*krm.Item) string {
	t.Helper()
	var documents []string
	for _, item := range list.Items() {
		if slices.Contains(objects, item) {
			text, err := item.Bytes()
			require.NoError(t, err)
			documents = append(documents, string(text))
		}
	}
	return strings.Join(documents, "---\n")
}

// messages are the results of a list, one a line.
func messages(list *krm.ResourceList) string {
	var lines []string
	for _, result := range list.Results() {
		field := ""
		if result.Field != nil {
			field = result.Field.Path + ": "
		}
		lines = append(lines, string(result.Severity)+": "+field+result.Message+"\n")
	}
	return strings.Join(lines, "")
}

func with(options func(*render.Options)) func(*render.Options) { return options }

var unpacked = with(func(o *render.Options) { o.Install = render.InstallObjects })
