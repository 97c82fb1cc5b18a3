package bench

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const plugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello-db@1.0.0
spec:
  description: say hello and goodbye
  runner:
    image: ubuntu
  create:
  - name: say-hello
    inputs:
    - name: dbname
      valueFromSandbox: true
      as:
        env: DBNAME
    script: |
      #!/usr/bin/env bash
      echo hello $DBNAME
`

// sandbox returns a Sandbox with one resource, as orchestrators pass it on.
func sandbox(i int) string {
	return fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: sandbox-%d
  annotations:
    internal.config.kubernetes.io/path: sandboxes/sandbox-%d.yaml
    internal.config.kubernetes.io/index: "0"
spec:
  cluster: staging
  description: the sandbox of pull request %d
  resources:
  - name: testdb
    plugin: hello-db # the newest
    params:
      dbname: test%d
  forks:
  - forkOf:
      kind: Deployment
      namespace: shop
      name: checkout
`, i, i, i, i)
}

// writeList writes a ResourceList with the plugin and n sandboxes.
func writeList(file string, n int) error {
	return write(file, func(w *bufio.Writer) {
		fmt.Fprint(w, listHead)
		writeItem(w, plugin)
		for i := range n {
			writeItem(w, sandbox(i))
		}
	})
}

// writeDocuments writes the same documents as files with 100 documents each for file mode.
func writeDocuments(folder string, n int) error {
	if err := os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(plugin), 0o600); err != nil {
		return err
	}
	for first := 0; first < n; first += 100 {
		file := filepath.Join(folder, fmt.Sprintf("sandboxes-%05d.yaml", first))
		err := write(file, func(w *bufio.Writer) {
			for i := first; i < min(n, first+100); i++ {
				fmt.Fprint(w, "---\n", sandbox(i))
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBuildDocuments writes the documents, including the baselines that the sandboxes fork.
func writeBuildDocuments(folder string, n int) error {
	baseline := fmt.Sprintf(baselineDeployment+"---\n"+baselineService, "checkout")
	if err := os.WriteFile(filepath.Join(folder, "baseline.yaml"), []byte(baseline), 0o600); err != nil {
		return err
	}
	return writeDocuments(folder, n)
}

const listHead = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"

func writeItem(w *bufio.Writer, object string) {
	fmt.Fprintln(w, "- "+strings.ReplaceAll(strings.TrimSuffix(object, "\n"), "\n", "\n  "))
}

// writeForeignList writes a ResourceList of n Deployments, Services and ConfigMaps with comments.
func writeForeignList(file string, n int) error {
	return write(file, func(w *bufio.Writer) {
		fmt.Fprint(w, listHead)
		for i := range n {
			writeItem(w, fmt.Sprintf(foreign[i%len(foreign)], i))
		}
	})
}

var foreign = []string{
	`apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d # the service's own name
  namespace: shop
  labels: {app: app-%[1]d, tier: backend}
  annotations:
    internal.config.kubernetes.io/path: 'apps/app-%[1]d.yaml'
    internal.config.kubernetes.io/index: '0'
spec:
  # three, so that one may be drained
  replicas: 3
  selector:
    matchLabels:
      app: app-%[1]d
  template:
    metadata:
      labels:
        app: app-%[1]d
    spec:
      containers:
      - name: app
        image: "registry.example.com/shop/app:v1.%[1]d"
        args: ["--port", "8080"]
        env:
        - name: GREETING
          value: 'it''s number %[1]d'
        resources:
          limits:
            memory: 128Mi
`,
	`apiVersion: v1
kind: Service
metadata:
  name: app-%[1]d
  namespace: shop
  annotations:
    internal.config.kubernetes.io/path: 'services/app-%[1]d.yaml'
    internal.config.kubernetes.io/index: '0'
spec:
  selector:
    app: app-%[1]d
  ports:
  - port: 80 # plain HTTP behind the mesh
    targetPort: 8080
    protocol: TCP
`,
	`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-%[1]d
  namespace: shop
  annotations:
    internal.config.kubernetes.io/path: 'config/settings-%[1]d.yaml'
    internal.config.kubernetes.io/index: '0'
data:
  # read at start only
  application.properties: |
    color=blue
    number=%[1]d

    # a comment of the file's own
    retries=3
  motto: >-
    small rooms
    with clear names
`,
}

// writeChart writes a Helm chart that prints a template n times with the number $i, once for each sandbox.
func writeChart(folder string, n int, template string) error {
	if err := os.MkdirAll(filepath.Join(folder, "templates"), 0o750); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"Chart.yaml":          "apiVersion: v2\nname: jobs\nversion: 0.1.0\n",
		"values.yaml":         fmt.Sprintf("count: %d\n", n),
		"templates/jobs.yaml": "{{- range $i := until (int .Values.count) }}\n" + template + "{{- end }}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// jobTemplate prints a Job like that of render-phase for a sandbox.
const jobTemplate = `---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ printf "sandbox-%d-testdb-say-hello-%s" $i (printf "%d" $i | sha256sum | trunc 8) }}
  namespace: default
  labels: &labels
    app.kubernetes.io/managed-by: helm
    resourceplugins.dev/sandbox: sandbox-{{ $i }}
    resourceplugins.dev/resource: testdb
    resourceplugins.dev/phase: create
    resourceplugins.dev/step: say-hello
  annotations:
    resourceplugins.dev/plugin: hello-db@1.0.0
    resourceplugins.dev/digest: {{ printf "sha256:%s" (printf "%d" $i | sha256sum) }}
spec:
  backoffLimit: 0
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
  template:
    metadata:
      labels: *labels
    spec:
      automountServiceAccountToken: false
      restartPolicy: Never
      containers:
      - name: main
        image: ubuntu
        command: [/var/run/resourceplugins/script/script]
        env:
        - name: DBNAME
          value: test{{ $i }}
        - name: SIGNADOT_SANDBOX_ID
          value: {{ printf "%d" $i | sha256sum | trunc 13 }}
        - name: SIGNADOT_SANDBOX_NAME
          value: sandbox-{{ $i }}
        - name: SIGNADOT_RESOURCE_NAME
          value: testdb
        volumeMounts:
        - name: resourceplugins-script
          mountPath: /var/run/resourceplugins/script
          readOnly: true
      volumes:
      - name: resourceplugins-script
        configMap:
          name: hello-db-1-0-0
          defaultMode: 0555
`

func write(file string, content func(*bufio.Writer)) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	content(w)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
