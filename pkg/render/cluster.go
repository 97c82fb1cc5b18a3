package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// OneCluster returns the sandboxes of the cluster that is named, or of the only one there is: what is rendered for a
// sandbox must not end up in another cluster. A cluster without sandboxes is a warning. The error is OptionErrors, of
// "cluster", if there are several clusters and none is named.
func OneCluster[S interface{ Cluster() string }](list *krm.ResourceList, sandboxes []S, cluster string) ([]S, error) {
	if cluster != "" {
		chosen := slices.DeleteFunc(slices.Clone(sandboxes), func(s S) bool { return s.Cluster() != cluster })
		if len(chosen) == 0 && len(sandboxes) > 0 {
			list.Report(krm.NewResult(krm.Warning,
				fmt.Sprintf("no sandbox is of cluster %q: nothing is rendered", cluster)))
		}
		return chosen, nil
	}
	var clusters []string
	for _, s := range sandboxes {
		clusters = append(clusters, s.Cluster())
	}
	slices.Sort(clusters)
	if clusters = slices.Compact(clusters); len(clusters) < 2 {
		return sandboxes, nil
	}
	return nil, OptionErrors{{"cluster", "must be set, since there are sandboxes of several clusters: one of " +
		strings.Join(clusters, ", ")}}
}
