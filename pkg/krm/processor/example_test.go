package processor_test

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-plugins/krm-functions/pkg/krm/processor"
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

// A processor for kyaml's framework runs on the lists of package krm: as a function it reads os.Stdin, writes os.Stdout, and exits with
// 1 if Run returns an error.
func ExampleRun() {
	process := framework.ResourceListProcessorFunc(func(list *framework.ResourceList) error {
		for _, object := range list.Items {
			if object.GetKind() == "Deployment" {
				if err := object.SetLabels(map[string]string{"team": "shop"}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := processor.Run(process, strings.NewReader(input), os.Stdout); err != nil {
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
