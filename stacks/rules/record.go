package rules

import (
	"path"

	appsv1 "k8s.io/api/apps/v1"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
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
		if s.app.PermissionScope == "" && s.item.Kind() != stacks.KindExtension { // the design has no scope
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
