package render

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

var (
	ioMount    = corev1.VolumeMount{MountPath: contract.IOFolder, Name: contract.IOVolume}
	tokenMount = corev1.VolumeMount{MountPath: contract.TokenMountPath, Name: contract.TokenVolume, ReadOnly: true}
)

// inputManager is the init container that waits for the producers, brings their outputs and the runner into the shared
// volume, and sees whether the step was published already.
func (c *compiledPhase) inputManager(s *step) corev1.Container {
	env := c.producerVariables(s.producers)
	if s.publishes() {
		env = append(env, annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey))
	}
	return c.helperContainer(contract.InputManager, contract.HelperInputs, env, ioMount, tokenMount)
}

// outputManager is the container that waits for the script to end and publishes its outputs.
func (c *compiledPhase) outputManager() corev1.Container {
	env := append(c.producerVariables(nil), annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey))
	return c.helperContainer(contract.OutputManager, contract.HelperOutputs, env, ioMount, tokenMount)
}

// producerVariables give a helper the namespace and the names of producers' Secrets and Jobs, and of their ancestors' Jobs.
func (c *compiledPhase) producerVariables(producers []*step) []corev1.EnvVar {
	env := make([]corev1.EnvVar, 0, 2*len(producers)+2) // inputManager and outputManager add one
	env = append(env, NamespaceVariable())
	for i, producer := range producers {
		env = append(env, annotationVariable(contract.InputSecretVariable(i), contract.InputSecretKey(i)))
		if producer.ref.Phase == c.phase && c.hasJobs {
			env = append(env, annotationVariable(contract.InputJobVariable(i), contract.InputJobKey(i)))
		}
	}
	if c.hasJobs {
		for i := range c.ancestors(producers) {
			i += len(producers)
			env = append(env, annotationVariable(contract.InputJobVariable(i), contract.InputJobKey(i)))
		}
	}
	return env
}

// helperContainer is a container of ours: no privileges, nothing writable but a shared volume, few resources.
func (c *compiledPhase) helperContainer(
	name, command string, env []corev1.EnvVar, mounts ...corev1.VolumeMount,
) corev1.Container {
	return HelperContainer(corev1.Container{
		Command: []string{contract.HelperBinary, command}, Env: env, Image: c.options.HelperImage, Name: name,
		VolumeMounts: mounts,
	})
}

// HelperContainer returns a container with the limits of our containers.
func HelperContainer(container corev1.Container) corev1.Container {
	container.Resources = corev1.ResourceRequirements{
		Limits: resources("500m", "128Mi"), Requests: resources("10m", "16Mi"),
	}
	container.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		ReadOnlyRootFilesystem:   new(true),
		RunAsGroup:               new(int64(contract.HelperUserID)),
		RunAsNonRoot:             new(true),
		RunAsUser:                new(int64(contract.HelperUserID)),
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	return container
}

func resources(cpu, memory string) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory),
	}
}

// NamespaceVariable is a variable with the namespace of the Pod.
func NamespaceVariable() corev1.EnvVar {
	return fieldVariable(contract.NamespaceVariable, "metadata.namespace")
}

func fieldVariable(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

// annotationVariable is a variable with the value of an annotation of the Pod: a later kustomize overlay renames
// objects that annotations name, but not those in variables.
func annotationVariable(name, annotation string) corev1.EnvVar {
	return fieldVariable(name, "metadata.annotations['"+annotation+"']")
}

// AddToken gives one container of a Pod, and no other, a token and the API server's certificate.
func AddToken(pod *corev1.PodSpec, container *corev1.Container) {
	pod.AutomountServiceAccountToken = new(false)
	pod.Volumes = append(pod.Volumes, tokenVolume())
	container.VolumeMounts = append(container.VolumeMounts, tokenMount)
}

// tokenVolume holds a token and the API server's certificate for the helpers; main does not mount it.
func tokenVolume() corev1.Volume {
	token := corev1.VolumeProjection{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{
		ExpirationSeconds: new(int64(3600)), Path: "token",
	}}
	certificate := corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
		Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
	}}
	return corev1.Volume{Name: contract.TokenVolume, VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{
			DefaultMode: new(readable), Sources: []corev1.VolumeProjection{token, certificate},
		},
	}}
}
