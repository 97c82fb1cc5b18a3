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

// box returns a sandbox, from the spec as YAML in flow style.
func box(tb testing.TB, name, spec string, services ...routedService) *input {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := document.ReadSandbox(item)
	require.Empty(tb, problems)
	key, err := sandboxKey(document)
	require.NoError(tb, err)
	return &input{Sandbox: document, key: key, services: services}
}

// groupOf returns a route group that matches by what the YAML says.
func groupOf(tb testing.TB, name, spec string) routedGroup {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := document.ReadRouteGroup(item)
	require.Empty(tb, problems)
	key, err := groupKey(document)
	require.NoError(tb, err)
	return routedGroup{RouteGroup: document, key: key}
}

// forked is the fork of a Service in namespace shop, of the Deployment of the same name.
func forked(baseline, owner string) routedService {
	return routedService{
		workload:  v1alpha1.Workload{Kind: "Deployment", Namespace: "shop", Name: baseline},
		namespace: "shop", baseline: baseline, fork: baseline + "-" + owner, ports: httpPort,
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
