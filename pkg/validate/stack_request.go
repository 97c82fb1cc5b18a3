package validate

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	packages "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	stackpackage "github.com/resource-plugins/krm-functions/stacks/pack"
)

var requestTarget = Rule{
	ID: "request-target", Severity: krm.Error,
	Summary: "A request for a stack names exactly one of package and crd.",
	Why:     "It would not say what to install. Crossplane 0.10 started a Job with an empty image for a crd.",
	Sources: []string{stacksDesign, stackTypes},
	Example: "spec.crd: redisclusters.cache.example.org/v1alpha1",
	checks: []check{stackRequestCheck(func(rule *Rule, r *stackRequest) {
		switch n := count(r.spec.Package != "", r.spec.CRD != ""); n {
		case 0:
			r.Report(rule, "spec", "must have package or crd")
		case 2:
			r.Report(rule, "spec", "must have package or crd, not both: remove one of them")
		}
	})},
}

var requestPackage = Rule{
	ID: "request-package", Severity: krm.Error,
	Summary: "A requested package is an image with a tag, a version range or a digest, or with none of them. A Provider, " +
		"Configuration or Function names the registry too.",
	Why:     "The image could not be pulled. Crossplane 2 has no default registry.",
	Sources: []string{stackTypes, packagesPage},
	Example: `spec.package: "acme/redis:"`,
	checks: []check{
		stackRequestCheck(func(rule *Rule, r *stackRequest) {
			if r.spec.Package != "" {
				_, err := stackpackage.ParseReference(r.spec.Package)
				r.mustErr(rule, "spec.package", err)
			}
		}),
		packageRequestCheck(func(rule *Rule, r *packageRequest) {
			if r.spec.Package == "" {
				return
			}
			reference, err := stackpackage.ParseReference(r.spec.Package)
			r.mustErr(rule, "spec.package", err)
			if err == nil && !reference.NamesRegistry() {
				r.Report(rule, "spec.package", "%q must begin with a registry, such as xpkg.crossplane.io/", r.spec.Package)
			}
		}),
	},
}

// mustErr reports an error that is words which begin with "must".
func (c *Document) mustErr(r *Rule, path krm.Path, err error) {
	if err != nil {
		c.Report(r, path, "%v", err)
	}
}

var requestSource = Rule{
	ID: "request-source", Severity: krm.Error,
	Summary: "The source of a request is a registry, perhaps with a path: no scheme, tag or digest.",
	Why:     "It is put before the name of the package.",
	Sources: []string{stackTypes},
	Example: "spec.source: https://registry.example.org",
	checks: []check{stackRequestCheck(func(rule *Rule, r *stackRequest) {
		source := strings.Trim(r.spec.Source, "/")
		if source == "" {
			return
		}
		if _, rest, hasScheme := strings.Cut(source, "://"); hasScheme {
			r.Propose(rule, "spec.source", rest, "must be a registry without a scheme, not %q", r.spec.Source)
			return
		}
		if reference, err := stackpackage.ParseReference(source + "/name"); err != nil || !reference.NamesRegistry() {
			r.Report(rule, "spec.source", "must be a registry such as registry.example.org, not %q", r.spec.Source)
		}
	})},
}

var requestCRD = Rule{
	ID: "request-crd", Severity: krm.Error,
	Summary: "A requested CRD is PLURAL.GROUP/VERSION.",
	Why:     "It is looked up among the CRDs of the known packages.",
	Sources: []string{stacksDesign},
	Example: "spec: {crd: RedisCluster}",
	checks: []check{stackRequestCheck(func(rule *Rule, r *stackRequest) {
		r.Must(rule, "spec.crd", "", checkCRDReference(r.spec.CRD))
	})},
}

var requestPolicy = Rule{
	ID: "request-policy", Severity: krm.Error,
	Summary: "A pull policy is Always, IfNotPresent or Never, and an activation policy Automatic or Manual.",
	Why:     "The cluster refuses the object.",
	Sources: []string{stackTypes, packagesPage, "https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy"},
	Example: "spec.imagePullPolicy: always",
	checks: []check{
		stackRequestCheck(func(rule *Rule, r *stackRequest) {
			r.OneOf(rule, "spec.imagePullPolicy", r.spec.ImagePullPolicy, pullPolicies...)
		}),
		packageRequestCheck(func(rule *Rule, r *packageRequest) {
			r.OneOf(rule, "spec.packagePullPolicy", r.spec.PackagePullPolicy, pullPolicies...)
			r.OneOf(rule, "spec.revisionActivationPolicy", r.spec.RevisionActivationPolicy, "Automatic", "Manual")
		}),
	},
}

var requestVersion = Rule{
	ID: "stack-api-version", Severity: krm.Warning,
	Summary: "Requests, records and metadata of Crossplane's stacks and packages have the apiVersion that is read here.",
	Why:     "With another apiVersion they are neither checked, nor resolved, nor rendered.",
	Sources: []string{stackTypes, packageSpec},
	Example: "apiVersion: stacks.crossplane.io/v1",
	checks:  []check{stackRequestCheck(func(*Rule, *stackRequest) {})},
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

// otherStackVersion reports a document of Crossplane whose apiVersion is not read.
func (c *Document) otherStackVersion() {
	group, _, _ := strings.Cut(c.item.APIVersion(), "/")
	for _, read := range readVersions {
		if group == read.group && slices.Contains(read.kinds, c.item.Kind()) && c.item.APIVersion() != read.apiVersion {
			c.Report(&requestVersion, "apiVersion", "must be %q to be read, not %q", read.apiVersion, c.item.APIVersion())
		}
	}
}

var pullPolicies = []string{"Always", "IfNotPresent", "Never"}
