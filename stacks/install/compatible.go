package install

import (
	"crypto/sha1" //nolint:gosec // v0.10 cuts names with it; nothing is kept secret
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// CompatibleJob returns the Job that the stack manager of crossplane v0.10.0 makes for a request, byte for byte as
// sigs.k8s.io/yaml prints it. The executor is the manager's own image.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/controller/stacks/install/installjob.go
func CompatibleJob(request *StackInstall, executor, templating string) ([]byte, error) {
	scope := stacks.ScopeNamespaced
	switch request.Kind {
	case stacks.KindStackInstall:
	case stacks.KindClusterStackInstall:
		scope = stacks.ScopeCluster
	default:
		return nil, fmt.Errorf("must be %s or %s, which crossplane v0.10 knows, not %q",
			stacks.KindStackInstall, stacks.KindClusterStackInstall, request.Kind)
	}
	packageImage := imageref.WithSource(request.Spec.Source, request.Spec.Package)
	mounts := []corev1.VolumeMount{{Name: unpacking.Volume, MountPath: unpacking.VolumeMount}}
	job := batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: request.Name, Namespace: request.Namespace,
			Labels: parentLabels(stacks.GroupName, request.Kind, request.Namespace, request.Name),
		},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(0)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				ImagePullSecrets: pullSecrets(request.Spec.ImagePullSecrets),
				RestartPolicy:    corev1.RestartPolicyNever,
				InitContainers: []corev1.Container{{
					Name: "stack-copy-to-volume", Image: packageImage, ImagePullPolicy: corev1.PullPolicy(request.Spec.ImagePullPolicy),
					Command:      []string{"cp", "-R", unpacking.Folder, unpacking.VolumeMount + "/"},
					VolumeMounts: mounts,
				}},
				Containers: []corev1.Container{{
					Name: "stack-unpack-and-output", Image: executor, ImagePullPolicy: corev1.PullIfNotPresent,
					Args: []string{
						"stack", "unpack", "--content-dir=" + unpacking.VolumeMount + unpacking.Folder, "--permission-scope=" + scope,
						"--templating-controller-image=" + templating,
					},
					VolumeMounts: mounts,
					Env:          []corev1.EnvVar{{Name: "STACK_IMAGE", Value: packageImage}},
				}},
				Volumes: []corev1.Volume{{
					Name: unpacking.Volume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
				}},
			}},
		},
	}
	return printOld(&job)
}

// printOld prints a Job with the empty fields that the types of 2020 had.
func printOld(job *batchv1.Job) ([]byte, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	template := fields["spec"].(map[string]any)["template"].(map[string]any)
	fields["metadata"].(map[string]any)["creationTimestamp"] = nil
	template["metadata"] = map[string]any{"creationTimestamp": nil}
	fields["status"] = map[string]any{}
	return yaml.Marshal(fields)
}

// parentPrefix is the prefix of the labels of parentLabels.
const parentPrefix = "core.crossplane.io/parent-"

// parentLabels returns the labels by which a stack manager finds the objects that it made for a request.
func parentLabels(group, kind, namespace, name string) map[string]string {
	return map[string]string{
		parentPrefix + "group": group, parentPrefix + "version": stacks.Version, parentPrefix + "kind": kind,
		parentPrefix + "namespace": truncate(namespace), parentPrefix + "name": truncate(name),
	}
}

// truncate cuts a text to the length of a label's value, with the start of a hash in the end:
// https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/stacks/truncate/truncate.go
func truncate(text string) string {
	const longest, hashed = 63, 5
	if len(text) <= longest {
		return text
	}
	sum := sha1.Sum([]byte(text)) //nolint:gosec // see the import
	hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:hashed])
	return strings.TrimRight(text[:longest-hashed-1], ".") + "-" + hash
}

func pullSecrets(references []stacks.LocalObjectReference) (secrets []corev1.LocalObjectReference) {
	for _, one := range references {
		secrets = append(secrets, corev1.LocalObjectReference{Name: one.Name})
	}
	return secrets
}

// compatible renders the requests for stacks as v0.10 did. The Jobs carry nothing of ours, so an existing Job is replaced if
// it has the name and the labels of v0.10.
func (r *renderer) compatible() (Summary, error) {
	r.warnOfRights()
	for _, item := range r.list.Items() {
		if !isStackRequest(item) {
			continue
		}
		request, err := readRequest(item)
		if err != nil {
			r.refuse(item, "spec", "must be that of a request: "+firstLine(err)+"; run validate-plugin for all findings")
			continue
		}
		text, err := CompatibleJob(request, r.options.ExecutorImage, r.options.TemplatingImage)
		if err != nil {
			r.refuse(item, "kind", err.Error())
			continue
		}
		fresh, err := krm.NewItem(text)
		if err != nil {
			return Summary{}, err
		}
		if local, _ := item.Annotation(contract.LocalConfigKey); local != "true" {
			item.Annotate(contract.LocalConfigKey, "true")
		}
		r.summary.Requests++
		r.summary.Objects = append(r.summary.Objects, fresh)
		switch old := jobNamed(r.list, request.Namespace, request.Name); {
		case old == nil:
			r.list.Append(fresh)
		case krm.Value(krm.Value(krm.Value(old.YNode(), "metadata"), "labels"), parentPrefix+"name") != nil:
			r.list.Replace(old, fresh)
		default:
			r.refuse(item, "metadata.name", fmt.Sprintf("must not be %q, which is the name of another Job: remove that one",
				request.Name))
		}
	}
	return r.summary, nil
}

func jobNamed(list *krm.ResourceList, namespace, name string) *krm.Item {
	for _, item := range list.Of(batchv1.SchemeGroupVersion.String(), "Job") {
		if item.Name() == name && item.Namespace() == namespace {
			return item
		}
	}
	return nil
}
