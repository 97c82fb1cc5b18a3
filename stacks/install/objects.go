package install

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// objects renders the unpacked objects of a package. The CRDs and the record are already in the list: they are applied as
// they are, since kustomize refuses a second object of the same kind and name. The others are added.
func (r *renderer) objects(i *installation, objects []*unstructured.Unstructured) {
	for _, member := range i.chosen.Content.Members {
		if isCRD(member) {
			r.promoted = append(r.promoted, promotion{item: member, of: i.of})
		}
	}
	for _, object := range objects {
		if object.GetKind() == crd {
			continue
		}
		if isStack(object.GetAPIVersion()) {
			if r.options.Record {
				r.promoted = append(r.promoted, promotion{item: i.chosen.Content.Metadata, of: i.of, isRecord: true})
			}
			continue
		}
		annotations := merged(object.GetAnnotations(), map[string]string{contract.PackageKey: i.chosen.Image()})
		if object.GetKind() == "Deployment" {
			r.secure(i, object)
			maps.Copy(annotations, unsubstituted(r.options.Delivery))
		}
		object.SetAnnotations(annotations)
		r.put(i.of, v1alpha1.PhaseCreate, false, object)
	}
}

// secure makes the controller comply with the Pod Security Standard of the options, and reports settings of the package
// that the API server would refuse.
func (r *renderer) secure(i *installation, deployment *unstructured.Unstructured) {
	template, _, _ := unstructured.NestedMap(deployment.Object, "spec", "template")
	var typed corev1.PodTemplateSpec
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(template, &typed); err != nil {
		r.refuse(i.of.item, fieldOf(i.of),
			fmt.Sprintf("package %q must have a valid Pod template: %s", i.chosen.Image(), firstLine(err)))
		return
	}
	forbidden := r.options.Restrict(&typed)
	for _, what := range forbidden {
		r.refuse(i.of.item, fieldOf(i.of), fmt.Sprintf("the controller of package %q %s", i.chosen.Image(), what))
	}
	restricted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&typed.Spec)
	if err == nil {
		pod := template["spec"].(map[string]any)
		takeContext(pod, restricted)
		for _, field := range []string{"initContainers", "containers"} {
			own, _ := pod[field].([]any)
			for n, container := range own {
				takeContext(container.(map[string]any), restricted[field].([]any)[n].(map[string]any))
			}
		}
		err = unstructured.SetNestedMap(deployment.Object, template, "spec", "template")
	}
	if err != nil {
		r.refuse(i.of.item, fieldOf(i.of), firstLine(err))
	}
}

// takeContext sets the fields of a securityContext that another one has.
func takeContext(of, from map[string]any) {
	fields, _ := from["securityContext"].(map[string]any)
	if len(fields) == 0 {
		return
	}
	own, _ := of["securityContext"].(map[string]any)
	of["securityContext"] = merge(own, fields)
}

func merge(a, b map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// promotion is a document of a package that is applied as it is, for a request.
type promotion struct {
	item     *krm.Item
	of       *request
	isRecord bool
}

// promoter changes documents of packages in the list.
type promoter struct {
	options *render.Options
	list    *krm.ResourceList
}

func (r *renderer) promoter() promoter { return promoter{r.options, r.list} }

// deliveryKeys are the annotations that promote sets for delivery tools.
var deliveryKeys = []string{
	"argocd.argoproj.io/sync-wave", "argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/substitute",
}

// unsubstituted returns annotations that keep Flux from replacing `${NAME}` in text of packages.
func unsubstituted(delivery string) map[string]string {
	if delivery != "flux" {
		return nil
	}
	return map[string]string{deliveryKeys[2]: "disabled"}
}

// delivered returns the annotations of a promoted document. With Argo CD, the CRDs come first, and the record is not
// compared before its CRD exists.
func (p promoter) delivered(isRecord bool) map[string]string {
	if p.options.Delivery != "argocd" {
		return unsubstituted(p.options.Delivery)
	}
	if isRecord {
		return map[string]string{deliveryKeys[0]: "-1", deliveryKeys[1]: "SkipDryRunOnMissingResource=true"}
	}
	return map[string]string{deliveryKeys[0]: "-2"}
}

// promote marks documents of packages to be applied, and withdraws the others that an earlier run of the same name
// promoted.
func (p promoter) promote(packages []*pack.Package, promoted []promotion) {
	wanted := map[*krm.Item]bool{}
	for _, one := range promoted {
		wanted[one.item] = true
		p.apply(one)
	}
	for _, one := range packages {
		for _, item := range append([]*krm.Item{one.Metadata}, one.Members...) {
			if by, _ := item.Annotation(contract.AppliedByKey); by == p.options.Name && !wanted[item] {
				p.withdraw(item)
			}
		}
	}
}

func (p promoter) apply(one promotion) {
	if p.options.IsTemplate() {
		if text, err := one.item.Bytes(); err == nil && strings.Contains(string(text), "{{") {
			p.list.Report(krm.At(one.item, "", krm.Error, `must not hold "{{", which Helm takes for an action: put the document `+
				"into the chart's folder crds/, or use install: job"))
		}
	}
	one.item.Unannotate(contract.LocalConfigKey)
	annotations := merged(p.delivered(one.isRecord), map[string]string{
		contract.InstallKey: one.of.Name, contract.PhaseKey: string(v1alpha1.PhaseCreate), contract.AppliedByKey: p.options.Name,
	})
	if by, _ := one.item.Annotation(contract.AppliedByKey); by == p.options.Name {
		for _, key := range deliveryKeys { // of another tool
			if annotations[key] == "" {
				one.item.Unannotate(key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		one.item.Annotate(key, annotations[key])
	}
	_ = one.item.Edit(func(object *kyaml.RNode) error {
		if one.isRecord {
			if err := object.SetNamespace(one.of.namespace); err != nil {
				return err
			}
		}
		own := object.GetLabels()
		for key, value := range labels(one.of) {
			if key != contract.ManagedByKey || own[key] == "" {
				own[key] = value
			}
		}
		return object.SetLabels(own)
	})
}

// withdraw undoes apply.
func (p promoter) withdraw(item *krm.Item) {
	item.Annotate(contract.LocalConfigKey, "true")
	for _, key := range append([]string{contract.InstallKey, contract.PhaseKey, contract.AppliedByKey}, deliveryKeys...) {
		item.Unannotate(key)
	}
	_ = item.Edit(func(object *kyaml.RNode) error {
		own := object.GetLabels()
		maps.DeleteFunc(own, func(key, value string) bool {
			return key == contract.InstallKey || strings.HasPrefix(key, parentPrefix) ||
				key == contract.ManagedByKey && value == contract.ManagedBy
		})
		if isStack(item.APIVersion()) {
			if _, err := object.Pipe(kyaml.Lookup("metadata"), kyaml.Clear("namespace")); err != nil {
				return err
			}
		}
		if len(own) == 0 {
			_, err := object.Pipe(kyaml.Lookup("metadata"), kyaml.Clear("labels"))
			return err
		}
		return object.SetLabels(own)
	})
	p.list.Report(krm.At(item, "", krm.Info, "not applied any more: no request asks for its package"))
}

// reportInstallation reports warnings for the user who applies the rendered objects.
func (r *renderer) reportInstallation(i *installation, objects []*unstructured.Unstructured) {
	warn := func(format string, args ...any) {
		r.list.Report(krm.At(i.of.item, fieldOf(i.of), krm.Warning, fmt.Sprintf(format, args...)))
	}
	r.reportPin(i.of.item, fieldOf(i.of), i.chosen)
	for _, object := range objects {
		switch object.GetKind() {
		case "Role", "ClusterRole":
			if groups := wildcards(object); len(groups) > 0 {
				warn("package %q gets permissions on all resources of API group %s: no package that it needs has CRDs of the group, so "+
					"they cannot be named", i.chosen.Image(), strings.Join(groups, ", "))
			}
		case crd:
			if object.GetAPIVersion() == "apiextensions.k8s.io/v1beta1" {
				warn("CustomResourceDefinition %q must be of apiextensions.k8s.io/v1 for a cluster of Kubernetes 1.22 and higher, "+
					"which does not serve v1beta1", object.GetName())
			}
		}
	}
}

// wildcards are the API groups of which a role has all resources, quoted.
func wildcards(role *unstructured.Unstructured) (groups []string) {
	var typed rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(role.Object, &typed); err != nil {
		return nil
	}
	for i := range typed.Rules {
		if slices.Contains(typed.Rules[i].Resources, "*") {
			for _, group := range typed.Rules[i].APIGroups {
				groups = append(groups, strconv.Quote(group))
			}
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
