// Package scope says what of a list a run is about: its documents are input, not something to apply, and its sandboxes are
// those of one cluster, since what is rendered for a sandbox must not end up in another one.
package function

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// MarkInputs keeps documents of our own kinds out of what is applied, by the annotation contract.LocalConfigKey.
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

// OneCluster returns the sandboxes of the cluster that the config names, or of the only one there is. A cluster without
// sandboxes is a warning. It is false, and an error of the config's field "cluster", where the config must choose.
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
	call.Misconfigured("cluster", "must be set, since there are sandboxes of several clusters: one of "+
		strings.Join(clusters, ", "))
	return nil, false
}
