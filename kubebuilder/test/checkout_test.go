package kubebuilder

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// docs/howto/kubebuilder.md works from a checkout, whose release no proxy has: go.mod names the checkout before kubebuilder
// compiles the project. TestScaffoldBehindGo does the same with a release.
func TestScaffoldBehindGo_fromCheckout(t *testing.T) {
	t.Parallel()
	kubebuilder := realKubebuilder(checkout.Tool(t, "kubebuilder"))
	s := newShell(t, "GOWORK=off", "GOFLAGS=-mod=mod")
	s.needModule("sigs.k8s.io/controller-tools", controllerTools["kubebuilder"])
	kubebuilder(s, "init", "--plugins", "go/v4,"+plugin.Key, "--domain", "example.org", "--repo", "example.org/operator")
	s.run("go", "mod", "edit", "-replace", scaffold.Module+"="+checkout.Root())
	kubebuilder(s, "create api", append(append([]string{}, createAPI...), "--resource", "--controller")...)
	s.check(1)
	s.run("go", "vet", "./...")
	assert.Contains(t, s.run("go", "test", "./plugins"), "ok")
	s.run("go", "mod", "edit", "-dropreplace", scaffold.Module)
	assert.NotContains(t, s.files()["go.mod"], "replace")
}
