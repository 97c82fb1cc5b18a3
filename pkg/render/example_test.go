package render_test

import (
	"fmt"
	"log"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const exampleList = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: resourceplugins.dev/v1alpha1
  kind: ResourcePlugin
  metadata:
    name: hello-db@1.0.0
  spec:
    runner:
      image: postgres:17
      namespace: databases
    create:
    - name: provision
      inputs:
      - name: dbname
        valueFromSandbox: true
      script: |
        #!/bin/sh
        createdb "$DBNAME"
- apiVersion: resourceplugins.dev/v1alpha1
  kind: Sandbox
  metadata:
    name: feature-x
  spec:
    cluster: staging
    resources:
    - name: db
      plugin: hello-db@^1
      params:
        dbname: orders
`

// A program renders a list in memory, such as one that it has read from Git, and passes the objects on.
func ExamplePhases() {
	list, err := krm.Parse([]byte(exampleList))
	if err != nil {
		log.Fatal(err)
	}
	options := render.DefaultOptions()
	options.Name, options.WithoutPaths = "previews", true
	summary, err := render.Phases(list, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range list.Results() {
		fmt.Printf("%s: %s\n", result.Severity, result.Message)
	}
	fmt.Printf("%d Job for %d resource of %d sandbox\n", summary.Workloads, summary.Resources, summary.Sandboxes)
	for _, item := range list.Items()[2:] {
		fmt.Println(item.Kind(), item.Namespace()+"/"+item.Name())
	}
	// Output:
	// info: must exist before the render is applied: namespace "databases"
	// 1 Job for 1 resource of 1 sandbox
	// ConfigMap databases/hello-db-create-yfjovhzhxdd4
	// Job databases/feature-x-db-provision-wxzsuvg5qjo5
}

// Options are checked before anything is rendered, each with the field of a RenderPhase config that it is.
func ExampleOptions_Validate() {
	options := render.DefaultOptions()
	options.Phases, options.Delivery, options.Retries = []string{"create", "delete"}, "flux", -1
	fmt.Println(options.Validate())
	// Output:
	// phases: must be one phase, not 2: what create makes, delete would remove at once; delivery argocd and helm can hold the delete phase back
	// retries: must be at least 0, not -1
}
