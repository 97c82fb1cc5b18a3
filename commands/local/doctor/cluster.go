package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/commands/kubectl"
)

// right is a verb that a command uses on objects of a resource.
type right struct{ verbs, resources []string }

// The rights that users need in a namespace of steps. Those to apply are of kubectl apply on rendered objects.
var (
	toApply = right{[]string{"create", "patch"}, []string{
		"configmaps", "secrets", "serviceaccounts", "jobs.batch", "roles.rbac.authorization.k8s.io",
		"rolebindings.rbac.authorization.k8s.io",
	}}
	toReport = right{[]string{"list"}, []string{"jobs.batch", "pods", "secrets", "configmaps", "events"}}
	toRead   = right{[]string{"get"}, []string{"pods/log"}}
	toRerun  = right{[]string{"delete"}, []string{"jobs.batch", "secrets"}}
)

// Cluster checks kubectl, the cluster that it reaches, and the rights of its user in namespaces; without a name in that of
// kubectl.
func Cluster(k *kubectl.Kubectl, namespaces []string) []Check {
	client := Check{Part: PartCluster, State: OK, Subject: "kubectl"}
	versions, err := versionsOf(k, "--client")
	if err != nil {
		client.State, client.Detail, client.Action = Missing, err.Error(), "needed by rplug status and the commands beside it"
		return []Check{client}
	}
	client.Detail = "version " + versions.ClientVersion.GitVersion
	server := Check{Part: PartCluster, State: OK, Subject: "cluster"}
	if versions, err = versionsOf(k); err != nil || versions.ServerVersion.GitVersion == "" {
		server.State, server.Detail = Missing, "kubectl does not reach it"
		if err != nil {
			server.Detail += ": " + err.Error()
		}
		server.Action = "choose another one with --context or --kubeconfig"
		return []Check{client, server}
	}
	server.Detail = "Kubernetes " + versions.ServerVersion.GitVersion
	checks := []Check{client, server}
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, namespace := range namespaces {
		checks = append(checks, rights(k, namespace, "apply a render", Missing, toApply),
			rights(k, namespace, "report with rplug status and logs", Warning, toReport, toRead),
			rights(k, namespace, "run a step again with rplug rerun", Warning, toRerun))
	}
	return checks
}

// rights checks rights for a purpose. The state is that of a check with a right that the user does not have.
func rights(k *kubectl.Kubectl, namespace, purpose string, state State, needed ...right) Check {
	where := "kubectl's namespace"
	if namespace != "" {
		where = fmt.Sprintf("namespace %q", namespace)
	}
	c := Check{Part: PartCluster, State: OK, Subject: "rights in " + where, Detail: "the user may " + purpose}
	var denied []string
	for _, one := range needed {
		for _, resource := range one.resources {
			for _, verb := range one.verbs {
				allowed, err := k.May(verb, resource, namespace)
				if err != nil {
					c.State, c.Detail, c.Action = Warning, err.Error(), "ask who runs the cluster"
					return c
				}
				if !allowed {
					denied = append(denied, verb+" "+resource)
				}
			}
		}
	}
	if len(denied) > 0 {
		c.State = state
		c.Detail = fmt.Sprintf("the user cannot %s, since these rights are missing: %s", purpose, strings.Join(denied, ", "))
		c.Action = "ask who runs the cluster for a Role with these rights"
	}
	return c
}

type versions struct {
	ClientVersion, ServerVersion struct {
		GitVersion string `json:"gitVersion"`
	}
}

func versionsOf(k *kubectl.Kubectl, arguments ...string) (v versions, err error) {
	text, err := k.Run(nil, append([]string{"version", "-o", "json"}, arguments...)...)
	if err == nil && json.Unmarshal(text, &v) != nil {
		err = errors.New("kubectl version must print JSON")
	}
	return v, err
}
