package krm_test

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

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

// A processor for kyaml's framework runs on this wire: as a function it reads os.Stdin, writes os.Stdout, and exits with
// 1 if Run returns an error.
func ExampleRun() {
	processor := framework.ResourceListProcessorFunc(func(list *framework.ResourceList) error {
		for _, object := range list.Items {
			if object.GetKind() == "Deployment" {
				if err := object.SetLabels(map[string]string{"team": "shop"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	process := func(list *krm.Trees) error {
		given := &framework.ResourceList{Items: list.Items, FunctionConfig: list.FunctionConfig}
		err := processor.Process(given)
		list.Items = given.Items
		for _, one := range given.Results {
			list.Results = append(list.Results, krm.Result{
				Message: one.Message, Severity: krm.Severity(one.Severity), ResourceRef: one.ResourceRef,
				Field: (*krm.Field)(one.Field), File: (*krm.File)(one.File), Tags: one.Tags,
			})
		}
		return err
	}
	if err := krm.Run(process, strings.NewReader(input), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Output:
	// apiVersion: config.kubernetes.io/v1
	// kind: ResourceList
	// items:
	// - apiVersion: apps/v1
	//   kind: Deployment
	//   metadata:
	//     name: orders # the shop's
	//     labels:
	//       team: shop
	//   spec: {replicas: 0}
	// - apiVersion: v1
	//   kind: Service
	//   metadata: {name:   orders}
}
