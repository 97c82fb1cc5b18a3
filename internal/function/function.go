// Package function holds the KRM functions, one file for each with its config and what it does to a list: the config
// is a type of api/v1alpha1, and its Process calls pkg/validate, pkg/resolve and pkg/render. A cli.Function describes it
// for its main and for commands:
//
//	func main() { cli.Main(function.ValidatePlugin()) }
package function

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// MarkInputs marks documents of our group as local-config, since they are input and not to be applied.
func MarkInputs(list *krm.ResourceList) {
	for _, item := range list.Items() {
		if item.APIVersion() != contract.APIVersion {
			continue
		}
		if local, _ := item.Annotation(contract.LocalConfigKey); local != "true" {
			item.Annotate(contract.LocalConfigKey, "true")
		}
	}
}

// OneCluster returns the sandboxes of the cluster that the config names, or of the only one there is: what is rendered
// for a sandbox must not be applied to another cluster. A cluster without sandboxes is a warning. If there are several
// clusters and the config names none, OneCluster reports an error of the config's field "cluster" and returns false.
func OneCluster[S interface{ Cluster() string }](call cli.Call, sandboxes []S, cluster string) ([]S, bool) {
	if cluster != "" {
		chosen := slices.DeleteFunc(slices.Clone(sandboxes), func(s S) bool { return s.Cluster() != cluster })
		if len(chosen) == 0 && len(sandboxes) > 0 {
			call.List.Report(krm.NewResult(krm.Warning,
				fmt.Sprintf("no sandbox is of cluster %q: nothing is rendered", cluster)))
		}
		return chosen, true
	}
	var clusters []string
	for _, s := range sandboxes {
		clusters = append(clusters, s.Cluster())
	}
	slices.Sort(clusters)
	if clusters = slices.Compact(clusters); len(clusters) < 2 {
		return sandboxes, true
	}
	call.ConfigError("cluster", "must be set, since there are sandboxes of several clusters: one of "+
		strings.Join(clusters, ", "))
	return nil, false
}
