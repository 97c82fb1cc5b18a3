package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const matchPath krm.Path = "spec.match"

// routeGroupName: RouteGroup spec, name.
var routeGroupName = Rule{
	ID: "route-group-name", Severity: krm.Error,
	Demand:  "A route group's name has letters, digits and inner dashes, starts with a letter, and has at most 30 bytes.",
	Why:     "The name identifies the route group and becomes part of host names.",
	Example: "metadata.name: all_features",
	routeGroup: func(c *routeGroupCheck) {
		if wrong := form.Identifier(c.Name); wrong != "" {
			c.report(namePath, "name %s", wrong)
		} else if c.Name == "" {
			c.report(namePath, "name must not be empty")
		}
	},
}

// duplicateRouteGroup: RouteGroup spec, name: unique amongst all route groups.
var duplicateRouteGroup = Rule{
	ID: "duplicate-route-group", Severity: krm.Error,
	Demand:  "A cluster has one route group of a name.",
	Why:     "The second document would replace the first.",
	Example: "metadata.name: features",
	routeGroups: func(c *acrossCheck) {
		type identity struct{ cluster, name string }
		first := make(map[identity]*routeGroupCheck, len(c.groups))
		for _, g := range c.groups {
			id := identity{g.Spec.Cluster, g.Name}
			if id.name == "" {
				continue
			}
			if other := first[id]; other == nil {
				first[id] = g
			} else if !sameOrigin(other.Item, g.Item) {
				c.report(&g.check, namePath, "route group %q is given twice: another%s is in cluster %q too; rename one of them",
					g.Name, origin(other.Item), g.Spec.Cluster)
			}
		}
	},
}

// routeGroupCluster: RouteGroup spec, spec.cluster.
var routeGroupCluster = Rule{
	ID: "route-group-cluster", Severity: krm.Error,
	Demand:  "The cluster of a route group, or of one of its endpoints, has at most 255 bytes.",
	Why:     "The server refuses a longer one.",
	Example: "spec.cluster: (a text of more than 255 bytes)",
	routeGroup: func(c *routeGroupCheck) {
		if wrong := checkLength(c.Spec.Cluster); wrong != "" {
			c.report("spec.cluster", "%s", wrong)
		}
		for i, endpoint := range c.Spec.Endpoints {
			if wrong := checkLength(endpoint.Cluster); wrong != "" {
				c.report(groupEndpointPath(i).Key("cluster"), "%s", wrong)
			}
		}
	},
}

// routeGroupDescription: RouteGroup spec, spec.description.
var routeGroupDescription = Rule{
	ID: "route-group-description", Severity: krm.Error,
	Demand:  "A route group's description has at most 255 bytes.",
	Why:     "The server refuses a longer one.",
	Example: "spec.description: (a text of more than 255 bytes)",
	routeGroup: func(c *routeGroupCheck) {
		if wrong := checkLength(c.Spec.Description); wrong != "" {
			c.report(descriptionPath, "%s", wrong)
		}
	},
}

// matchForm: RouteGroup spec, spec.match: exactly one of the three, recursively.
var matchForm = Rule{
	ID: "match-form", Severity: krm.Error,
	Demand:  "A match has exactly one of label, any and all, and so has each match within it.",
	Why:     "It would say nothing of the sandboxes that take part, or two things.",
	Example: "spec.match.all: [{label: {key: team, value: shop}}]",
	routeGroup: func(c *routeGroupCheck) {
		for at, match := range c.matches() {
			given := 0
			for _, one := range []bool{match.Label != nil, len(match.Any) > 0, len(match.All) > 0} {
				if one {
					given++
				}
			}
			if given != 1 {
				c.report(at, "must have exactly one of label, any and all, not %d of them", given)
			}
		}
	},
}

// matchLabel: RouteGroup spec, spec.match, and Sandbox spec, spec.labels, for what a sandbox's label can be.
var matchLabel = Rule{
	ID: "match-label", Severity: krm.Error,
	Demand:  "A match names a label that a sandbox can have: a key of at most 255 letters, digits, dashes and underscores.",
	Why:     "It would never match.",
	Example: `spec.match.any[0].label.key: "my label"`,
	routeGroup: func(c *routeGroupCheck) {
		for at, match := range c.matches() {
			if match.Label == nil || match.Label.Key == "" {
				continue
			}
			if wrong := checkLabelKey(match.Label.Key); wrong != "" {
				c.report(at.Key("label").Key("key"), "label key %s", wrong)
			}
		}
	},
}

func (c *routeGroupCheck) matches() func(yield func(krm.Path, *v1alpha1.RouteGroupMatch) bool) {
	return func(yield func(krm.Path, *v1alpha1.RouteGroupMatch) bool) {
		if c.Spec.Match != nil {
			document.Matches(c.Spec.Match, matchPath)(yield)
		}
	}
}
