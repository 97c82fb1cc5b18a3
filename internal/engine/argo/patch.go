package argo

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Names of the executor in Pods.
const (
	initContainer = "init"
	waitContainer = "wait"
	tokenVolume   = "exec-sa-token"
)

// executorUser is the user in the images of the executor.
const executorUser = 8737

// patch is a podSpecPatch: a strategic merge patch of the Pod that the controller creates from a template. Its fields
// replace the fields of PodSpec with the same names.
type patch struct {
	*corev1.PodSpec `json:",inline"`

	Containers     []corev1.Container `json:"containers,omitempty"`
	InitContainers []corev1.Container `json:"initContainers,omitempty"`
	Volumes        []volumePatch      `json:"volumes,omitempty"`
}

// volumePatch replaces a volume of a Secret.
type volumePatch struct {
	Name      string                        `json:"name"`
	Projected *corev1.ProjectedVolumeSource `json:"projected"`
	Secret    *struct{}                     `json:"secret"`
}

// newPatch returns the fields of a Pod that its template does not have. The controller mounts a Secret with the token of the
// executor's account, which Kubernetes no longer creates since 1.24; the patch replaces it with a projected token.
func newPatch(rest *corev1.PodSpec, isRestricted bool) *patch {
	p := &patch{PodSpec: rest, Volumes: []volumePatch{{Name: tokenVolume, Projected: executorToken()}}}
	if isRestricted {
		p.Containers = append(p.Containers, corev1.Container{Name: waitContainer, SecurityContext: executorContext()})
		p.InitContainers = append(p.InitContainers, corev1.Container{Name: initContainer, SecurityContext: executorContext()})
	}
	return p
}

// executorToken returns a volume with the files of a Secret with a token.
func executorToken() *corev1.ProjectedVolumeSource {
	return &corev1.ProjectedVolumeSource{DefaultMode: new(int32(0o444)), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3600)), Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
			Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}},
		}}},
	}}
}

// executorContext returns the security context that the Pod Security Standard "restricted" requires for the executor's
// containers.
func executorContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		RunAsNonRoot:             new(true),
		RunAsUser:                new(int64(executorUser)),
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// splitAll moves fields with texts that the controller would replace from containers to the list of the patch. It returns
// the containers without these fields.
func (p *patch) splitAll(containers []corev1.Container, moved *[]corev1.Container) []corev1.Container {
	for i := range containers {
		if rest := split(&containers[i]); rest != nil {
			*moved = append(*moved, *rest)
		}
	}
	return containers
}

// split moves such fields of a container to a new one with the same name; it returns nil if there are no such fields.
func split(c *corev1.Container) *corev1.Container {
	moved := &corev1.Container{}
	from, to := reflect.ValueOf(c).Elem(), reflect.ValueOf(moved).Elem()
	for i := range from.NumField() {
		if expands(from.Field(i).Interface()) {
			to.Field(i).Set(from.Field(i))
			from.Field(i).SetZero()
			moved.Name = c.Name
		}
	}
	if moved.Name == "" {
		return nil
	}
	return moved
}

// expands reports whether the controller might replace part of a value.
func expands(value any) bool { return bytes.Contains(encode(value), []byte(opening)) }

// text returns the patch as JSON that the controller does not change.
func (p *patch) text() string {
	return strings.ReplaceAll(string(encode(p)), opening, `{\u007b`)
}

func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // Kubernetes types can be encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
