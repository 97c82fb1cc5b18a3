// Package edits changes a package of documents at random, for tests that render it again after each edit.
package edits

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Package is a package of fixed plugins and a fixed baseline, and of sandboxes that change.
type Package struct {
	random    *rand.Rand
	sandboxes [3]sandbox
}

type sandbox struct {
	exists, absent bool
	plugin, size   int
	second, fork   bool
	shared         bool // in a file with others
}

// New returns a package without sandboxes. The seed determines all edits.
func New(seed uint64) *Package { return &Package{random: rand.New(rand.NewPCG(seed, 7))} }

// Edit makes one change.
func (p *Package) Edit() {
	one := &p.sandboxes[p.random.IntN(len(p.sandboxes))]
	switch p.random.IntN(10) {
	case 0, 1:
		one.exists = !one.exists
	case 2:
		one.plugin = p.random.IntN(3)
	case 3:
		one.size = p.random.IntN(3)
	case 4:
		one.second = !one.second
	case 5:
		one.fork = !one.fork
	case 6:
		one.shared = !one.shared
	default:
		one.absent = !one.absent
	}
}

// Files returns the documents of each file in the package.
func (p *Package) Files() map[string]string {
	files := map[string]string{"plugins.yaml": plugins, "baseline.yaml": baseline}
	for i, one := range p.sandboxes {
		name := fmt.Sprintf("s%d.yaml", i)
		if one.shared {
			name = "sandboxes.yaml"
		}
		if one.exists {
			files[name] = strings.TrimPrefix(files[name]+"---\n"+one.document(i), "---\n")
		}
	}
	return files
}

// Documents returns the plugins and sandboxes.
func (p *Package) Documents() (documents []string) {
	files := p.Files()
	delete(files, "baseline.yaml")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		documents = append(documents, strings.Split(files[name], "---\n")...)
	}
	return documents
}

func (s sandbox) document(i int) string {
	state := map[bool]string{true: "absent", false: "present"}[s.absent]
	plugin := []string{"pg@1.0.0", "hello@1.0.0", "hello@2.0.0"}[s.plugin]
	text := fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: s%d
  annotations: {resourceplugins.dev/state: %s}
spec:
  cluster: c
  resources:
  - name: r
    plugin: %s
    params: {size: "%d"}
`, i, state, plugin, s.size)
	if s.second {
		text += "  - name: second\n    plugin: pg@1.0.0\n    params: {size: \"7\"}\n"
	}
	if s.fork {
		text += fork
	}
	if s.fork && s.second {
		text += forkWithOutput
	}
	return text
}

const (
	fork = `  defaultRouteGroup:
    endpoints:
    - {name: web, target: "http://web.shop.svc:80"}
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations:
      images: [{image: web:2}]
`
	forkWithOutput = `      env:
      - name: DB_USER
        valueFrom: {resource: {name: second, outputKey: provision.user}}
`
)

const plugins = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: pg@1.0.0
spec:
  runner: {image: postgres}
  create:
  - name: provision
    inputs: [{name: size, valueFromSandbox: true, as: {path: /etc/size}}]
    outputs: [{name: user, valueFromPath: /tmp/user}]
    script: "#!/bin/sh"
  - name: seed
    inputs: [{name: user, valueFromStep: {name: provision, output: user}, as: {env: USER}}]
    outputs: [{name: rows, valueFromPath: /tmp/rows}]
    script: "#!/bin/sh"
  delete:
  - name: drop
    inputs: [{name: user, valueFromStep: {name: provision, output: user}, as: {env: USER}}]
    script: "#!/bin/sh"
---
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello@1.0.0
spec:
  runner: {image: ubuntu, namespace: ns1}
  create: [{name: say, script: "#!/bin/sh\necho 1.0.0"}]
  delete: [{name: bye, script: "#!/bin/sh\necho bye"}]
---
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello@2.0.0
spec:
  runner: {image: ubuntu, namespace: ns0}
  create: [{name: say, script: "#!/bin/sh\necho 2.0.0"}]
  delete: [{name: bye, script: "#!/bin/sh\necho bye"}]
`

const baseline = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        ports: [{containerPort: 8080}]
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  selector: {app: web}
  ports: [{port: 80, targetPort: 8080}]
`
