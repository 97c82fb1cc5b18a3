package krm_test

import (
	"fmt"
	"os"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const input = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: orders   # the shop's
  spec: {replicas: 0}
- apiVersion: v1
  kind: Service
  metadata: {name:   orders}
`

// A function annotates one item; the other one keeps its bytes.
func Example() {
	list, err := krm.Parse([]byte(input))
	if err != nil {
		panic(err)
	}
	for _, item := range list.Items() {
		if item.Kind() == "Deployment" {
			item.Annotate("example.com/seen", "true")
		}
	}
	if _, err := list.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// apiVersion: config.kubernetes.io/v1
	// kind: ResourceList
	// items:
	// - apiVersion: apps/v1
	//   kind: Deployment
	//   metadata:
	//     name: orders # the shop's
	//     annotations:
	//       example.com/seen: "true"
	//   spec: {replicas: 0}
	// - apiVersion: v1
	//   kind: Service
	//   metadata: {name:   orders}
}

// A validator reports a problem of a field.
func ExampleAt() {
	list, err := krm.Parse([]byte(input))
	if err != nil {
		panic(err)
	}
	for _, item := range list.Items() {
		const replicas = krm.Path("spec.replicas")
		if node, ok := replicas.Find(item.YNode()); ok && node.Value == "0" {
			list.Report(krm.At(item, replicas, krm.Error, "must be at least 1"))
		}
	}
	for _, result := range list.Results() {
		fmt.Println(result)
	}
	fmt.Println("failed:", list.Results().Failed())
	// Output:
	// [error] apps/v1/Deployment/orders spec.replicas: must be at least 1
	// failed: true
}
