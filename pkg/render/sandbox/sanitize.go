package sandbox

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// janitorKey is what kube-janitor reads: the time that an object lives, counted from its creation.
const janitorKey = "janitor/ttl"

// instanceLabel is what Argo CD tracks an Application's objects by, unless it is configured otherwise.
const instanceLabel = "app.kubernetes.io/instance"

// isIdentity reports whether an annotation or a label says which tool, release or package an object belongs to, or what a
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

// isExternal reports whether an annotation of a Service makes something outside of the cluster, or at its edge: a name, an
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

// sanitized returns a copy of an object without what the API server and controllers fill in, and without its identity: of
// its metadata, labels and annotations stay, for the fork to complete.
func sanitized(o object) object {
	o = runtime.DeepCopyJSON(o)
	delete(o, "status")
	metadata := child(o, "metadata")
	retain(metadata, "name", "namespace", "labels", "annotations")
	maps.DeleteFunc(child(metadata, "annotations"), func(key string, _ any) bool { return isIdentity(key) })
	return o
}

// retain removes all keys of a mapping but those.
func retain(o object, keys ...string) {
	maps.DeleteFunc(o, func(key string, _ any) bool { return !slices.Contains(keys, key) })
}

// sanitizedTemplate returns a copy of the workload without what its forks must not have.
func (w *workload) sanitizedTemplate() object {
	o := sanitized(w.object)
	spec := child(o, "spec")
	retain(child(spec, "template", "metadata"), "labels", "annotations")
	delete(spec, "paused")
	if w.kind == rollout {
		// The steps of a Rollout switch Services, Ingresses and meshes over, by changing those of the baseline.
		spec["strategy"] = object{"canary": object{}}
		remove(spec, "analysis", "restartAt", "rollbackWindow")
	}
	return o
}

// sanitizedService returns a copy of a Service that is reached from within the cluster alone.
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
