package sandbox

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// JanitorKey is what kube-janitor reads: the time that an object lives, counted from its creation.
const JanitorKey = "janitor/ttl"

// instanceLabel is what Argo CD tracks an Application's objects by, unless it is configured otherwise.
const instanceLabel = "app.kubernetes.io/instance"

// isIdentity tells whether an annotation or a label says which tool, release or package an object belongs to, or what a
// controller has done with it: of a copy that is not true.
func isIdentity(key string) bool {
	prefix, name, _ := strings.Cut(key, "/")
	switch prefix {
	case contract.Group, "internal.config.kubernetes.io", "config.kubernetes.io", "config.k8s.io", "kustomize.config.k8s.io",
		"kpt.dev", "internal.kpt.dev", "cli-utils.sigs.k8s.io", "meta.helm.sh", "helm.sh", "kustomize.toolkit.fluxcd.io",
		"helm.toolkit.fluxcd.io", "deployment.kubernetes.io", "rollout.argoproj.io", "objectset.rio.cattle.io", "janitor":
		return true
	case "kubectl.kubernetes.io":
		return name == "last-applied-configuration"
	case "argocd.argoproj.io":
		return !strings.HasPrefix(name, "sync-")
	}
	return false
}

// isExternal tells whether an annotation of a Service makes something outside of the cluster, or at its edge: a name, an
// address, a route. The copy must not compete for it.
func isExternal(key string) bool {
	prefix, _, _ := strings.Cut(key, "/")
	switch prefix {
	case "service.beta.kubernetes.io", "service.alpha.kubernetes.io", "service.kubernetes.io", "cloud.google.com",
		"networking.gke.io", "external-dns.alpha.kubernetes.io", "getambassador.io", "a8r.io", "metallb.io",
		"metallb.universe.tf", "lbipam.cilium.io", "io.cilium", "consul.hashicorp.com", "konghq.com",
		"traefik.ingress.kubernetes.io", "ingress.kubernetes.io", "nginx.ingress.kubernetes.io", "tailscale.com",
		"multicluster.linkerd.io", "mirror.linkerd.io":
		return true
	}
	return strings.HasSuffix(prefix, ".loadbalancer.openstack.org") || prefix == "loadbalancer.openstack.org"
}

// bare returns an object without what the API server and controllers fill in, and without its identity: of its metadata
// labels and annotations stay, to be sealed later.
func bare(object *yaml.Node) *yaml.Node {
	object = tree.Without(object, "status")
	return tree.Update(object, func(metadata *yaml.Node) *yaml.Node {
		metadata = tree.Only(metadata, func(key string) bool {
			return key == "name" || key == "namespace" || key == "labels" || key == "annotations"
		})
		return tree.Update(metadata, func(annotations *yaml.Node) *yaml.Node {
			return tree.Only(annotations, func(key string) bool { return !isIdentity(key) })
		}, "annotations")
	}, "metadata")
}

// stencil returns a workload without what its copies must not have.
func stencil(w *Workload) *yaml.Node {
	object := bare(w.Tree)
	object = tree.Update(object, func(template *yaml.Node) *yaml.Node {
		return tree.Update(template, func(metadata *yaml.Node) *yaml.Node {
			return tree.Only(metadata, func(key string) bool { return key == "labels" || key == "annotations" })
		}, "metadata")
	}, "spec", "template")
	return tree.Update(object, func(spec *yaml.Node) *yaml.Node {
		spec = tree.Without(spec, "paused")
		if w.Kind == Rollout {
			// The steps of a Rollout switch Services, Ingresses and meshes over, by changing those of the baseline.
			spec = tree.With(spec, "strategy", tree.Map(tree.Field{Key: "canary", Value: tree.Map()}))
			spec = tree.Without(spec, "analysis", "restartAt", "rollbackWindow")
		}
		return spec
	}, "spec")
}

// copyService returns a Service as one that is reached from within the cluster alone.
func copyService(object *yaml.Node) *yaml.Node {
	object = bare(object)
	object = tree.Update(object, func(annotations *yaml.Node) *yaml.Node {
		return tree.Only(annotations, func(key string) bool { return !isExternal(key) })
	}, "metadata", "annotations")
	return tree.Update(object, func(spec *yaml.Node) *yaml.Node {
		headless := tree.String(spec, "clusterIP") == "None"
		spec = tree.Without(spec, "type", "clusterIPs", "externalIPs", "externalName", "externalTrafficPolicy",
			"healthCheckNodePort", "loadBalancerIP", "loadBalancerClass", "loadBalancerSourceRanges",
			"allocateLoadBalancerNodePorts")
		if !headless {
			spec = tree.Without(spec, "clusterIP")
		}
		return tree.Update(spec, func(ports *yaml.Node) *yaml.Node {
			return each(ports, func(port *yaml.Node) *yaml.Node { return tree.Without(port, "nodePort") })
		}, "ports")
	}, "spec")
}
