package resolve_test

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

const catalog = `apiVersion: resourceplugins.dev/v1alpha1
kind: Catalog
metadata:
  name: platform
spec:
  plugins:
  - name: hello-db
    channels:
      stable: 1.1.0
    versions:
    - version: 1.2.0
      digest: sha256:baad84644d49e41ee9a26ce99eb3e6db93069d607644f519c895a1e6f9b79fa7
      yanked: leaves its database behind
    - version: 1.1.0
      digest: sha256:9504528513e2bda632bcddf0780783bd3e86ddbbe33ed03caf0ba315dd16813a
`

const sandbox = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: shop
spec:
  cluster: demo
  resources:
  - name: db
    plugin: hello-db@^1
`

func items(texts ...string) []*krm.Item {
	var items []*krm.Item
	for _, text := range texts {
		item, err := krm.NewItem([]byte(text))
		if err != nil {
			panic(err)
		}
		items = append(items, item)
	}
	return items
}

// Pin the references of a list's sandboxes, and add a lock.
func ExampleResolve() {
	list := krm.NewList(items(catalog, sandbox)...)
	report, err := resolve.Resolve(list, resolve.Options{
		ResolveVersion: v1alpha1.ResolveVersion{Mode: resolve.Update},
	})
	if err != nil {
		panic(err)
	}
	for _, result := range list.Results() {
		fmt.Println(result.Severity, result.Message)
	}
	fmt.Printf("%d reference, %d lock entry\n", report.References, report.Lock.Added)
	for _, item := range list.Items()[1:] {
		text, err := item.Bytes()
		if err != nil {
			panic(err)
		}
		fmt.Printf("---\n%s", text)
	}
	// Output:
	// 1 reference, 1 lock entry
	// ---
	// apiVersion: resourceplugins.dev/v1alpha1
	// kind: Sandbox
	// metadata:
	//   name: shop
	//   annotations:
	//     resourceplugins.dev/requested: '{"db":"hello-db@^1"}'
	//     resourceplugins.dev/digests: '{"db":"hello-db@1.1.0@sha256:9504528513e2bda632bcddf0780783bd3e86ddbbe33ed03caf0ba315dd16813a"}'
	// spec:
	//   cluster: demo
	//   resources:
	//   - name: db
	//     plugin: hello-db@1.1.0
	// ---
	// apiVersion: resourceplugins.dev/v1alpha1
	// kind: PluginLock
	// metadata:
	//   name: plugin-lock
	//   annotations:
	//     config.kubernetes.io/local-config: "true"
	// spec:
	//   plugins:
	//   - asked: hello-db@^1
	//     chosen: hello-db@1.1.0
	//     digest: sha256:9504528513e2bda632bcddf0780783bd3e86ddbbe33ed03caf0ba315dd16813a
}

// Explain a reference.
func ExampleCatalog_Choose() {
	choice, err := resolve.NewCatalog(items(catalog)).Choose("hello-db@^1")
	if err != nil {
		panic(err)
	}
	fmt.Println(choice.Pin())
	fmt.Println(choice.How())
	// Output:
	// hello-db@1.1.0
	// all=2 -> ^1=2 -> not yanked=1 -> highest; not yanked leaves out 1.2.0
}
