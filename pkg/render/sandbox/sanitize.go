package sandbox

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// janitorKey is the annotation for kube-janitor: the lifetime of an object from its creation.
const janitorKey = "janitor/ttl"

// instanceLabel is the default label by which Argo CD tracks an Application's objects.
const instanceLabel = "app.kubernetes.io/instance"

// isIdentity reports whether an annotation or a label names the tool, release or package of an object, or is a record of a
// controller: neither applies to a copy.
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

// isExternal reports whether an annotation of a Service affects something outside of the cluster or at its edge: a
// name, an address, a route. The copy must not compete for it.
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

// sanitized returns a copy of an object without the fields that the API server and controllers set, and without its
// identity: of its metadata, labels and annotations stay, for the fork to complete.
func sanitized(o object) object {
	o = runtime.DeepCopyJSON(o)
	delete(o, "status")
	metadata := child(o, "metadata")
	retain(metadata, "name", "namespace", "labels", "annotations")
	maps.DeleteFunc(child(metadata, "annotations"), func(key string, _ any) bool { return isIdentity(key) })
	return o
}

// retain removes all other keys of a mapping.
func retain(o object, keys ...string) {
	maps.DeleteFunc(o, func(key string, _ any) bool { return !slices.Contains(keys, key) })
}

// sanitizedTemplate returns a copy of the workload without the fields that forks must not have.
func (w *workload) sanitizedTemplate() object {
	o := sanitized(w.object)
	spec := child(o, "spec")
	retain(child(spec, "template", "metadata"), "labels", "annotations")
	delete(spec, "paused")
	if w.kind == rollout {
		// The steps of a Rollout switch Services, Ingresses and meshes by changing those of the baseline.
		spec["strategy"] = object{"canary": object{}}
		remove(spec, "analysis", "restartAt", "rollbackWindow")
	}
	return o
}

// sanitizedService returns a copy of a Service that is reached only from within the cluster.
func sanitizedService(o object) object {
	o = sanitized(o)
	maps.DeleteFunc(child(o, "metadata", "annotations"), func(key string, _ any) bool { return isExternal(key) })
	spec := child(o, "spec")
	remove(spec, "type", "clusterIPs", "externalIPs", "externalName", "externalTrafficPolicy", "healthCheckNodePort",
		"loadBalancerIP", "loadBalancerClass", "loadBalancerSourceRanges", "allocateLoadBalancerNodePorts")
	if spec["clusterIP"] != "None" {
		delete(spec, "clusterIP")
	}
	for _, port := range children(spec, "ports") {
		delete(port, "nodePort")
	}
	return o
}
