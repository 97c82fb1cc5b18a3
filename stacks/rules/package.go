package rules

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/opencontainers/go-digest"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	packages "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

var unquotedString = rule{
	Rule: validate.Rule{
		ID: strictyaml.RuleUnquoted, Severity: krm.Warning,
		Summary: "A version is quoted if it reads as a number.",
		Why:     "YAML readers that keep the number print 0.30 as 0.3; Crossplane 0.10 refused it, and 0.5 did not.",
		Sources: []string{"https://yaml.org/spec/1.2.2/#1032-tag-resolution"},
		Example: "spec.version: 0.30",
		Kinds:   []string{recordKind},
	},
}

var packageScope = rule{
	Rule: validate.Rule{
		ID: "package-scope", Severity: krm.Error,
		Summary: "The permissionScope of a stack is Cluster or Namespaced.",
		Why:     "Crossplane 0.10 unpacks a stack only if it is that of the request: Cluster for a ClusterStackInstall.",
		Example: "spec.permissionScope: cluster",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		at := krm.Path("spec.permissionScope")
		if s.app.PermissionScope == "" && s.item.Kind() != stacks.KindExtension { // the design has none
			s.Report(r, at, "must be set to %q or %q", stacks.ScopeCluster, stacks.ScopeNamespaced)
		}
		s.OneOf(r, at, s.app.PermissionScope, stacks.ScopeCluster, stacks.ScopeNamespaced)
	},
}

var packageType = rule{
	Rule: validate.Rule{
		ID: "package-type", Severity: krm.Error,
		Summary: "The packageType of a stack is Provider, Stack, Application or Addon.",
		Why:     "The cluster refuses the record.",
		Example: "spec.packageType: provider",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		s.OneOf(r, "spec.packageType", s.app.PackageType, "Provider", "Stack", "Application", "Addon")
	},
}

var packageDependency = rule{
	Rule: validate.Rule{
		ID: "package-dependency", Severity: krm.Error,
		Summary: "A dependency of a stack names exactly one of crd and package. One of a package names an image with apiVersion " +
			"and kind, or one of provider, configuration and function.",
		Why:     "It could not be found.",
		Sources: []string{stackTypes, packageSpec},
		Example: `spec.dependsOn[0]: {crd: "RedisCluster"}`,
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for i, d := range s.app.DependsOn {
			at := krm.Path("spec.dependsOn").Index(i)
			if given(d.CRD, d.Package) != 1 {
				s.Report(r, at, "must have exactly one of crd and package")
				continue
			}
			s.Must(r, at.Key("crd"), "", checkDependencyCRD(d.CRD))
			if d.Package != "" {
				_, err := pack.ParseReference(d.Package)
				s.Must(r, at.Key("package"), "", wrong(err))
			}
		}
	},
	metadata: func(r *validate.Rule, m *packageMetadata) {
		for i, d := range m.spec.DependsOn {
			m.dependency(r, krm.Path("spec.dependsOn").Index(i), d)
		}
	},
}

func (m *packageMetadata) dependency(r *validate.Rule, at krm.Path, d packages.Dependency) {
	forms := []struct{ key, image string }{
		{"package", d.Package}, {"provider", d.Provider}, {"configuration", d.Configuration}, {"function", d.Function},
	}
	if given(d.Package, d.Provider, d.Configuration, d.Function) != 1 {
		m.Report(r, at, "must have exactly one of package, provider, configuration and function")
		return
	}
	if isTyped := d.APIVersion != "" && d.Kind != ""; isTyped != (d.Package != "") {
		m.Report(r, at, "must have apiVersion, kind and package together, or one of provider, configuration and function")
	}
	for _, form := range forms {
		if form.image == "" {
			continue
		}
		reference, err := pack.ParseReference(form.image)
		m.Must(r, at.Key(form.key), "", wrong(err))
		if err == nil && (reference.Selector != "" || reference.Digest != "") {
			m.Report(r, at.Key(form.key), "must be an image without tag and digest, not %q: the version has a key of its own",
				form.image)
		}
	}
}

var dependencyVersion = rule{
	Rule: validate.Rule{
		ID: "dependency-version", Severity: krm.Error,
		Summary: "The version of a dependency, and of Crossplane, is a version range; that of a dependency may be a digest.",
		Why:     "Crossplane refuses the package.",
		Sources: []string{packageSpec, "https://github.com/Masterminds/semver#checking-version-constraints"},
		Example: "spec.crossplane.version: newest",
	},
	metadata: func(r *validate.Rule, m *packageMetadata) {
		if c := m.spec.Crossplane; c != nil {
			m.Must(r, "spec.crossplane.version", "", checkRange(c.Version))
		}
		for i, d := range m.spec.DependsOn {
			if _, err := digest.Parse(d.Version); err != nil {
				m.Must(r, krm.Path("spec.dependsOn").Index(i).Key("version"), "", checkRange(d.Version))
			}
		}
	},
}

func checkRange(text string) string {
	if text == "" {
		return ""
	}
	if _, err := semver.NewConstraint(text); err != nil {
		return fmt.Sprintf("must be a version range such as `>=1.2 <2`, not %q", text)
	}
	return ""
}

var recordCRDs = rule{
	Rule: validate.Rule{
		ID: "record-crds", Severity: krm.Error,
		Summary: "A record lists its CRDs with apiVersion (GROUP/VERSION) and kind.",
		Why:     "The controller's permissions, and who owns a CRD, follow from the list.",
		Example: "spec.customresourcedefinitions[0]: {kind: RedisCluster, apiVersion: v1alpha1}",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for _, crd := range s.crds {
			if crd.group() == "" || crd.Kind == "" {
				s.Report(r, crd.path, "must have a kind and an apiVersion with group and version, not %q of %q",
					crd.Kind, crd.APIVersion)
			}
		}
	},
}

var controllerDeployment = rule{
	Rule: validate.Rule{
		ID: "controller-deployment", Severity: krm.Warning,
		Summary: "The controller of a stack is a DeploymentSpec with containers, and has no unknown keys.",
		Why:     "The cluster refuses the Deployment, or drops the keys. A later version of Kubernetes may know them.",
		Sources: []string{stackTypes, "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/"},
		Example: "spec.controller.deployment.spec: {replicas: 1}",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		at := krm.Path("spec.controller.deployment.spec")
		node, given := at.Find(s.item.YNode())
		if !given {
			return
		}
		var spec appsv1.DeploymentSpec
		_, problems := strictyaml.IntoObject(kyaml.NewRNode(node).Copy().YNode(), at, &spec)
		for _, p := range problems {
			s.Report(r, p.Path, "%s", p.Message)
		}
		if problems == nil && len(spec.Template.Spec.Containers) == 0 {
			s.Report(r, at, "must have template.spec.containers")
		}
	},
}

var packagePermission = rule{
	Rule: validate.Rule{
		ID: "package-permission", Severity: krm.Error,
		Summary: "A rule of a stack's permissions has verbs, and either API groups with resources or URLs.",
		Why:     "The cluster refuses the role.",
		Sources: []string{stackTypes, "https://kubernetes.io/docs/reference/access-authn-authz/rbac/"},
		Example: "spec.permissions.rules[0]: {apiGroups: [cache.example.org], resources: [redisclusters]}",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for i, p := range s.rules.Rules {
			at := krm.Path("spec.permissions.rules").Index(i)
			if len(p.Verbs) == 0 {
				s.Report(r, at, "must have verbs")
			}
			onResources := len(p.APIGroups) > 0 && len(p.Resources) > 0
			if onURLs := len(p.NonResourceURLs) > 0; onURLs == onResources {
				s.Report(r, at, "must have either apiGroups and resources or nonResourceURLs")
			}
		}
	},
}

var behaviorEngine = rule{
	Rule: validate.Rule{
		ID: "behavior-engine", Severity: krm.Error,
		Summary: "The engine of a template stack is helm2, helm3 or kustomize.",
		Why:     "No controller would react to its custom resources.",
		Example: "spec.behavior.engine.type: helm",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		s.OneOf(r, "spec.behavior.engine.type", s.behavior.Engine.Type, "helm2", "helm3", "kustomize")
	},
}

var behaviorSource = rule{
	Rule: validate.Rule{
		ID: "behavior-source", Severity: krm.Error,
		Summary: "The files of a template stack are in a folder of an image, not in its root.",
		Why:     "Crossplane 0.10 refuses to unpack the stack.",
		Sources: []string{"https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/stacks/steps.go"},
		Example: "spec.behavior.source.path: /",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		if s.item.Kind() != stacks.KindStackDefinition {
			return
		}
		switch p := s.behavior.Source.Path; path.Clean(p) {
		case "/", ".":
			s.Report(r, "spec.behavior.source.path", "must be a folder of the image, not %q", p)
		}
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

// checkDependencyCRD checks PLURAL.GROUP/VERSION or *.GROUP/VERSION, whose version may be missing.
func checkDependencyCRD(text string) string {
	if text != "" && !strings.Contains(text, "/") {
		text += "/v1"
		return strings.ReplaceAll(checkCRDReference(text), "/v1\"", "\"")
	}
	return checkCRDReference(text)
}
