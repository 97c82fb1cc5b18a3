package undo

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// access is the rights of the account of the CronJob for a sandbox: a Role in each namespace, of the name of the ConfigMap.
type access struct {
	*teardown

	name  string
	rules map[string][]rbacv1.PolicyRule
}

// newAccess returns the rights that a plan needs.
func newAccess(e *expiring, plan *expiry.Plan) *access {
	a := absentAccess(e.teardown)
	names := map[string]map[string][]string{} // by namespace and kind
	for _, item := range e.objects {
		if isLate(item) {
			if names[item.Namespace()] == nil {
				names[item.Namespace()] = map[string][]string{}
			}
			names[item.Namespace()][item.Kind()] = append(names[item.Namespace()][item.Kind()], item.Name())
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(names)) {
		a.allow(namespace, "batch", "jobs", names[namespace]["Job"], "create", "delete", "patch")
		a.allow(namespace, "policy", "poddisruptionbudgets", names[namespace][kindBudget], "create", "patch")
	}
	a.rules[e.namespace] = append(a.rules[e.namespace], rule("batch", "jobs", nil, "deletecollection"))
	removed := map[string]map[expiry.Kind][]string{}
	for _, object := range plan.Remove {
		if removed[object.Namespace] == nil {
			removed[object.Namespace] = map[expiry.Kind][]string{}
		}
		removed[object.Namespace][object.Kind] = append(removed[object.Namespace][object.Kind], object.Name)
	}
	for _, object := range plan.Remove { // in their order
		if all := removed[object.Namespace][object.Kind]; len(all) > 0 {
			a.allow(object.Namespace, object.Group, object.Resource, all, "delete")
			delete(removed[object.Namespace], object.Kind)
		}
	}
	for _, namespace := range plan.Forks {
		for _, kind := range expiry.ForkKinds() {
			a.rules[namespace] = append(a.rules[namespace], rule(kind.Group, kind.Resource, nil, "deletecollection"))
		}
	}
	for _, namespace := range a.others() {
		a.allowRole(namespace)
	}
	return a
}

// absentAccess returns the rights to remove the ConfigMap, and the rights themselves.
func absentAccess(t *teardown) *access {
	a := &access{teardown: t, name: t.metadata("").Name, rules: map[string][]rbacv1.PolicyRule{}}
	a.allow(t.namespace, "", "configmaps", []string{a.name}, "delete", "patch")
	a.allowRole(t.namespace)
	return a
}

// allowRole lets the account delete its rights in a namespace: to patch an owner is no escalation.
func (a *access) allowRole(namespace string) {
	a.allow(namespace, rbacv1.GroupName, "rolebindings", []string{a.name}, "delete", "patch")
	a.allow(namespace, rbacv1.GroupName, "roles", []string{a.name}, "delete", "patch")
}

func (a *access) allow(namespace, group, resource string, names []string, verbs ...string) {
	if len(names) > 0 {
		a.rules[namespace] = append(a.rules[namespace], rule(group, resource, names, verbs...))
	}
}

// seal adds the name of the plan.
func (a *access) seal(name string) {
	a.allow(a.namespace, contract.Group, expiry.Resource, []string{name}, expiry.Verb)
}

func rule(group, resource string, names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, ResourceNames: names, Resources: []string{resource}, Verbs: verbs}
}

// others returns the namespaces of Roles beside that of the ConfigMap, sorted.
func (a *access) others() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(a.rules)), func(namespace string) bool { return namespace == a.namespace })
}

// addRights adds the Roles with their bindings, behind the ConfigMap: with kubectl and Helm, no Role comes before it.
func (r *run) addRights(a *access) {
	apiVersion := rbacv1.SchemeGroupVersion.String()
	index := 0
	for _, namespace := range append([]string{a.namespace}, a.others()...) {
		metadata := a.metadata(r.owner)
		metadata.Namespace = namespace
		maps.Copy(metadata.Annotations, r.options.Delivered("Secret", false, 0))
		for _, object := range []render.Manifest{
			&rbacv1.Role{
				TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "Role"}, ObjectMeta: metadata, Rules: a.rules[namespace],
			},
			&rbacv1.RoleBinding{
				TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "RoleBinding"}, ObjectMeta: metadata,
				RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.name},
				Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: r.account(a.namespace), Namespace: a.namespace}},
			},
		} {
			r.put(a.item, a.teardown.name, "expiry", index, object)
			index++
		}
	}
	r.clocks[a.namespace] = true
}

// addOneAbsent adds the ConfigMap and the rights of an absent sandbox.
func (r *run) addOneAbsent(t *teardown) {
	metadata := t.metadata(r.owner)
	metadata.Annotations[contract.StateKey] = contract.Absent
	r.put(t.item, t.name, "teardown", 0, &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metadata,
	})
	a := absentAccess(t)
	a.seal(expiry.SealedAbsent(a.name))
	r.addRights(a)
}

// account returns the name of the CronJob of a namespace, and of its ServiceAccount. Renders of other names have others.
func (r *run) account(namespace string) string {
	return contract.ObjectName(contract.Hash("expiry", r.options.Name, namespace), "expiry")
}

// addCronJobs adds a CronJob and its ServiceAccount to each namespace with sandboxes that expire.
func (r *run) addCronJobs() {
	for _, namespace := range slices.Sorted(maps.Keys(r.clocks)) {
		name := r.account(namespace)
		metadata := metav1.ObjectMeta{
			Name: name, Namespace: namespace, Labels: map[string]string{contract.ManagedByKey: contract.ManagedBy},
			Annotations: map[string]string{contract.RenderedByKey: r.owner},
		}
		maps.Copy(metadata.Annotations, r.options.Delivered("Secret", false, 0))
		for index, object := range []render.Manifest{
			&corev1.ServiceAccount{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: rbacv1.ServiceAccountKind},
				ObjectMeta: metadata, AutomountServiceAccountToken: new(false),
			},
			r.cronJob(metadata),
		} {
			change, err := r.own.Put(object, "rendered/"+namespace+"-"+name+".yaml", index)
			if err != nil {
				r.list.Report(krm.NewResult(krm.Error, err.Error()))
				continue
			}
			r.changes = append(r.changes, change)
		}
	}
}

// cronJob returns the CronJob, which runs each minute: the shortest ttl is a minute. A run that hangs is ended, and the
// next one continues.
func (r *run) cronJob(metadata metav1.ObjectMeta) *cronJob {
	const seconds = 300
	container := render.HelperContainer(corev1.Container{
		Name: expiry.Helper, Image: r.options.HelperImage, Command: []string{contract.HelperBinary, expiry.Helper},
		Env: []corev1.EnvVar{render.NamespaceVariable()},
	})
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: metadata.Labels},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, ServiceAccountName: metadata.Name},
	}
	for _, secret := range r.options.ImagePullSecrets {
		template.Spec.ImagePullSecrets = append(template.Spec.ImagePullSecrets, corev1.LocalObjectReference{Name: secret})
	}
	render.AddToken(&template.Spec, &container)
	template.Spec.Containers = []corev1.Container{container}
	template = *r.options.WithDefaults(&template)
	r.options.Restrict(&template) // HelperContainer meets the rest of the standard
	return &cronJob{
		TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "CronJob"}, ObjectMeta: metadata,
		Spec: batchv1.CronJobSpec{
			Schedule: "* * * * *", ConcurrencyPolicy: batchv1.ForbidConcurrent, StartingDeadlineSeconds: new(int64(seconds)),
			SuccessfulJobsHistoryLimit: new(int32(1)), FailedJobsHistoryLimit: new(int32(1)),
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
				ActiveDeadlineSeconds: new(int64(seconds)), BackoffLimit: new(int32(0)), Template: template,
			}},
		},
	}
}

// cronJob is the type of the API without a status, which would be printed though it is not set.
type cronJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec batchv1.CronJobSpec `json:"spec"`
}
