package sandbox

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var httpPort = []port{{name: "http", number: 80, target: 8080}}

// box returns a sandbox with a spec given as YAML in flow style.
func box(tb testing.TB, name, spec string, services ...routedService) *input {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "kind: Sandbox\nmetadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	read, problems := document.ReadSandbox(item)
	require.Empty(tb, problems)
	key, _, err := document.RoutingKey(item, read.Spec.Cluster)
	require.NoError(tb, err)
	return &input{Sandbox: read, options: routed(none), key: key, services: services}
}

// routed returns the default options with routes.
func routed(mode string) *Options {
	options := DefaultOptions()
	options.Routing = mode
	return &options
}

// atGateway returns options with routes and a Gateway.
func atGateway(mode, domain string) *Options {
	options := routed(mode)
	options.Gateway, options.GatewayDomain = "infra/edge", domain
	return options
}

// groupOf returns a route group with a match given as YAML.
func groupOf(tb testing.TB, name, spec string) routedGroup {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "kind: RouteGroup\nmetadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	read, problems := document.ReadRouteGroup(item)
	require.Empty(tb, problems)
	key, _, err := document.RoutingKey(item, read.Spec.Cluster)
	require.NoError(tb, err)
	return routedGroup{RouteGroup: read, key: key}
}

// forked returns the fork of a Service in namespace shop, whose Deployment has the same name.
func forked(baseline, owner string) routedService {
	return routedService{
		frontend: &frontend{&service{namespace: "shop", name: baseline}, httpPort},
		workload: v1alpha1.Workload{Kind: "Deployment", Namespace: "shop", Name: baseline},
		fork:     baseline + "-" + owner,
	}
}

func printed(objects []route) string {
	var out []byte
	for _, object := range objects {
		out = append(out, "---\n"...)
		out = yamlprint.AppendYAML(out, object.Manifest)
	}
	return string(out)
}

func messages(findings krm.Results) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("[%s] %s: %s", f.Severity, f.Field.Path, f.Message))
	}
	return out
}
