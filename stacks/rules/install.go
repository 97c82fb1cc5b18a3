package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	packages "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

var requestTarget = rule{
	Rule: validate.Rule{
		ID: "request-target", Severity: krm.Error,
		Summary: "A request for a stack names exactly one of package and crd.",
		Why:     "It would not name a package to install. Crossplane 0.10 started a Job with an empty image for a crd.",
		Sources: []string{stacksDesign, stackTypes},
		Example: "spec.crd: redisclusters.cache.example.org/v1alpha1",
	},
	install: func(r *validate.Rule, d *stackRequest) {
		switch n := given(d.spec.Package, d.spec.CRD); n {
		case 0:
			d.Report(r, "spec", "must have package or crd")
		case 2:
			d.Report(r, "spec", "must have package or crd, not both: remove one of them")
		}
	},
}

var requestPackage = rule{
	Rule: validate.Rule{
		ID: "request-package", Severity: krm.Error,
		Summary: "A requested package is an image with a tag, a version range or a digest, or with none of them. A Provider, " +
			"Configuration or Function names the registry too.",
		Why:     "The image could not be pulled. Crossplane 2 has no default registry.",
		Sources: []string{stackTypes, packagesPage},
		Example: `spec.package: "acme/redis:"`,
	},
	install: func(r *validate.Rule, d *stackRequest) {
		if d.spec.Package != "" {
			_, err := pack.ParseReference(d.spec.Package)
			d.Must(r, "spec.package", "", wrong(err))
		}
	},
	request: func(r *validate.Rule, d *packageRequest) {
		if d.spec.Package == "" {
			return
		}
		reference, err := pack.ParseReference(d.spec.Package)
		d.Must(r, "spec.package", "", wrong(err))
		if err == nil && !reference.NamesRegistry() {
			d.Report(r, "spec.package", "%q must begin with a registry, such as xpkg.crossplane.io/", d.spec.Package)
		}
	},
}

var requestSource = rule{
	Rule: validate.Rule{
		ID: "request-source", Severity: krm.Error,
		Summary: "The source of a request is a registry, perhaps with a path: no scheme, tag or digest.",
		Why:     "It is put before the name of the package.",
		Sources: []string{stackTypes},
		Example: "spec.source: https://registry.example.org",
	},
	install: func(r *validate.Rule, d *stackRequest) {
		source := strings.Trim(d.spec.Source, "/")
		if source == "" {
			return
		}
		if _, rest, hasScheme := strings.Cut(source, "://"); hasScheme {
			d.Propose(r, "spec.source", rest, "must be a registry without a scheme, not %q", d.spec.Source)
			return
		}
		if reference, err := pack.ParseReference(source + "/name"); err != nil || !reference.NamesRegistry() {
			d.Report(r, "spec.source", "must be a registry such as registry.example.org, not %q", d.spec.Source)
		}
	},
}

var requestCRD = rule{
	Rule: validate.Rule{
		ID: "request-crd", Severity: krm.Error,
		Summary: "A requested CRD is PLURAL.GROUP/VERSION.",
		Why:     "It is looked up among the CRDs of the known packages.",
		Sources: []string{stacksDesign},
		Example: "spec: {crd: RedisCluster}",
	},
	install: func(r *validate.Rule, d *stackRequest) {
		d.Must(r, "spec.crd", "", checkCRDReference(d.spec.CRD))
	},
}

// crdVersion is a version of an API, as in v1alpha1.
var crdVersion = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// checkCRDReference checks PLURAL.GROUP/VERSION.
func checkCRDReference(text string) string {
	if text == "" {
		return ""
	}
	name, version, hasVersion := strings.Cut(text, "/")
	plural, group, hasGroup := strings.Cut(name, ".")
	if !hasVersion || !hasGroup || !crdVersion.MatchString(version) ||
		len(validation.IsDNS1035Label(plural)) > 0 && plural != "*" || len(validation.IsDNS1123Subdomain(group)) > 0 {
		return fmt.Sprintf("must be PLURAL.GROUP/VERSION, such as redisclusters.cache.example.org/v1alpha1, not %q", text)
	}
	return ""
}

var requestPolicy = rule{
	Rule: validate.Rule{
		ID: "request-policy", Severity: krm.Error,
		Summary: "A pull policy is Always, IfNotPresent or Never, and an activation policy Automatic or Manual.",
		Why:     "The cluster refuses the object.",
		Sources: []string{stackTypes, packagesPage, "https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy"},
		Example: "spec.imagePullPolicy: always",
	},
	install: func(r *validate.Rule, d *stackRequest) {
		d.OneOf(r, "spec.imagePullPolicy", d.spec.ImagePullPolicy, pullPolicies...)
	},
	request: func(r *validate.Rule, d *packageRequest) {
		d.OneOf(r, "spec.packagePullPolicy", d.spec.PackagePullPolicy, pullPolicies...)
		d.OneOf(r, "spec.revisionActivationPolicy", d.spec.RevisionActivationPolicy, "Automatic", "Manual")
	},
}

var pullPolicies = []string{"Always", "IfNotPresent", "Never"}

var requestVersion = rule{
	Rule: validate.Rule{
		ID: "stack-api-version", Severity: krm.Warning,
		Summary: "Requests, records and metadata of Crossplane's stacks and packages have the apiVersion that is read here.",
		Why:     "With another apiVersion they are neither checked, nor resolved, nor rendered.",
		Sources: []string{stackTypes, packageSpec},
		Example: "apiVersion: stacks.crossplane.io/v1",
		Kinds:   []string{installKind},
	},
}

// readVersions are the apiVersions that are read, by group and kind.
var readVersions = []struct {
	group, apiVersion string
	kinds             []string
}{
	{stacks.GroupName, stacks.APIVersion, slices.Concat(stackRequestKinds, recordKinds)},
	{stacks.ExtensionsGroup, stacks.ExtensionsAPIVersion, slices.Concat(stackRequestKinds, recordKinds)},
	{packages.GroupName, packages.APIVersion, packageKinds},
	{packages.MetaGroupName, packages.MetaAPIVersion, packageKinds},
}

// otherVersions returns the documents of Crossplane whose apiVersion is not read.
func otherVersions(list *krm.ResourceList) (all []*validate.Document) {
	for _, item := range list.Items() {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		for _, read := range readVersions {
			if group == read.group && slices.Contains(read.kinds, item.Kind()) && item.APIVersion() != read.apiVersion {
				d := validate.NewDocument(item)
				d.Report(&requestVersion.Rule, "apiVersion", "must be %q to be read, not %q", read.apiVersion, item.APIVersion())
				all = append(all, d)
			}
		}
	}
	return all
}
