package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// Options say what Render renders.
type Options struct {
	// RenderSandbox are the fields of the function's config: see DefaultOptions.
	v1alpha1.RenderSandbox

	// Name is the name of the function config. It is on what is rendered, in the annotation resourceplugins.dev/rendered-by,
	// and only what has it is replaced and removed later.
	Name string
	// WithoutPaths means that the list is to be piped into kubectl, and not kept in a package: what is rendered gets no path,
	// and the baseline is removed from the list unless RenderSandbox.Baseline is set.
	WithoutPaths bool
}

// DefaultOptions are those of the function: one replica a fork, and no routes.
func DefaultOptions() Options {
	return Options{
		Name:          "render-sandbox",
		RenderSandbox: v1alpha1.RenderSandbox{Replicas: 1, Routing: none, Headers: DefaultHeaders()},
	}
}

// Validate returns everything that is wrong with the options.
func (o Options) Validate() (all []*render.OptionError) {
	wrong := func(option krm.Path, format string, args ...any) {
		all = append(all, &render.OptionError{Option: option, Message: fmt.Sprintf(format, args...)})
	}
	if o.Replicas < 0 {
		wrong("replicas", "must be at least 0, not %d", o.Replicas)
	}
	if !slices.Contains(modes, o.Routing) {
		wrong("routing", "must be none, gateway-api or istio, not %q", o.Routing)
	}
	for i, header := range o.Headers {
		if !slices.Contains(Headers(), header) {
			wrong(krm.Path("headers").Index(i), "must be one of %s, not %q", strings.Join(Headers(), ", "), header)
		}
	}
	o.checkGateway(wrong)
	return all
}

func join(wrong []*render.OptionError) error {
	all := make([]error, len(wrong))
	for i := range wrong {
		all[i] = wrong[i]
	}
	return errors.Join(all...)
}

// checkGateway checks where endpoints are published.
func (o *Options) checkGateway(wrong func(option krm.Path, format string, args ...any)) {
	namespace, name, _ := strings.Cut(o.Gateway, "/")
	switch {
	case o.Gateway == "" && o.GatewayDomain != "":
		wrong("gateway", "must be set if gatewayDomain is: NAMESPACE/NAME of the Gateway that serves the domain")
	case o.Gateway != "" && o.GatewayDomain == "":
		wrong("gatewayDomain", "must be set if gateway is: the domain that the host names of endpoints end in")
	case o.Gateway != "" && o.Routing == none:
		wrong("gateway", "must not be set with routing none: nothing would be published")
	case o.Gateway != "" && (namespace == "" || name == "" || strings.Contains(name, "/")):
		wrong("gateway", "must be NAMESPACE/NAME, not %q", o.Gateway)
	}
	if o.GatewayScheme != "" && o.GatewayScheme != "http" && o.GatewayScheme != "https" {
		wrong("gatewayScheme", "must be http or https, not %q", o.GatewayScheme)
	}
}

func (o *Options) routing(cluster string) routeOptions {
	options := routeOptions{mode: o.Routing, renderedBy: o.Name, headers: o.Headers, cluster: cluster}
	if namespace, name, ok := strings.Cut(o.Gateway, "/"); ok {
		options.gateway = &gateway{namespace: namespace, name: name, domain: o.GatewayDomain, scheme: o.GatewayScheme}
	}
	return options
}
