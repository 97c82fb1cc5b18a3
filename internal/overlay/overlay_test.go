package overlay_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

func TestGoodOverlays(t *testing.T) {
	t.Parallel()
	for name, text := range good {
		_, problems := overlay.Parse(text)
		assert.Empty(t, problems, name)
	}
}

func TestParse_keepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	o, problems := overlay.Parse(good["everything"])
	require.Empty(t, problems)
	assert.JSONEq(t, `{"metadata":{"annotations":{"a":"true"}},"spec":{"containers":[{"name":"main",`+
		`"ports":[{"containerPort":8080}],"readinessProbe":{"httpGet":{"path":"/","port":"http"}},`+
		`"resources":{"limits":{"cpu":"0.5","memory":"1Gi"},`+
		`"requests":{"cpu":"1"}}}],"hostNetwork":true,"serviceAccountName":"sd","tolerations":[{"operator":"Exists"}],`+
		`"volumes":[{"name":"a","secret":{"defaultMode":256,"secretName":"a"}}]}}`, string(o.Canonical))
}

var good = map[string]string{
	"empty":          "",
	"only a comment": "# nothing\n",
	"null":           "~\n",
	"spec alone":     "spec:\n  serviceAccountName: sd-mariadb\n",
	"null fields":    "metadata:\n  name:\nspec:\n  containers:\n  nodeSelector: null\n",
	"runner's own":   "spec:\n  restartPolicy: Never\n",
	"everything": `metadata:
  annotations: {a: 'true'}
spec:
  hostNetwork: yes
  serviceAccountName: sd
  tolerations:
  - operator: Exists
  containers:
  - name: main
    ports: [{containerPort: 0x1f90}]
    readinessProbe: {httpGet: {path: /, port: http}}
    resources:
      limits: {cpu: 0.5, memory: 1Gi}
      requests: {cpu: 1}
  volumes:
  - name: a
    secret: {secretName: a, defaultMode: 0400}
`,
	"aliases": `spec:
  containers:
  - &c
    name: main
    env: [{name: A, value: "1"}]
  initContainers:
  - <<: *c
    name: other
    image: i
  - <<: [*c, {tty: true, image: i}]
    name: third
`,
	"vault": `metadata:
  annotations:
    vault.hashicorp.com/agent-inject: 'true'
    vault.hashicorp.com/agent-inject-template-db-access.sh: |
      {{- with secret "sd-postgresdb/db-access" -}}
      export DBHOST="{{ .Data.host }}"
      {{- end }}
spec:
  serviceAccountName: sd-postgresdb
`,
}

func TestBadOverlays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"a: b: c", []string{"must be valid YAML: quote the value: \": \" starts a mapping"}},
		{"- a", []string{"line 1: must be a mapping with \"metadata\", \"spec\", not a list"}},
		{"text", []string{`line 1: must be a mapping with "metadata", "spec", not the string "text"`}},
		{"spec: {}\n---\nspec: {}\n", []string{"line 2: must be one YAML document: a second one begins here"}},
		{"spec:\n  containers: {}\n", []string{"line 2: spec.containers: must be a list, not a mapping"}},
		{"spec:\n  containers:\n  -\n", []string{"line 3: spec.containers[0]: must not be null: remove it or fill it in"}},
		{"spec:\n  serviceaccountName: a\n  volums: []\n  hostNetwork: 1\n  containers:\n  - image: 5\n    nam: main\n", []string{
			`line 2: spec.serviceaccountName: unknown key "serviceaccountName": did you mean "serviceAccountName"?`,
			`line 3: spec.volums: unknown key "volums": did you mean "volumes"?`,
			`line 4: spec.hostNetwork: must be true or false, not the number 1`,
			`line 6: spec.containers[0].image: must be a string, not the number 5: quote it`,
			`line 6: spec.containers[0].name: must be set`,
			`line 7: spec.containers[0].nam: unknown key "nam": did you mean "name"?`,
		}},
		{"spec:\n  xyzzy: 1\n", []string{
			`line 2: spec.xyzzy: unknown key "xyzzy": remove it`,
		}},
		{"template: {}\n", []string{`line 1: template: unknown key "template": must be one of "metadata", "spec"`}},
		{"spec:\n  nodeName: a\n  nodeName: b\n", []string{"line 3: spec.nodeName: must be given once: key \"nodeName\" is repeated"}},
		{"metadata:\n  labels:\n    a: yes\n    b: 1\n    2: x\n", []string{
			`line 3: metadata.labels.a: "yes" is a boolean to some YAML readers: quote it`,
			"line 4: metadata.labels.b: must be a string, not the number 1: quote it",
			"line 5: metadata.labels: must have strings as keys, not the number 2",
		}},
		{"spec:\n  terminationGracePeriodSeconds: 1.5\n  priority: 3000000000\n", []string{
			"line 2: spec.terminationGracePeriodSeconds: must be a whole number, not the number 1.5",
			"line 3: spec.priority: must be a number of at most 32 bits, not the number 3000000000",
		}},
		{"spec:\n  containers:\n  - name: main\n    resources: {limits: {cpu: lots, memory: 1GB, x: 1e3, w: .5, z: .}}", []string{
			`line 4: spec.containers[0].resources.limits.cpu: must be an amount such as 100m or 2Gi, not the string "lots"`,
			`line 4: spec.containers[0].resources.limits.memory: must be an amount such as 100m or 2Gi, not the string "1GB"`,
			`line 4: spec.containers[0].resources.limits.z: must be an amount such as 100m or 2Gi, not the string "."`,
		}},
		{"metadata:\n  name: x\nspec:\n  restartPolicy: OnFailure\n", []string{
			"line 2: metadata.name: must not be set: the renderer names Pods",
			`line 4: spec.restartPolicy: must be Never, not "OnFailure": remove it`,
		}},
		{"spec:\n  serviceAccountName: a\n  serviceAccount: b\n  ephemeralContainers: [{name: debug, image: x}]\n", []string{
			`line 3: spec.serviceAccount: must not be "b" beside serviceAccountName "a", which takes precedence: remove it`,
			`line 4: spec.ephemeralContainers: must not be set: no Pod is created with ephemeral containers`,
		}},
		{"spec:\n  $patch: replace\n  $retainKeys: [a]\n  containers:\n  - name: main\n    $patch: delete\n", []string{
			`line 2: spec["$patch"]: unknown key "$patch": remove it`,
			`line 3: spec["$retainKeys"]: unknown key "$retainKeys": remove it`,
			`line 6: spec.containers[0]["$patch"]: unknown key "$patch": remove it`,
		}},
		{"metadata:\n  $deleteFromPrimitiveList/finalizers: [a]\n", []string{
			`line 2: metadata["$deleteFromPrimitiveList/finalizers"]: unknown key "$deleteFromPrimitiveList/finalizers": remove it`,
		}},
		{"spec:\n  initContainers:\n  - name: signadot-execunit-input-manager\n  - name: main\n  containers:\n" +
			"  - name: signadot-execunit-output-manager\n  - name: main\n  - name: main\n  volumes:\n  - name: signadot-execunit-io\n" +
			"  - name: v\n  - name: v\n", []string{
			`line 3: spec.initContainers[0].name: must not be "signadot-execunit-input-manager": the renderer adds`,
			`line 4: spec.initContainers[1].name: must not be "main" here`,
			`line 6: spec.containers[0].name: must not be "signadot-execunit-output-manager"`,
			`line 8: spec.containers[2].name: must be given once: there are two containers "main"`,
			`line 10: spec.volumes[0].name: must not be "signadot-execunit-io"`,
			`line 12: spec.volumes[2].name: must be given once: there are two volumes "v"`,
		}},
		{"spec:\n  containers:\n  - name: main\n    volumeMounts:\n    - {name: a, mountPath: /a}\n" +
			"    - {name: b, mountPath: /a}\n    - {name: c, mountPath: /run/resourceplugins/io/}\n" +
			"    - {name: c, mountPath: /var}\n    - {name: d}\n", []string{
			`line 6: spec.containers[0].volumeMounts[1].mountPath: must be given once: there are two mounts at "/a"`,
			`line 7: spec.containers[0].volumeMounts[2].mountPath: must not be "/run/resourceplugins/io/"`,
			`line 8: spec.containers[0].volumeMounts[3].mountPath: must not be "/var"`,
			`line 9: spec.containers[0].volumeMounts[4].mountPath: must be set`,
		}},
		{"spec:\n  containers:\n  - name: main\n    command: [a]\n    args: [b]\n", []string{
			"line 4: spec.containers[0].command: is replaced: the container runs the step's script; remove it",
			"line 5: spec.containers[0].args: is replaced",
		}},
		{"spec:\n  initContainers:\n  - name: a\n  containers:\n  - name: main\n  - {name: proxy, image: p}\n", []string{
			`line 3: spec.initContainers[0]: container "a" has no image: only "main" gets that of the runner`,
			"line 6: spec.containers[1]: a Pod ends when all its containers have: unless this one ends by itself, move it to " +
				"spec.initContainers with restartPolicy Always, so that it ends with main",
		}},
		{"metadata:\n  annotations: {resourceplugins.dev/input-secret-0: x}\n  labels: {resourceplugins.dev/step: x}\n", []string{
			`line 2: metadata.annotations["resourceplugins.dev/input-secret-0"]: must not be set: keys of resourceplugins.dev are`,
			`line 3: metadata.labels["resourceplugins.dev/step"]: must not be set`,
		}},
		{"spec:\n  shareProcessNamespace: true\n  securityContext: {runAsUser: 65532}\n  containers:\n  - name: main\n" +
			"    securityContext:\n      runAsUser: 65532\n    volumeMounts:\n    - name: resourceplugins-token\n      mountPath: /t\n", []string{
			"line 3: spec.securityContext.runAsUser: must not be 65532 with shareProcessNamespace: the helpers run as that user",
			"line 7: spec.containers[0].securityContext.runAsUser: must not be 65532 with shareProcessNamespace",
			`line 9: spec.containers[0].volumeMounts[0].name: must not be "resourceplugins-token": that volume is for the helpers`,
		}},
		{"spec:\n  hostPID: true\n  securityContext: {runAsUser: 65532}\n  containers:\n  - name: main\n    securityContext:\n" +
			"      privileged: true\n      capabilities:\n        add:\n        - NET_ADMIN\n        - CAP_SYS_PTRACE\n        - sys_admin\n", []string{
			"line 3: spec.securityContext.runAsUser: must not be 65532 with hostPID: the helpers run as that user",
			"line 7: spec.containers[0].securityContext.privileged: must not be true with hostPID: the container could read the token " +
				"of the helpers",
			`line 11: spec.containers[0].securityContext.capabilities.add[1]: must not be "CAP_SYS_PTRACE" with hostPID: the container`,
			`line 12: spec.containers[0].securityContext.capabilities.add[2]: must not be "sys_admin" with hostPID`,
		}},
		{"spec:\n  shareProcessNamespace: true\n  initContainers:\n  - name: agent\n    image: a\n    securityContext:\n" +
			"      capabilities: {add: [ALL], drop: [ALL]}\n", []string{
			`line 7: spec.initContainers[0].securityContext.capabilities.add[0]: must not be "ALL" with shareProcessNamespace`,
		}},
		{"spec:\n  containers:\n  - name: main\n    securityContext: {privileged: true, runAsUser: 65532, capabilities: {add: [ALL]}}\n",
			nil},
		{"metadata:\n  managedFields:\n  - fieldsV1: {}\n", []string{
			"line 3: metadata.managedFields[0].fieldsV1: must not be set",
		}},
		{"metadata:\n  labels: {a: ~}\n", []string{"line 2: metadata.labels.a: must not be null: remove it or fill it in"}},
		{"metadata: &m\n  labels: {a: b}\n  annotations:\n    <<: [1]\n", []string{
			`line 4: metadata.annotations["<<"]: must be a mapping to merge, or a list of them, not the number 1`}},
	} {
		_, problems := overlay.Parse(c.text)
		got := make([]string, len(problems))
		for i, p := range problems {
			got[i] = p.String()
		}
		if !assert.Len(t, got, len(c.want), "%s\n%s", c.text, strings.Join(got, "\n")) {
			continue
		}
		for i := range got {
			assert.Contains(t, got[i], c.want[i], c.text)
		}
	}
}

func TestAliasBombsAreRefused(t *testing.T) {
	t.Parallel()
	bomb := "metadata: {annotations: {a: &a x}}\nspec:\n  tolerations: &b0 [{key: a}, {key: b}]\n"
	var wide strings.Builder
	wide.WriteString("spec:\n  containers:\n")
	for i := range 30 {
		wide.WriteString("  - &c" + strings.Repeat("x", i) + "\n    env: [*c" + strings.Repeat("x", max(0, i-1)) + "]\n")
	}
	for _, text := range []string{
		bomb + "  volumes: *b0\n  containers: &c [*c, *c]\n",
		"spec: &s\n  <<: *s\n  affinity: *s\n",
		"spec:\n  containers: &c\n  - *c\n",
		"metadata:\n  annotations: &a {b: *a}\n",
		wide.String(),
	} {
		o, problems := overlay.Parse(text)
		assert.NotEmpty(t, problems, text)
		assert.NotNil(t, o)
	}
}

func TestConflictsWithTheRunner(t *testing.T) {
	t.Parallel()
	o, problems := overlay.Parse("metadata:\n  namespace: a\nspec:\n  containers:\n  - name: main\n    image: yy\n")
	require.Empty(t, problems)
	assert.Empty(t, o.Conflicts("yy", "a"))
	got := o.Conflicts("z", "b")
	require.Len(t, got, 2)
	assert.Equal(t, "line 2: metadata.namespace: must not be \"a\": `runner.namespace` is \"b\"; remove it", got[0].String())
	assert.Equal(t, "line 6: spec.containers[0].image: must not be \"yy\": `runner.image` is \"z\"; remove it", got[1].String())
	assert.Equal(t, strictyaml.SeverityError, got[1].Severity)
}

func TestReservedPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/var/run/resourceplugins": true, "/run/resourceplugins/x": true, "/var/run": true, "/run/": true,
		"/var": true, "/": true, "//": true,
		"":     false,
		"/tmp": false, "/var/lib": false, "/var/run/secrets": false, "/var/run/resourceplugins2": false, "/root/.aws": false,
	} {
		assert.Equal(t, want, overlay.Reserved(path), path)
	}
}
