package htmlreport

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// sandboxCard is a sandbox.
type sandboxCard struct {
	card
	Cluster, Description, ID, RoutingKey, TTL string
	// Absent means that it is to be torn down.
	Absent    bool
	Labels    []string
	Resources []resourceRow
	Forks     []forkRow
	Endpoints []endpointRow
	Others    []string
	// Objects is the number of objects to be applied; they are at ObjectsAnchor.
	Objects       int
	ObjectsAnchor string

	lower string
}

type resourceRow struct {
	Name, Plugin, PluginAnchor string
	// Requested is the reference from which Plugin was resolved, empty if it is the same.
	Requested, Digest string
	Params            []paramRow
}

// paramRow is a name with a value, which is empty if it is hidden.
type paramRow struct {
	Name, Value string
	IsHidden    bool
}

type forkRow struct {
	Name, Of, Namespace string
	Images              []string
	Env                 []paramRow
	Patch               string
}

type endpointRow struct{ Name, Target string }

// groupCard is a route group.
type groupCard struct {
	card
	Cluster, Description, RoutingKey string
	Match                            []string
	Endpoints                        []endpointRow
	Objects                          int
	ObjectsAnchor                    string
}

// requestCard is an install request of a package.
type requestCard struct {
	card
	Kind, Package string
	Objects       int
	ObjectsAnchor string
}

func (b *builder) sandboxes(plugins []pluginCard) (cards []sandboxCard) {
	anchors := map[string]string{}
	for _, p := range slices.Backward(plugins) {
		anchors[p.name] = p.Anchor
	}
	for _, item := range b.List.Of(contract.APIVersion, contract.Sandbox) {
		s, _ := document.ReadSandbox(item)
		one := sandboxCard{
			card: b.newCard("sandbox", s.Name, item), Cluster: report.Printable(s.Cluster()),
			Description: report.Printable(s.Spec.Description), lower: report.Printable(s.LowerName()),
		}
		one.Absent, _ = s.IsAbsent()
		if id, err := s.ID(); err == nil {
			one.ID = report.Printable(id)
		}
		if key, _, err := document.RoutingKey(item, s.Cluster()); err == nil {
			one.RoutingKey = report.Printable(key)
		}
		if s.Spec.TTL != nil {
			one.TTL = report.Printable(s.Spec.TTL.Duration)
		}
		for _, key := range slices.Sorted(maps.Keys(s.Spec.Labels)) {
			one.Labels = append(one.Labels, report.Printable(key+"="+s.Spec.Labels[key]))
		}
		record, _ := resolve.ReadRecord(item)
		for _, resource := range s.Spec.Resources {
			one.Resources = append(one.Resources, b.resource(resource, record[resource.Name], anchors[resource.Plugin]))
		}
		for _, fork := range s.Spec.Forks {
			one.Forks = append(one.Forks, b.fork(fork))
			for _, endpoint := range fork.Endpoints {
				one.Endpoints = append(one.Endpoints, endpointRow{
					report.Printable(endpoint.Name), report.Printable(workload(fork.ForkOf)),
				})
			}
		}
		for _, endpoint := range s.Spec.Endpoints {
			one.Endpoints = append(one.Endpoints, endpointRow{report.Printable(endpoint.Name), report.Printable(endpoint.Host)})
		}
		if group := s.Spec.DefaultRouteGroup; group != nil {
			for _, endpoint := range group.Endpoints {
				one.Endpoints = append(one.Endpoints, endpointRow{report.Printable(endpoint.Name), report.Printable(endpoint.Target)})
			}
		}
		one.Others = others(&s.Spec)
		cards = append(cards, one)
	}
	return cards
}

func (b *builder) resource(of v1alpha1.SandboxResource, resolved resolve.Resolution, anchor string) resourceRow {
	row := resourceRow{
		Name: report.Printable(of.Name), Plugin: report.Printable(of.Plugin), PluginAnchor: anchor,
		Digest: report.Printable(resolved.Digest),
	}
	if resolved.Requested != of.Plugin {
		row.Requested = report.Printable(resolved.Requested)
	}
	for _, name := range slices.Sorted(maps.Keys(of.Params)) {
		row.Params = append(row.Params, b.param(name, of.Params[name]))
	}
	return row
}

// param returns a name with its value, unless that is hidden.
func (b *builder) param(name, value string) paramRow {
	if !b.ShowValues {
		b.hidden = true
		return paramRow{Name: report.Printable(name), IsHidden: true}
	}
	return paramRow{Name: report.Printable(name), Value: report.Printable(value)}
}

func workload(w v1alpha1.Workload) string { return w.Kind + " " + w.Name }

func (b *builder) fork(of v1alpha1.Fork) forkRow {
	row := forkRow{
		Name: report.Printable(of.Name), Of: report.Printable(workload(of.ForkOf)),
		Namespace: report.Printable(of.ForkOf.Namespace),
	}
	if of.Customizations == nil {
		return row
	}
	for _, image := range of.Customizations.Images {
		text := image.Image
		if image.Container != "" {
			text = image.Container + ": " + image.Image
		}
		row.Images = append(row.Images, report.Printable(text))
	}
	for _, env := range of.Customizations.Env {
		row.Env = append(row.Env, b.env(env))
	}
	if patch := of.Customizations.Patch; patch != nil {
		row.Patch = report.Printable(cmp.Or(patch.Type, "without a type"))
	}
	return row
}

// env returns a variable with the source of its value.
func (b *builder) env(of v1alpha1.Env) paramRow {
	from := ""
	switch source := of.ValueFrom; {
	case of.Operation == "delete":
		from = "is deleted"
	case source == nil:
		return b.param(of.Name, of.Value)
	case source.Resource != nil:
		from = "output " + source.Resource.OutputKey + " of " + source.Resource.Name
	case source.Fork != nil:
		from = "of the fork of " + workload(source.Fork.ForkOf)
	case source.ConfigMap != nil:
		from = "key " + source.ConfigMap.Key + " of ConfigMap " + source.ConfigMap.Name
	case source.Secret != nil:
		from = "key " + source.Secret.Key + " of Secret " + source.Secret.Name
	}
	return paramRow{Name: report.Printable(of.Name), Value: report.Printable(from)}
}

// others lists the parts of a sandbox other than resources, forks and endpoints.
func others(spec *v1alpha1.SandboxSpec) (found []string) {
	for _, one := range spec.Local {
		found = append(found, "local workload "+one.Name+", in place of "+workload(one.From))
	}
	for _, one := range spec.Virtual {
		found = append(found, "virtual workload "+one.Name+", "+workload(one.Workload))
	}
	for _, one := range spec.Middleware {
		found = append(found, "middleware "+one.Name)
	}
	for i := range found {
		found[i] = report.Printable(found[i])
	}
	return found
}

func (b *builder) groups() (cards []groupCard) {
	for _, item := range b.List.Of(contract.APIVersion, contract.RouteGroup) {
		g, _ := document.ReadRouteGroup(item)
		one := groupCard{
			card: b.newCard("route-group", g.Name, item), Cluster: report.Printable(g.Spec.Cluster),
			Description: report.Printable(g.Spec.Description),
		}
		if key, _, err := document.RoutingKey(item, g.Spec.Cluster); err == nil {
			one.RoutingKey = report.Printable(key)
		}
		if g.Spec.Match != nil {
			one.Match = append(one.Match, report.Printable(match(g.Spec.Match)))
		}
		for _, endpoint := range g.Spec.Endpoints {
			one.Endpoints = append(one.Endpoints, endpointRow{report.Printable(endpoint.Name), report.Printable(endpoint.Target)})
		}
		cards = append(cards, one)
	}
	return cards
}

// match describes the sandboxes that a route group matches.
func match(m *v1alpha1.RouteGroupMatch) string {
	if m.Label != nil {
		return m.Label.Key + "=" + m.Label.Value
	}
	joint, list := " or ", m.Any
	if len(m.All) > 0 {
		joint, list = " and ", m.All
	}
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = match(&list[i])
	}
	if len(parts) > 1 {
		return "(" + strings.Join(parts, joint) + ")"
	}
	return strings.Join(parts, joint)
}

func (b *builder) requests() (cards []requestCard) {
	for _, item := range b.List.Items() {
		if b.IsRequest == nil || !b.IsRequest(item) {
			continue
		}
		one := requestCard{card: b.newCard("package", item.Name(), item), Kind: report.Printable(item.Kind())}
		if node, found := krm.Path("spec.package").Find(item.YNode()); found {
			one.Package = report.Printable(node.Value)
		}
		cards = append(cards, one)
	}
	return cards
}
