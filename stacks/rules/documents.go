package rules

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	packages "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// checked is a document that is checked.
type checked struct {
	*validate.Document
	item *krm.Item
}

// stackRequest is an ExtensionRequest, StackInstall or ClusterStackInstall that is checked.
type stackRequest struct {
	checked
	spec stacks.InstallSpec
}

// packageRequest is a Provider, Configuration or Function of pkg.crossplane.io that is checked.
type packageRequest struct {
	checked
	spec packages.RuntimePackageSpec
}

// stackRecord is an Extension, Stack or StackDefinition that is checked.
type stackRecord struct {
	checked
	app      *stacks.AppMetadata
	rules    *stacks.PermissionsSpec
	behavior stacks.Behavior // of a StackDefinition
	crds     []recordCRD
}

// recordCRD is a CRD that a record lists.
type recordCRD struct {
	stacks.TypeMeta
	path  krm.Path
	owned bool
}

// packageMetadata is a Provider, Configuration or Function of meta.pkg.crossplane.io that is checked.
type packageMetadata struct {
	checked
	spec *packages.MetaSpec
}

// group returns the API group, empty if the apiVersion has no version behind it.
func (r recordCRD) group() string {
	if group, version, _ := strings.Cut(r.APIVersion, "/"); version != "" {
		return group
	}
	return ""
}

// documents are the documents of Crossplane's stacks and packages that are checked.
type documents struct {
	stackRequests   []*stackRequest
	packageRequests []*packageRequest
	records         []*stackRecord
	metadata        []*packageMetadata
	crds            []*packageCRD
	packages        []*pack.Package

	hasCatalogs bool // of the list: they may list other packages
}

// The kinds of these documents.
var (
	stackRequestKinds = []string{stacks.KindExtensionRequest, stacks.KindStackInstall, stacks.KindClusterStackInstall}
	recordKinds       = []string{stacks.KindExtension, stacks.KindStack, stacks.KindStackDefinition}
	packageKinds      = []string{packages.KindProvider, packages.KindConfiguration, packages.KindFunction}
)

// newDocuments selects the documents of a list.
func newDocuments(list *krm.ResourceList) (*documents, error) {
	d := &documents{hasCatalogs: len(list.Of(contract.APIVersion, contract.Catalog)) > 0}
	for _, group := range []struct {
		apiVersion string
		kinds      []string
		add        func(*krm.Item)
	}{
		{stacks.APIVersion, stackRequestKinds, d.addRequest}, {stacks.ExtensionsAPIVersion, stackRequestKinds, d.addRequest},
		{stacks.APIVersion, recordKinds, d.addRecord}, {stacks.ExtensionsAPIVersion, recordKinds, d.addRecord},
		{packages.APIVersion, packageKinds, func(item *krm.Item) {
			d.packageRequests = append(d.packageRequests, &packageRequest{checked: checked{item: item}})
		}},
		{packages.MetaAPIVersion, packageKinds, func(item *krm.Item) {
			d.metadata = append(d.metadata, &packageMetadata{checked: checked{item: item}})
		}},
	} {
		items, err := list.Select(group.apiVersion, group.kinds...)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			group.add(item)
		}
	}
	if len(d.records)+len(d.metadata) > 0 {
		d.packages = pack.Find(list)
		d.addCRDs()
	}
	return d, nil
}

func (d *documents) addRequest(item *krm.Item) {
	d.stackRequests = append(d.stackRequests, &stackRequest{checked: checked{item: item}})
}

func (d *documents) addRecord(item *krm.Item) {
	d.records = append(d.records, &stackRecord{checked: checked{item: item}})
}

// check checks the documents of a list.
func check(list *krm.ResourceList) (validate.Checked, error) {
	d, err := newDocuments(list)
	if err != nil {
		return validate.Checked{}, err
	}
	krm.Each(len(d.stackRequests), func(i int) { d.stackRequests[i].check() })
	krm.Each(len(d.packageRequests), func(i int) { d.packageRequests[i].check() })
	krm.Each(len(d.records), func(i int) { d.records[i].check() })
	krm.Each(len(d.metadata), func(i int) { d.metadata[i].check() })
	krm.Each(len(d.crds), func(i int) { d.crds[i].check() })
	apply(d, func(r *rule) func(*validate.Rule, *documents) { return r.list })
	return validate.Checked{
		Documents: slices.Concat(otherVersions(list), d.all()),
		Counts: []validate.Count{
			{N: len(d.stackRequests) + len(d.packageRequests), Noun: "package request"},
			{N: len(d.records) + len(d.metadata), Noun: "package"},
		},
	}, nil
}

// read decodes the spec of the document into target, a pointer to a struct. A spec that is null is an empty one.
func (c *checked) read(target any) { c.Document = validate.DecodeNullable(c.item, target) }

func (r *stackRequest) check() {
	r.read(&r.spec)
	apply(r, func(r *rule) func(*validate.Rule, *stackRequest) { return r.install })
}

func (r *packageRequest) check() {
	if r.item.Kind() == packages.KindConfiguration {
		r.read(&r.spec.PackageSpec) // it has no program that runs
	} else {
		r.read(&r.spec)
	}
	apply(r, func(r *rule) func(*validate.Rule, *packageRequest) { return r.request })
}

func (s *stackRecord) check() {
	switch s.item.Kind() {
	case stacks.KindExtension:
		var spec stacks.ExtensionSpec
		s.read(&spec)
		s.app, s.rules = &spec.AppMetadata, &spec.Permissions
		s.list("spec.customresourcedefinitions.owns", true, spec.CRDs.Owns)
		s.list("spec.customresourcedefinitions.dependsOn", false, spec.CRDs.DependsOn)
	case stacks.KindStackDefinition:
		var spec stacks.StackDefinitionSpec
		s.read(&spec)
		s.app, s.rules, s.behavior = &spec.AppMetadata, &spec.Permissions, spec.Behavior
		s.list("spec.customresourcedefinitions", true, spec.CRDs)
	default:
		var spec stacks.StackSpec
		s.read(&spec)
		s.app, s.rules = &spec.AppMetadata, &spec.Permissions
		s.list("spec.customresourcedefinitions", true, spec.CRDs)
	}
	apply(s, func(r *rule) func(*validate.Rule, *stackRecord) { return r.record })
}

func (s *stackRecord) list(at krm.Path, owned bool, crds []stacks.TypeMeta) {
	for i, crd := range crds {
		s.crds = append(s.crds, recordCRD{crd, at.Index(i), owned})
	}
}

func (m *packageMetadata) check() {
	switch m.item.Kind() {
	case packages.KindProvider:
		var spec packages.ProviderMetaSpec
		m.read(&spec)
		m.spec = &spec.MetaSpec
	case packages.KindFunction:
		var spec packages.FunctionMetaSpec
		m.read(&spec)
		m.spec = &spec.MetaSpec
	default:
		m.spec = &packages.MetaSpec{}
		m.read(m.spec)
	}
	apply(m, func(r *rule) func(*validate.Rule, *packageMetadata) { return r.metadata })
}

// all returns all documents, by kind.
func (d *documents) all() []*validate.Document {
	all := make([]*validate.Document, 0, len(d.stackRequests)+len(d.packageRequests)+len(d.records)+len(d.metadata)+len(d.crds))
	for _, r := range d.stackRequests {
		all = append(all, r.Document)
	}
	for _, r := range d.packageRequests {
		all = append(all, r.Document)
	}
	for _, s := range d.records {
		all = append(all, s.Document)
	}
	for _, m := range d.metadata {
		all = append(all, m.Document)
	}
	for _, c := range d.crds {
		all = append(all, c.Document)
	}
	return all
}
