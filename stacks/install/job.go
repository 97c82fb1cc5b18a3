package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

const (
	installJob     = render.InstallJob
	installObjects = render.InstallObjects
)

// stacks renders the requests for stacks: the installations, dependencies first, then the removals.
func (r *renderer) stacks() {
	for _, i := range r.installations() {
		r.summary.Packages++
		r.needImages(i)
		settings := r.settings(i)
		objects, err := pack.Install(i.unpacked(), settings, i.of.namespace)
		if err != nil {
			r.refuse(i.of.item, fieldOf(i.of), fmt.Sprintf("package %q cannot be rendered: %s; run validate-plugin for all findings",
				i.chosen.Image(), firstLine(err)))
			continue
		}
		if !r.checkRights(i) {
			continue
		}
		r.reportInstallation(i, objects)
		if r.options.Install == installObjects {
			r.objects(i, objects)
			continue
		}
		names, err := i.installed(objects)
		if err != nil {
			r.refuse(i.of.item, fieldOf(i.of), fmt.Sprintf("package %q cannot be rendered: %s; run validate-plugin for all findings",
				i.chosen.Image(), firstLine(err)))
			continue
		}
		r.reportRights(i, objects)
		r.job(i, settings, names)
	}
	r.removals()
}

// installations returns the packages to install, dependencies first. A package is installed for each request that asks for
// it; without such a request, for the first one that needs it.
func (r *renderer) installations() (all []*installation) {
	asked := map[*dependency.Chosen]bool{}
	for _, of := range r.requests {
		if isInstalled, _, _ := r.phases(of); isInstalled {
			asked[of.closure[len(of.closure)-1]] = true
		}
	}
	depends := map[*dependency.Chosen]bool{}
	for _, of := range r.requests {
		if isInstalled, _, _ := r.phases(of); !isInstalled {
			continue
		}
		for at, chosen := range of.closure {
			isOwn := at == len(of.closure)-1
			if isOwn || !asked[chosen] && !depends[chosen] {
				depends[chosen] = true
				all = append(all, r.install(of, chosen))
			}
		}
	}
	return r.withoutRepetition(sorted(all))
}

// sorted puts the installations of a package after those of the packages that it needs, regardless of the order of the
// requests.
func sorted(all []*installation) (ordered []*installation) {
	done := map[*dependency.Chosen]bool{}
	var visit func(chosen *dependency.Chosen)
	visit = func(chosen *dependency.Chosen) {
		if done[chosen] {
			return
		}
		done[chosen] = true
		for _, dependency := range chosen.DependsOn {
			visit(dependency)
		}
		for _, i := range all {
			if i.chosen == chosen {
				ordered = append(ordered, i)
			}
		}
	}
	for _, i := range all {
		visit(i.chosen)
	}
	return ordered
}

// withoutRepetition reports requests for a package that another request already installs: a package that is applied as it is
// can be installed only once, and two installations in one namespace would manage the same objects.
func (r *renderer) withoutRepetition(all []*installation) (kept []*installation) {
	for _, i := range all {
		at := slices.IndexFunc(kept, func(other *installation) bool {
			return other.chosen == i.chosen && (r.options.Install == installObjects || other.scope == "Cluster" ||
				other.of.namespace == i.of.namespace)
		})
		if at < 0 {
			kept = append(kept, i)
			continue
		}
		r.refuse(i.of.item, fieldOf(i.of), fmt.Sprintf("package %q must not be installed twice, by %s and %s: remove one of them",
			i.chosen.Name, nameOf(kept[at].of), nameOf(i.of)))
	}
	return kept
}

func nameOf(of *request) string { return fmt.Sprintf("%s %q", of.Kind, of.namespace+"/"+of.Name) }

// crd is the kind of CRDs.
const crd = "CustomResourceDefinition"

// plurals are the resources of the kinds that a Job applies.
var plurals = map[string]string{
	crd: "customresourcedefinitions", "ServiceAccount": "serviceaccounts", "Deployment": "deployments",
	"Role": "roles", "RoleBinding": "rolebindings", "ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings",
	"Stack": "stacks", "StackDefinition": "stackdefinitions", "Extension": "extensions",
}

// installed names objects for the manager.
func installed(objects []*unstructured.Unstructured) (names []unpacking.Object) {
	for _, object := range objects {
		names = append(names, unpacking.Object{
			Key:          unpacking.Key{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Name: object.GetName()},
			Resource:     plurals[object.GetKind()],
			IsNamespaced: object.GetNamespace() != "", IsOptional: isStack(object.GetAPIVersion()),
		})
	}
	return names
}

// installed names the objects of the package for the manager, with the digests of its unpacked CRDs and record.
func (i *installation) installed(objects []*unstructured.Unstructured) ([]unpacking.Object, error) {
	names := installed(objects)
	u := i.unpacked()
	for n := range names {
		var err error
		switch {
		case names[n].Kind == crd:
			names[n].Digest, err = registry.ObjectDigest(u.CRDs[n]) // they are the first
		case names[n].IsOptional:
			names[n].Digest, err = registry.ObjectDigest(u.Record)
		}
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// job adds the Job that installs a package, with its permissions.
func (r *renderer) job(i *installation, settings *unpacking.Settings, objects []unpacking.Object) {
	name := contract.ObjectName(contract.Hash("unpack", i.of.namespace, i.record), i.record, "unpack")
	template := r.template(i.of, name)
	pod := &template.Spec
	volume := corev1.VolumeMount{Name: unpacking.Volume, MountPath: unpacking.VolumeMount}
	pod.Volumes = append(pod.Volumes, corev1.Volume{
		Name: unpacking.Volume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
			SizeLimit: new(resource.MustParse("512Mi")),
		}},
	})
	packageImage, _ := imageref.Mirrored(r.options.Mirror, settings.Image)
	pod.InitContainers = []corev1.Container{
		render.HelperContainer(corev1.Container{
			Name: "copy-unpacker", Image: r.options.UnpackerImage, VolumeMounts: []corev1.VolumeMount{volume},
			Command: []string{unpacking.Binary, unpacking.CopySelf, unpacking.VolumeMount},
		}),
		readingContainer(corev1.Container{
			Name: "stack-unpack", Image: packageImage, VolumeMounts: []corev1.VolumeMount{volume},
			ImagePullPolicy: corev1.PullPolicy(i.of.Spec.ImagePullPolicy),
			Command:         []string{unpacking.Copied, unpacking.Unpack, unpacking.Folder, unpacking.ObjectsFile},
			Env: []corev1.EnvVar{
				render.Variable(unpacking.SettingsVariable, encoded(settings)), render.NamespaceVariable(),
			},
		}),
	}
	volume.ReadOnly = true
	applied := &unpacking.Installation{Name: i.record, Requires: i.requires(), Objects: objects}
	r.manager(template, "stack-apply", unpacking.Apply, applied, volume)
	access := grant(applied.Objects, "create", "patch")
	access.watch(applied.Requires)
	phase := v1alpha1.PhaseCreate
	r.access(i.of, phase, false, name, i.chosen.Image(), access)
	r.addJob(i.of, phase, false, name, i.chosen.Image(), template)
}

// template is the Pod of a Job, without containers.
func (r *renderer) template(of *request, account string) *corev1.PodTemplateSpec {
	secrets := pullSecrets(of.Spec.ImagePullSecrets)
	for _, name := range r.options.ImagePullSecrets {
		secrets = append(secrets, corev1.LocalObjectReference{Name: name})
	}
	return &corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels(of)},
		Spec: corev1.PodSpec{
			ActiveDeadlineSeconds: new(r.podDeadline()),
			ImagePullSecrets:      secrets,
			RestartPolicy:         corev1.RestartPolicyNever,
			ServiceAccountName:    account,
		},
	}
}

// podDeadline is the time limit of a Pod, in seconds.
func (r *renderer) podDeadline() int64 {
	return int64(r.options.StepTimeoutSeconds) + int64(r.options.StartTimeoutSeconds)
}

// encoded is the input of a program.
func encoded(input any) string {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // cannot happen: JSON can represent these types
	}
	return string(text)
}

// manager adds the container that works on the cluster. It is the only one with a token.
func (r *renderer) manager(
	template *corev1.PodTemplateSpec, name, command string, input *unpacking.Installation, mounts ...corev1.VolumeMount,
) {
	container := readingContainer(corev1.Container{
		Name: name, Image: r.options.HelperImage, Command: []string{contract.HelperBinary, command}, VolumeMounts: mounts,
		Env: []corev1.EnvVar{render.Variable(unpacking.InstallationVariable, encoded(input)), render.NamespaceVariable()},
	})
	render.AddToken(&template.Spec, &container)
	template.Spec.Containers = append(template.Spec.Containers, container)
}

// readingContainer is a helper that reads a package: its files may have 128 MiB, and its trees take about ten times the
// memory of the documents.
func readingContainer(container corev1.Container) corev1.Container {
	container = render.HelperContainer(container)
	container.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("512Mi")
	container.Resources.Requests[corev1.ResourceMemory] = resource.MustParse("64Mi")
	return container
}

// addJob adds a Job. Its name ends in a hash of its spec, which is immutable.
func (r *renderer) addJob(
	of *request, phase v1alpha1.Phase, isHeld bool, account, image string, template *corev1.PodTemplateSpec,
) {
	spec := r.options.JobSpec(r.options.WithDefaults(template), r.options.JobDeadline(r.podDeadline(), 1))
	text := yamlprint.AppendJSON(nil, spec)
	last := account[strings.LastIndexByte(account, '-')+1:]
	name := contract.ObjectName(contract.Hash("Job", of.namespace, string(text)), strings.TrimSuffix(account, "-"+last))
	r.put(of, phase, isHeld, &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: of.namespace, Labels: labels(of), Annotations: map[string]string{contract.PackageKey: image},
		},
		Spec: *spec,
	})
}
