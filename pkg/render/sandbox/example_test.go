package sandbox_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// A program renders into its list, and reads the findings from the list's results.
func ExampleRender() {
	const input = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec:
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: shop}
  spec: {selector: {app: web}, ports: [{port: 80}]}
- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata: {name: feature-x}
  spec:
    cluster: staging
    forks:
    - forkOf: {kind: Deployment, namespace: shop, name: web}
      customizations: {images: [{image: "web:2"}]}
`
	list, err := krm.Parse([]byte(input))
	if err != nil {
		log.Fatal(err)
	}
	options := sandbox.DefaultOptions()
	options.Routing = "gateway-api"
	summary, err := sandbox.Render(list, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d fork, %d Service, %d HTTPRoute\n", summary.Forks, summary.Services, summary.Routes)
	for _, item := range list.Items() {
		if name := item.Name(); strings.HasPrefix(name, "web-") {
			fmt.Println(item.Kind(), name)
		}
	}
	// Output:
	// 1 fork, 1 Service, 1 HTTPRoute
	// Deployment web-feature-x-75om5dunltkb
	// Service web-feature-x-uswxcy6nxids
}
