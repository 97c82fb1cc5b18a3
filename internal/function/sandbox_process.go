package function

import (
	"cmp"
	"errors"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Process renders the forks of the list's sandboxes and the routes to them. With an error finding nothing is rendered and
// nothing removed.
func (c *sandboxConfig) Process(call cli.Call) (string, error) {
	items, err := call.List.Select(contract.APIVersion, contract.Sandbox, contract.RouteGroup)
	if err != nil {
		return "", err
	}
	render.MarkInputs(call.List)
	if !c.check(call) {
		return "rendered nothing: the config must be mended first", nil
	}
	if err := reportInvalid(call.List); err != nil {
		return "", err
	}
	if call.List.Results().Failed() {
		return "rendered nothing: the sandboxes must be mended first", nil
	}
	subjects, groups := sandboxReadSubjects(call.List, items)
	subjects, err = render.OneCluster(call.List, subjects, c.Cluster)
	var wrong *render.OptionError
	if errors.As(err, &wrong) {
		call.ConfigError(wrong.Option, wrong.Message)
		return "rendered nothing: the config must name a cluster", nil
	}
	cluster, err := sandbox.ReadCluster(call.List)
	if err != nil {
		return "", err
	}
	name := clusterName(c, subjects, groups)
	groups = slices.DeleteFunc(groups, func(g sandbox.RoutedGroup) bool { return g.Spec.Cluster != "" && g.Spec.Cluster != name })
	s := &scene{call: call, config: c, cluster: cluster, clusterName: name, subjects: subjects, groups: groups}
	s.forkAll()
	s.reportTakers()
	s.reportGroupLives()
	s.route()
	if call.List.Results().Failed() {
		return "rendered nothing: what is reported must be mended first", nil
	}
	return s.deliver(c.Prune || hasSandbox(items))
}

// clusterName returns the cluster that is rendered: the config's, or else that of the first document that has one.
func clusterName(c *sandboxConfig, subjects []*sandboxSubject, groups []sandbox.RoutedGroup) string {
	name := c.Cluster
	for _, s := range subjects {
		name = cmp.Or(name, s.Spec.Cluster)
	}
	for _, g := range groups {
		name = cmp.Or(name, g.Spec.Cluster)
	}
	return name
}

// hasSandbox tells whether there is a sandbox that says what must be there; without any nothing is removed unasked.
func hasSandbox(items []*krm.Item) bool {
	return slices.ContainsFunc(items, func(item *krm.Item) bool { return item.Kind() == contract.Sandbox })
}

// reportInvalid reports what of sandboxes and route groups breaks a rule that is an error; the rules' warnings are
// validate-plugin's to tell.
func reportInvalid(list *krm.ResourceList) error {
	report, err := validate.Check(list, validate.Options{})
	if err != nil {
		return err
	}
	for _, result := range report.Results {
		if ref := result.ResourceRef; result.Severity == krm.Error && ref != nil &&
			(ref.Kind == contract.Sandbox || ref.Kind == contract.RouteGroup) {
			list.Report(result)
		}
	}
	return nil
}
