package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

var httpPort = []sandbox.RoutedPort{{Name: "http", Number: 80, Target: 8080}}

// box returns a sandbox, from the spec as YAML in flow style.
func box(tb testing.TB, name, spec string, services ...sandbox.RoutedService) sandbox.RoutedSandbox {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := document.ReadSandbox(item)
	require.Empty(tb, problems)
	key, err := sandbox.SandboxKey(document)
	require.NoError(tb, err)
	return sandbox.RoutedSandbox{Sandbox: document, Key: key, Services: services}
}

// groupOf returns a route group that matches by what the YAML says.
func groupOf(tb testing.TB, name, spec string) sandbox.RoutedGroup {
	tb.Helper()
	item, err := krm.NewItem(fmt.Appendf(nil, "metadata: {name: %q}\nspec: %s\n", name, spec))
	require.NoError(tb, err)
	document, problems := document.ReadRouteGroup(item)
	require.Empty(tb, problems)
	key, err := sandbox.GroupKey(document)
	require.NoError(tb, err)
	return sandbox.RoutedGroup{RouteGroup: document, Key: key}
}

// forked is the fork of a Service in namespace shop, of the Deployment of the same name.
func forked(baseline, owner string) sandbox.RoutedService {
	return sandbox.RoutedService{
		Workload:  v1alpha1.Workload{Kind: "Deployment", Namespace: "shop", Name: baseline},
		Namespace: "shop", Baseline: baseline, Fork: baseline + "-" + owner, Ports: httpPort,
	}
}

func printed(objects []sandbox.RouteObject) string {
	var out []byte
	for _, object := range objects {
		out = append(out, "---\n"...)
		out = manifest.AppendYAML(out, object.Tree)
	}
	return string(out)
}

func messages(findings []sandbox.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("[%s] %s: %s", f.Severity, f.At, f.Message))
	}
	return out
}
