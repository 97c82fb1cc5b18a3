package sandbox

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Options are the options of Render.
type Options struct {
	// RenderSandbox are the fields of the function's config: see DefaultOptions.
	v1alpha1.RenderSandbox

	// Name is the name of the function config. Rendered objects have it in the annotation
	// resourceplugins.dev/rendered-by, and only objects with this name are replaced and removed later.
	Name string
	// WithoutPaths means that rendered objects get no path, since they are piped into kubectl and not kept in a
	// package.
	WithoutPaths bool
	// RefuseEmpty makes it an error, and no warning, if no sandbox is of the cluster.
	RefuseEmpty bool
}

// DefaultOptions returns the defaults of the function: one replica per fork, and no routes.
func DefaultOptions() Options {
	return Options{
		Name:          "render-sandbox",
		RenderSandbox: v1alpha1.RenderSandbox{Replicas: 1, Routing: none, Headers: DefaultHeaders()},
	}
}

// Validate returns all invalid options.
func (o *Options) Validate() (invalid krm.OptionErrors) {
	if o.Replicas < 0 {
		invalid.Add("replicas", "must be at least 0, not %d", o.Replicas)
	}
	if !slices.Contains(modes, o.Routing) {
		invalid.Add("routing", "must be none, gateway-api or istio, not %q", o.Routing)
	}
	for i, header := range o.Headers {
		if !slices.Contains(Headers(), header) {
			invalid.Add(krm.Path("headers").Index(i), "must be one of %s, not %q", strings.Join(Headers(), ", "), header)
		}
	}
	if problem := document.CheckLabel(o.Namespace); problem != "" {
		invalid.Add("namespace", "%s", problem)
	}
	o.checkGateway(&invalid)
	return invalid
}

// checkGateway checks the options for publishing endpoints.
func (o *Options) checkGateway(invalid *krm.OptionErrors) {
	namespace, name, _ := strings.Cut(o.Gateway, "/")
	switch {
	case o.Gateway == "" && o.GatewayDomain != "":
		invalid.Add("gateway", "must be set if gatewayDomain is: NAMESPACE/NAME of the Gateway that serves the domain")
	case o.Gateway != "" && o.GatewayDomain == "":
		invalid.Add("gatewayDomain", "must be set if gateway is: the parent domain of the endpoints' host names")
	case o.Gateway != "" && o.Routing == none:
		invalid.Add("gateway", "must not be set with routing none: nothing would be published")
	case o.Gateway != "" && !isReference(namespace, name):
		invalid.Add("gateway", "must be NAMESPACE/NAME, two valid names, not %q", o.Gateway)
	}
	if problem := document.CheckSubdomain(o.GatewayDomain); problem != "" {
		invalid.Add("gatewayDomain", "%s", problem)
	}
	if o.GatewayScheme != "" && o.GatewayScheme != "http" && o.GatewayScheme != "https" {
		invalid.Add("gatewayScheme", "must be http or https, not %q", o.GatewayScheme)
	}
}

// isReference reports whether the texts are valid as the namespace and the name of an object.
func isReference(namespace, name string) bool {
	return namespace != "" && document.CheckLabel(namespace) == "" && name != "" && document.CheckSubdomain(name) == ""
}
