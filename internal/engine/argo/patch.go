package argo

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Names that the executor has in Pods.
const (
	initContainer = "init"
	waitContainer = "wait"
	tokenVolume   = "exec-sa-token"
)

// executorUser is the user that the images of the executor are made for.
const executorUser = 8737

// patch is a podSpecPatch: a strategic merge patch of the Pod that the controller has made of a template. Its fields take
// the place of those of the same names in PodSpec.
type patch struct {
	*corev1.PodSpec `json:",inline"`

	Containers     []corev1.Container `json:"containers,omitempty"`
	InitContainers []corev1.Container `json:"initContainers,omitempty"`
	Volumes        []volumePatch      `json:"volumes,omitempty"`
}

// volumePatch makes another one of a volume of a Secret.
type volumePatch struct {
	Name      string                        `json:"name"`
	Projected *corev1.ProjectedVolumeSource `json:"projected"`
	Secret    *struct{}                     `json:"secret"`
}

// newPatch returns what is left of a Pod when its template is made. The controller mounts a Secret with the token of the
// executor's account: Kubernetes has made none by itself since 1.24, so the patch puts a projected token in its place.
func newPatch(rest *corev1.PodSpec, isRestricted bool) *patch {
	p := &patch{PodSpec: rest, Volumes: []volumePatch{{Name: tokenVolume, Projected: executorToken()}}}
	if isRestricted {
		p.Containers = append(p.Containers, corev1.Container{Name: waitContainer, SecurityContext: executorContext()})
		p.InitContainers = append(p.InitContainers, corev1.Container{Name: initContainer, SecurityContext: executorContext()})
	}
	return p
}

// executorToken has what a Secret with a token has.
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

// executorContext is what the Pod Security Standard "restricted" asks of the executor's containers, which are not ours.
func executorContext() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		RunAsNonRoot:             new(true),
		RunAsUser:                new(int64(executorUser)),
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// splitAll moves the fields of containers that the controller would replace something in to the list of the patch. It
// returns the containers without them.
func (p *patch) splitAll(containers []corev1.Container, moved *[]corev1.Container) []corev1.Container {
	for i := range containers {
		if rest := split(&containers[i]); rest != nil {
			*moved = append(*moved, *rest)
		}
	}
	return containers
}

// split moves fields of one container to a new one of the same name; nil if there are none.
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

// expands reports whether the controller might replace something in a value.
func expands(value any) bool { return bytes.Contains(encode(value), []byte(opening)) }

// text is the patch as JSON without what the controller would replace.
func (p *patch) text() string {
	return strings.ReplaceAll(string(encode(p)), opening, `{\u007b`)
}

func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // of Kubernetes' types none fails
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
