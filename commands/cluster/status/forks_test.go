package status

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// awaitsForks returns the Job that waits for the end of forks, and its Secret.
func awaitsForks(end, published string) []manifest {
	generation := manifest{contract.GenerationKey: "new"}
	stamps := manifest{contract.GenerationKey: "new"}
	if published != "" {
		stamps[contract.PublishedKey] = published
	}
	return []manifest{
		{"apiVersion": "v1", "kind": "Secret", "metadata": metadata("of-forks", "delete", contract.HelperKey, contract.HelperForks, stamps)},
		jobWith(metadata("job-forks", "delete", contract.HelperKey, contract.HelperForks, generation),
			manifest{contract.OutputSecretKey: "of-forks"}, end),
	}
}

// Delete steps wait for the end of the sandbox's forks, and the report names the reason. Rules and template agree.
func TestRules_forks(t *testing.T) {
	t.Parallel()
	const wait = "InProgress waits until no Pod of the sandbox's forks is left; see kubectl logs -n ns job/job-forks"
	for name, c := range map[string]struct {
		forks        []manifest
		drop, secret string
		cleanup      string
		want         map[string]string
	}{
		"they run": {awaitsForks("ready", ""), "ready", "", "ready", map[string]string{
			"forks": wait, "drop": "InProgress waits for forks", "cleanup": "InProgress waits for forks drop",
		}},
		"they have ended": {awaitsForks("Complete", "new"), "ready", "", "ready", map[string]string{
			"forks": "Ready ", "drop": "InProgress runs", "cleanup": "InProgress waits for drop",
		}},
		"all is done": {awaitsForks("Complete", "")[1:], "Complete", "none", "Complete", map[string]string{
			"forks": "Ready ", "drop": "Ready ", "cleanup": "Ready ",
		}},
	} {
		exists := append([]manifest{job("delete", "drop", c.drop, "of-forks")}, c.forks...)
		if c.secret != "none" {
			exists = append(exists, secret("delete", "drop", c.secret))
		}
		exists = append(exists, helper("delete", "cleanup", c.cleanup, nil, "of-forks", "of-drop"))
		objects := []manifest{job("delete", "drop", "", "of-forks"), secret("delete", "drop", ""), helper("delete", "cleanup", "", nil, "of-forks", "of-drop")}
		render, err := renderOf(t, append(objects, awaitsForks("", "")...)...)
		require.NoError(t, err)
		for kind, report := range map[string]*Report{"render": render.Judge(list(t, exists...)), "cluster": list(t, exists...).Judge(nil)} {
			got := map[string]string{}
			for i := range report.Steps {
				got[report.Steps[i].name()] = string(report.Steps[i].State) + " " + report.Steps[i].Detail
			}
			assert.Equal(t, c.want, got, "%s %s", name, kind)
		}
		_, whole := byTemplate(t, exists)
		assert.Equal(t, render.Judge(list(t, exists...)).Status, whole, name)
	}
}
