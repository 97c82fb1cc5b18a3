package rules

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

const namePath krm.Path = "metadata.name"

// packageCRD is a CRD of a package that is checked.
type packageCRD struct {
	checked
	owner *pack.Package
	crd   crdFields
}

// crdFields are the fields of a CRD, of v1 and of v1beta1, that rules look at.
type crdFields struct {
	Metadata struct {
		Name string `yaml:"name"`
	} `yaml:"metadata"`
	Spec struct {
		Group string `yaml:"group"`
		Names struct {
			Kind   string `yaml:"kind"`
			Plural string `yaml:"plural"`
		} `yaml:"names"`
		Scope    string `yaml:"scope"`
		Version  string `yaml:"version"` // v1beta1
		Versions []struct {
			Name    string `yaml:"name"`
			Served  bool   `yaml:"served"`
			Storage bool   `yaml:"storage"`
		} `yaml:"versions"`
	} `yaml:"spec"`
}

// addCRDs selects the CRDs of the packages.
func (d *documents) addCRDs() {
	for _, p := range d.packages {
		for _, item := range p.Members {
			if item.Kind() == crdKind && strings.HasPrefix(item.APIVersion(), "apiextensions.k8s.io/") {
				d.crds = append(d.crds, &packageCRD{checked: checked{validate.NewDocument(item), item}, owner: p})
			}
		}
	}
}

func (c *packageCRD) check() {
	if err := c.item.YNode().Decode(&c.crd); err != nil {
		c.Report(&crdForm.Rule, "spec", "must be the spec of a CRD: %s", strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	apply(c, func(r *rule) func(*validate.Rule, *packageCRD) { return r.crd })
}

var crdForm = rule{
	Rule: validate.Rule{
		ID: "crd-form", Severity: krm.Error,
		Summary: "A CRD of a package has a group, a kind and a plural, is named PLURAL.GROUP, and stores one of its versions.",
		Why:     "The cluster refuses the CRD.",
		Example: "spec.group: ''",
	},
	crd: func(r *validate.Rule, c *packageCRD) {
		spec := c.crd.Spec
		for _, field := range []struct {
			path  krm.Path
			value string
		}{{"spec.group", spec.Group}, {"spec.names.kind", spec.Names.Kind}, {"spec.names.plural", spec.Names.Plural}} {
			if field.value == "" {
				c.Report(r, field.path, "must be set")
				return
			}
		}
		if name := spec.Names.Plural + "." + spec.Group; c.crd.Metadata.Name != name {
			c.Propose(r, namePath, name, "must be %q (plural and group), not %q", name, c.crd.Metadata.Name)
		}
		stored := 0
		for _, v := range spec.Versions {
			if v.Storage {
				stored++
			}
		}
		switch isOld := strings.HasSuffix(c.item.APIVersion(), "/v1beta1"); {
		case len(spec.Versions) == 0 && (!isOld || spec.Version == ""):
			c.Report(r, "spec.versions", "must have a version")
		case len(spec.Versions) > 0 && stored != 1:
			c.Report(r, "spec.versions", "must have one version with storage: true, not %d", stored)
		}
	},
}

var crdScope = rule{
	Rule: validate.Rule{
		ID: "crd-scope", Severity: krm.Error,
		Summary: "The CRDs of a stack whose permissionScope is Namespaced are namespaced too.",
		Why:     "Crossplane 0.10 refuses to unpack the stack: its controller must not act in the whole cluster.",
		Sources: []string{stacksDesign},
		Example: "spec.scope: Cluster",
	},
	crd: func(r *validate.Rule, c *packageCRD) {
		if c.owner.Scope == stacks.ScopeNamespaced && c.crd.Spec.Scope == stacks.ScopeCluster {
			c.Propose(r, "spec.scope", stacks.ScopeNamespaced, "must be %q, as the stack %q is, not %q",
				stacks.ScopeNamespaced, c.owner.Metadata.Name(), c.crd.Spec.Scope)
		}
	},
}

var crdOwner = rule{
	Rule: validate.Rule{
		ID: "crd-owner", Severity: krm.Error,
		Summary: "A CRD is in one package.",
		Why:     "Two controllers would act on the same custom resources, and to remove one package would remove those of both.",
		Sources: []string{"https://github.com/crossplane/crossplane/issues/1052"},
		Example: "metadata.annotations: {resourceplugins.dev/package-of: cache}",
		Kinds:   []string{crdKind},
	},
	list: func(r *validate.Rule, d *documents) {
		owners := map[string]*packageCRD{}
		for _, c := range d.crds {
			name := c.crd.Metadata.Name
			other, found := owners[name]
			if !found {
				owners[name] = c
			} else if other.owner.Name != c.owner.Name {
				c.Report(r, namePath, "CRD %q is in the package %q too%s: remove it from one of them, or one of the packages",
					name, other.owner.Name, validate.Origin(other.item))
			}
		}
	},
}
