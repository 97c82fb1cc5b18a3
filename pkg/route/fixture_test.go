package route_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/manifest"
	"github.com/resource-plugins/krm-functions/pkg/route"
	"github.com/resource-plugins/krm-functions/pkg/sandbox"
)

var httpPort = []route.Port{{Name: "http", Number: 80, Target: 8080}}

// box returns a sandbox, from the spec as YAML in flow style.
func box(tb testing.TB, name, spec string, services ...route.Service) route.Sandbox {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := sandbox.Read(item)
	require.Empty(tb, problems)
	key, err := route.SandboxKey(document)
	require.NoError(tb, err)
	return route.Sandbox{Sandbox: document, Key: key, Services: services}
}

// groupOf returns a route group that matches by what the YAML says.
func groupOf(tb testing.TB, name, spec string) route.Group {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := sandbox.ReadRouteGroup(item)
	require.Empty(tb, problems)
	key, err := route.GroupKey(document)
	require.NoError(tb, err)
	return route.Group{RouteGroup: document, Key: key}
}

// forked is the fork of a Service in namespace shop, of the Deployment of the same name.
func forked(baseline, owner string) route.Service {
	return route.Service{
		Workload:  sandbox.Workload{Kind: "Deployment", Namespace: "shop", Name: baseline},
		Namespace: "shop", Baseline: baseline, Fork: baseline + "-" + owner, Ports: httpPort,
	}
}

func printed(objects []route.Object) string {
	var out []byte
	for _, object := range objects {
		out = append(out, "---\n"...)
		out = manifest.AppendYAML(out, object.Tree)
	}
	return string(out)
}

func messages(findings []route.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("[%s] %s: %s", f.Severity, f.At, f.Message))
	}
	return out
}
