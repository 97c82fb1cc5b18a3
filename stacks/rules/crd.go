package rules

import (
	"slices"
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

var recordContent = rule{
	Rule: validate.Rule{
		ID: "record-content", Severity: krm.Warning,
		Summary: "The CRDs that a record lists are those that are in the package.",
		Why:     "The controller gets permissions for the CRDs that the record lists, and what is in the package is installed.",
		Sources: []string{stackTypes},
		Example: "spec.customresourcedefinitions[0].kind: Redis",
		Kinds:   []string{recordKind},
	},
	list: func(r *validate.Rule, d *documents) {
		for _, s := range d.records {
			i := slices.IndexFunc(d.packages, func(p *pack.Package) bool { return p.Metadata == s.item })
			if i < 0 || len(d.packages[i].CRDs) == 0 {
				continue // the package itself is elsewhere
			}
			for _, listed := range s.crds {
				if listed.owned && listed.group() != "" && !slices.ContainsFunc(d.packages[i].CRDs, listed.is) {
					s.Report(r, listed.path, "kind %q of %q is not in the package", listed.Kind, listed.APIVersion)
				}
			}
		}
	},
}

// is reports whether a CRD is the one that is listed.
func (r recordCRD) is(crd pack.CRD) bool {
	return crd.Group == r.group() && crd.Kind == r.Kind
}

var dependencyProvider = rule{
	Rule: validate.Rule{
		ID: "dependency-provider", Severity: krm.Warning,
		Summary: "The CRDs that a stack depends on are in packages of the list, if the list has requests and no catalog.",
		Why:     "A request for the stack cannot be resolved. It may be meant for other packages than these, so it is a warning.",
		Sources: []string{stacksDesign},
		Example: `spec.dependsOn[0].crd: "*.other.example.org/v1"`,
		Kinds:   []string{recordKind},
	},
	list: func(r *validate.Rule, d *documents) {
		if d.hasCatalogs || len(d.stackRequests) == 0 {
			return // a package may be checked alone
		}
		for _, s := range d.records {
			for i, needed := range s.app.DependsOn {
				crd, err := pack.ParseCRD(needed.CRD)
				owns := func(p *pack.Package) bool { return p.Owns(crd) }
				if err == nil && !slices.ContainsFunc(d.packages, owns) {
					s.Report(r, krm.Path("spec.dependsOn").Index(i).Key("crd"),
						"no package of the list has the CRD %q: add the package that has it, or a Catalog", needed.CRD)
				}
			}
		}
	},
}

var duplicatePackage = rule{
	Rule: validate.Rule{
		ID: "duplicate-package", Severity: krm.Error,
		Summary: "A list has one package of a name and version.",
		Why:     "It would not be known which one is meant.",
		Sources: []string{},
		Example: "metadata.name: redis",
		Kinds:   []string{recordKind},
	},
	list: func(r *validate.Rule, d *documents) {
		first := map[[2]string]*pack.Package{}
		for _, p := range d.packages {
			id := [2]string{p.Name, p.Version}
			other, found := first[id]
			if !found {
				first[id] = p
			} else if c := d.of(p.Metadata); c != nil && !validate.SameOrigin(other.Metadata, p.Metadata) {
				c.Report(r, namePath, "package %q is given twice in version %q: another is%s; remove one of them",
					p.Name, p.Version, validate.Origin(other.Metadata))
			}
		}
	},
}

// of returns the record or metadata that an item is.
func (d *documents) of(item *krm.Item) *validate.Document {
	for _, s := range d.records {
		if s.item == item {
			return s.Document
		}
	}
	for _, m := range d.metadata {
		if m.item == item {
			return m.Document
		}
	}
	return nil
}
