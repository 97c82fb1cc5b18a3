package function

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// config is what a user can choose.
type sandboxConfig struct{ v1alpha1.RenderSandbox }

// check reports every value that cannot be used.
func (c *sandboxConfig) check(call cli.Call) bool {
	ok := true
	wrong := func(key krm.Path, format string, args ...any) {
		call.ConfigError(key, fmt.Sprintf(format, args...))
		ok = false
	}
	if c.Replicas < 0 {
		wrong("replicas", "must be at least 0, not %d", c.Replicas)
	}
	if !slices.Contains(sandbox.Modes, sandbox.Mode(c.Routing)) {
		wrong("routing", "must be none, gateway-api or istio, not %q", c.Routing)
	}
	for i, header := range c.Headers {
		if !slices.Contains(sandbox.Headers(), header) {
			wrong(krm.Path("headers").Index(i), "must be one of %s, not %q", strings.Join(sandbox.Headers(), ", "), header)
		}
	}
	c.checkGateway(wrong)
	return ok
}

// checkGateway checks where endpoints are published.
func (c *sandboxConfig) checkGateway(wrong func(key krm.Path, format string, args ...any)) {
	namespace, name, _ := strings.Cut(c.Gateway, "/")
	switch {
	case c.Gateway == "" && c.GatewayDomain != "":
		wrong("gateway", "must be set where gatewayDomain is: NAMESPACE/NAME of the Gateway that serves the domain")
	case c.Gateway != "" && c.GatewayDomain == "":
		wrong("gatewayDomain", "must be set where gateway is: the domain that the host names of endpoints end in")
	case c.Gateway != "" && c.Routing == string(sandbox.None):
		wrong("gateway", "must not be set with routing none: nothing would be published")
	case c.Gateway != "" && (namespace == "" || name == "" || strings.Contains(name, "/")):
		wrong("gateway", "must be NAMESPACE/NAME, not %q", c.Gateway)
	}
	if c.GatewayScheme != "" && c.GatewayScheme != "http" && c.GatewayScheme != "https" {
		wrong("gatewayScheme", "must be http or https, not %q", c.GatewayScheme)
	}
}

func (c *sandboxConfig) options(renderedBy string) sandbox.RouteOptions {
	options := sandbox.RouteOptions{Mode: sandbox.Mode(c.Routing), RenderedBy: renderedBy, Headers: c.Headers}
	if namespace, name, ok := strings.Cut(c.Gateway, "/"); ok {
		options.Gateway = &sandbox.Gateway{Namespace: namespace, Name: name, Domain: c.GatewayDomain, Scheme: c.GatewayScheme}
	}
	return options
}
