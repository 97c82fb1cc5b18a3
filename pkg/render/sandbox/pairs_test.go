package sandbox

import (
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

const simple = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web # main
        image: web:1
        env: [{name: A, value: a}, {name: B, value: b}]
`

const rich = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: rich
  namespace: shop
  annotations: {note: one, other: two}
  finalizers: [a.example/x, a.example/y]
spec:
  replicas: 3
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  selector: {matchLabels: {app: rich}}
  template:
    metadata: {labels: {app: rich, tier: back}}
    spec:
      serviceAccountName: rich
      imagePullSecrets: [{name: one}]
      tolerations: [{key: a, operator: Exists}]
      initContainers: [{name: setup, image: "setup:1"}]
      containers:
      - name: side
        image: side:1
      - name: main
        image: main:1
        command: [run, --fast]
        args: [a, b]
        ports: [{containerPort: 80, name: http}, {containerPort: 443}, {containerPort: 53, protocol: UDP}]
        env:
        - {name: A, value: a}
        - {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}
        - {name: C, value: c}
        resources: {limits: {cpu: 500m, memory: 1Gi}, requests: {cpu: 100m}}
        volumeMounts: [{name: data, mountPath: /data}, {name: tmp, mountPath: /tmp}]
        readinessProbe: {httpGet: {path: /ready, port: 80}}
      volumes:
      - {name: data, persistentVolumeClaim: {claimName: rich}}
      - {name: tmp, emptyDir: {}}
`

// patches are tried on both workloads, by type.
var patches = map[string][]string{
	"strategic": {
		"{}", "spec: {replicas: 5}", "spec: {replicas: null}", "metadata: {annotations: {note: new, more: x, other: null}}",
		"spec: {template: {spec: {containers: [{name: main, $patch: replace, image: 'main:2'}]}}}",
		"spec: {template: {spec: {containers: [{name: main, env: [{name: B, value: plain, valueFrom: null}]}]}}}",
		"spec: {template: {spec: {containers: [{name: main, lifecycle: {preStop: {exec: {command: [stop]}}}}]}}}",
		"spec: {template: {spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}]}}}",
		"spec: {template: {spec: {affinity: {nodeAffinity: {$patch: delete}}}}}", "spec: {selector: {$patch: replace, matchLabels: {a: b}}}",
		"spec: {template: {spec: {containers: [{name: main, command: []}]}}}", "metadata: {ownerReferences: [{uid: u, kind: k, name: n}]}",
		"spec: {strategy: {$retainKeys: [type], type: Recreate}}", "spec: {strategy: {type: Recreate, rollingUpdate: null}}",
		"spec: {strategy: {$patch: replace, type: Recreate}}", "spec: {strategy: {$patch: delete}}",
		`{"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort": 4242}]}]}}}}`,
		"spec: {template: {spec: {containers: [{name: web, image: 'web:2'}]}}}",
		"spec: {template: {spec: {containers: [{name: main, env: [{name: D, value: d}, {name: A, value: z}]}]}}}",
		"spec: {template: {spec: {containers: [{name: main, env: [{name: B, $patch: delete}]}]}}}",
		"spec: {template: {spec: {containers: [{name: web, env: [{$patch: replace}, {name: N, value: n}]}]}}}",
		"spec: {template: {spec: {containers: [{$patch: replace}, {name: only, image: only}]}}}",
		"spec: {template: {spec: {containers: [{name: side, $patch: delete}]}}}",
		"spec: {template: {spec: {$setElementOrder/containers: [{name: main}, {name: side}], containers: [{name: side, tty: true}]}}}",
		"spec: {template: {spec: {$setElementOrder/containers: [{name: main}, {name: side}]}}}",
		"spec: {template: {spec: {containers: [{name: new, image: n}, {name: main, tty: true}]}}}",
		"spec: {template: {spec: {containers: [{name: main, command: [other], args: null}]}}}",
		"spec: {template: {spec: {containers: [{name: main, resources: {limits: {cpu: '1'}, requests: null}}]}}}",
		"spec: {template: {spec: {containers: [{name: main, volumeMounts: [{mountPath: /tmp, name: data}]}]}}}",
		"spec: {template: {spec: {containers: [{name: main, ports: [{containerPort: 53, name: dns}]}]}}}",
		"spec: {template: {spec: {volumes: [{name: data, $retainKeys: [name, emptyDir], emptyDir: {}}]}}}",
		"spec: {template: {spec: {volumes: [{name: more, emptyDir: {medium: Memory}}, {name: tmp, $patch: delete}]}}}",
		"spec: {template: {spec: {imagePullSecrets: [{name: regcred}]}}}",
		"spec: {template: {spec: {tolerations: [{key: b}]}}}", "spec: {template: {spec: {nodeSelector: {disk: ssd}}}}",
		"spec: {template: {spec: {initContainers: [{name: setup, image: 'setup:2'}, {name: next, image: x}]}}}",
		"metadata: {finalizers: [z.example/z, a.example/y]}", "metadata: {$deleteFromPrimitiveList/finalizers: [a.example/x]}",
		"spec: {template: {spec: {hostAliases: [{ip: 1.2.3.4, hostnames: [a]}], dnsConfig: {nameservers: [1.1.1.1]}}}}",
		"spec: {template: {metadata: {labels: {app: null, new: x}}}}",
	},
	"merge": {
		"{}", "spec: {replicas: 5}", "metadata: {annotations: null}", "metadata: {annotations: {note: null, more: {}}}",
		"spec: {template: {spec: {containers: [{name: only, image: x}]}}}", "spec: {strategy: {rollingUpdate: null, type: Recreate}}",
		"spec: {template: {spec: {nodeSelector: {a: b, c: null}}}}", "spec: {template: {spec: {tolerations: []}}}",
		"spec: {template: null}", `{"metadata":{"labels":{"x":"y"}}}`,
	},
	"json": {
		"[]", "[{op: replace, path: /spec/replicas, value: 7}]", "[{op: remove, path: /spec/replicas}]",
		"[{op: add, path: /spec/template/spec/containers/-, value: {name: z, image: z}}]",
		"[{op: add, path: /spec/template/spec/containers/0, value: {name: z, image: z}}]",
		"[{op: remove, path: /spec/template/spec/containers/0}]", "[{op: add, path: /metadata/annotations, value: {a~b/c: d}}]",
		"[{op: add, path: /metadata/labels, value: {}}, {op: add, path: /metadata/labels/a~1b, value: c}]",
		"[{op: copy, from: /spec/template/metadata/labels/app, path: /metadata/namespace}]",
		"[{op: move, from: /spec/replicas, path: /spec/minReadySeconds}]",
		"[{op: test, path: /kind, value: Deployment}, {op: replace, path: /metadata/name, value: n}]",
		"[{op: test, path: /spec/replicas, value: 99}]", "[{op: remove, path: /spec/nothing}]",
		"[{op: replace, path: /spec/template/spec/containers/7, value: {}}]", "[{op: add, path: /no/where, value: 1}]",
		"[{op: replace, path: /spec/template/spec/containers/0/image, value: 'i:2'}]",
		"[{op: replace, path: /spec/template/spec/containers/0, value: {name: z, image: z}}]",
		"[{op: remove, path: /spec/template/spec/containers/-1}]", "[{op: remove, path: /spec/template/spec/containers/-9}]",
		"[{op: add, path: /spec/template/spec/containers/x, value: {name: z}}]",
		"[{op: replace, path: /spec/replicas/x, value: 1}]", "[{op: add, path: /metadata/name/x, value: 1}]",
		"[{op: test, path: /spec/nothing, value: null}]", "[{op: test, path: /spec/nothing, value: 1}]",
		"[{op: test, path: /spec/template/metadata/labels, value: {app: web}}]",
		"[{op: add, path: /spec/paused, value: null}]", "[{op: move, from: /spec/nothing, path: /spec/paused}]",
		"[{op: copy, from: /spec/template/spec/containers/0, path: /spec/template/spec/containers/-}, " +
			"{op: replace, path: /spec/template/spec/containers/0/name, value: first}]",
		"[{op: move, from: /spec/template/spec/containers/0, path: /spec/template/spec/initContainers}]",
		"[{op: move, from: /spec/template/metadata, path: /spec/template}]",
	},
}

// pair is a patch of a workload.
type pair struct{ workload, kind, patch string }

// allPairs returns every patch of both workloads.
func allPairs() (pairs []pair) {
	for kind, texts := range patches {
		for _, text := range texts {
			pairs = append(pairs, pair{simple, kind, text}, pair{rich, kind, text})
		}
	}
	return pairs
}

func patched(workload, kind, text string) (any, error) {
	var o object
	if err := utilyaml.Unmarshal([]byte(workload), &o); err != nil {
		return nil, err
	}
	result, err := applyPatch(o, kind, text)
	if err != nil {
		return nil, err
	}
	var out any
	return out, yaml.Unmarshal(yamlprint.AppendYAML(nil, result), &out)
}

// withoutRests removes remains of a patch that kubectl leaves in new values: nulls, which the API server ignores, and
// directives, which it does not know.
func withoutRests(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if value != nil && !strings.HasPrefix(key, "$") {
				out[key] = withoutRests(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutRests(v[i])
		}
		return out
	}
	return v
}
