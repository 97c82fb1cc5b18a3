package orchestrator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
)

// manifests are the objects of a rendered stream, decoded as strictly as in the API server.
type manifests struct {
	names map[object]bool
	pods  []pod
	roles []rbacv1.Role
	binds []rbacv1.RoleBinding

	routes []route
}

// route has the references to Services of an HTTPRoute.
type route struct {
	Metadata struct{ Namespace string }
	Spec     struct {
		ParentRefs []reference
		Rules      []struct{ BackendRefs []reference }
	}
}

// reference is a reference to a Service, by default in the namespace of the route.
type reference struct{ Namespace, Name string }

func (r *route) services(visit func(namespace, name string)) {
	references := r.Spec.ParentRefs
	for _, rule := range r.Spec.Rules {
		references = slices.Concat(references, rule.BackendRefs)
	}
	for _, to := range references {
		visit(cmp.Or(to.Namespace, r.Metadata.Namespace), to.Name)
	}
}

// object identifies an object.
type object struct{ kind, namespace, name string }

// pod is a Pod or the template of a Job's Pod.
type pod struct {
	namespace   string
	annotations map[string]string
	spec        corev1.PodSpec
}

// readManifests decodes a stream of YAML documents. Kinds that are never rendered are an error.
func readManifests(stream []byte) (*manifests, error) {
	m := &manifests{names: map[object]bool{}}
	for decoder := yaml.NewDecoder(bytes.NewReader(stream)); ; {
		var document yaml.Node
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return nil, err
		}
		text, err := yaml.Marshal(&document)
		if err != nil {
			return nil, err
		}
		if err := m.add(text); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
	}
}

func (m *manifests) add(text []byte) error {
	var head metav1.PartialObjectMetadata
	if err := k8syaml.Unmarshal(text, &head); err != nil {
		return err
	}
	id := object{head.Kind, head.Namespace, head.Name}
	if m.names[id] {
		return fmt.Errorf("%v is a duplicate", id)
	}
	m.names[id] = true
	switch head.Kind {
	case "Job":
		var job batchv1.Job
		err := k8syaml.UnmarshalStrict(text, &job)
		m.pods = append(m.pods, pod{job.Namespace, job.Spec.Template.Annotations, job.Spec.Template.Spec})
		return err
	case "Pod":
		var single corev1.Pod
		err := k8syaml.UnmarshalStrict(text, &single)
		m.pods = append(m.pods, pod{single.Namespace, single.Annotations, single.Spec})
		return err
	case argo.Kind:
		return m.addWorkflow(text)
	case tekton.Kind:
		return m.addPipelineRun(text)
	case "Deployment":
		var deployment appsv1.Deployment
		err := k8syaml.UnmarshalStrict(text, &deployment)
		m.pods = append(m.pods, pod{deployment.Namespace, deployment.Spec.Template.Annotations, deployment.Spec.Template.Spec})
		return err
	case "Service":
		return k8syaml.UnmarshalStrict(text, &corev1.Service{})
	case "HTTPRoute":
		m.routes = append(m.routes, route{})
		return k8syaml.Unmarshal(text, &m.routes[len(m.routes)-1])
	case "Role":
		m.roles = append(m.roles, rbacv1.Role{})
		return k8syaml.UnmarshalStrict(text, &m.roles[len(m.roles)-1])
	case "RoleBinding":
		m.binds = append(m.binds, rbacv1.RoleBinding{})
		return k8syaml.UnmarshalStrict(text, &m.binds[len(m.binds)-1])
	case "ConfigMap":
		return k8syaml.UnmarshalStrict(text, &corev1.ConfigMap{})
	case "Secret":
		return k8syaml.UnmarshalStrict(text, &corev1.Secret{})
	case "ServiceAccount":
		return k8syaml.UnmarshalStrict(text, &corev1.ServiceAccount{})
	default:
		return fmt.Errorf("unexpected kind %q", head.Kind)
	}
}

// addWorkflow adds the Pods of the templates, including their patches.
func (m *manifests) addWorkflow(text []byte) error {
	var workflow argo.Workflow
	if err := k8syaml.UnmarshalStrict(text, &workflow); err != nil {
		return err
	}
	for i := range workflow.Spec.Templates {
		t := &workflow.Spec.Templates[i]
		if t.DAG != nil {
			continue
		}
		var patch corev1.PodSpec
		if err := k8syaml.Unmarshal([]byte(t.PodSpecPatch), &patch); err != nil {
			return err
		}
		containers := slices.Concat(t.Sidecars, patch.Containers)
		if t.Container != nil {
			containers = append(containers, *t.Container)
		} else {
			containers = append(containers, t.ContainerSet.Containers...)
		}
		m.pods = append(m.pods, pod{workflow.Namespace, t.Metadata.Annotations, corev1.PodSpec{
			Containers: containers, InitContainers: append(t.InitContainers, patch.InitContainers...),
			ServiceAccountName: t.ServiceAccountName, Volumes: t.Volumes,
		}})
		m.pods = append(m.pods, pod{namespace: workflow.Namespace, spec: corev1.PodSpec{ServiceAccountName: t.Executor.ServiceAccountName}})
	}
	return nil
}

func (m *manifests) addPipelineRun(text []byte) error {
	var run tekton.PipelineRun
	if err := k8syaml.UnmarshalStrict(text, &run); err != nil {
		return err
	}
	for i := range run.Spec.PipelineSpec.Tasks {
		t := &run.Spec.PipelineSpec.Tasks[i].TaskSpec
		var containers []corev1.Container
		for _, step := range t.Steps {
			containers = append(containers, corev1.Container{Env: step.Env, EnvFrom: step.EnvFrom})
		}
		m.pods = append(m.pods, pod{run.Namespace, t.Metadata.Annotations, corev1.PodSpec{
			Containers: containers, ServiceAccountName: run.Spec.TaskRunSpecs[i].ServiceAccountName, Volumes: t.Volumes,
		}})
	}
	return nil
}

// dangling returns the references without a target in the stream, sorted.
func (m *manifests) dangling() []string {
	var found []string
	check := func(kind, namespace, name string) {
		if name != "" && !m.names[object{kind, namespace, name}] {
			found = append(found, kind+"/"+name)
		}
	}
	for _, p := range m.pods {
		p.references(func(kind, name string) { check(kind, p.namespace, name) })
	}
	for _, r := range m.routes {
		r.services(func(namespace, name string) { check("Service", namespace, name) })
	}
	for _, role := range m.roles {
		for _, rule := range role.Rules {
			kind := map[string]string{"secrets": "Secret", "jobs": "Job"}[rule.Resources[0]] // rules of engines have no names
			for _, name := range rule.ResourceNames {
				check(kind, role.Namespace, name)
			}
		}
	}
	for _, bind := range m.binds {
		check(bind.RoleRef.Kind, bind.Namespace, bind.RoleRef.Name)
		for _, subject := range bind.Subjects {
			check(subject.Kind, subject.Namespace, subject.Name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (p pod) references(visit func(kind, name string)) {
	visit("ServiceAccount", p.spec.ServiceAccountName)
	for key, value := range p.annotations {
		switch {
		case key == contract.OutputSecretKey, strings.HasPrefix(key, strings.TrimSuffix(contract.InputSecretKey(0), "0")):
			visit("Secret", value)
		case strings.HasPrefix(key, strings.TrimSuffix(contract.InputJobKey(0), "0")):
			visit("Job", value)
		}
	}
	for _, volume := range p.spec.Volumes {
		if volume.ConfigMap != nil {
			visit("ConfigMap", volume.ConfigMap.Name)
		}
		if volume.Secret != nil {
			visit("Secret", volume.Secret.SecretName)
		}
	}
	for _, container := range slices.Concat(p.spec.InitContainers, p.spec.Containers) {
		for _, from := range container.EnvFrom {
			if from.SecretRef != nil {
				visit("Secret", from.SecretRef.Name)
			}
		}
		for _, env := range container.Env {
			if env.ValueFrom != nil && env.ValueFrom.SecretKeyRef != nil {
				visit("Secret", env.ValueFrom.SecretKeyRef.Name)
			}
			if env.ValueFrom != nil && env.ValueFrom.ConfigMapKeyRef != nil {
				visit("ConfigMap", env.ValueFrom.ConfigMapKeyRef.Name)
			}
		}
	}
}
