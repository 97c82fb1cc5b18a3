package render

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Modes of files in volumes: any user may read them, and run scripts.
const (
	executable int32 = 0o555
	readable   int32 = 0o444
)

// stepTemplate is the part of a step's Pod template that no resource changes; it is merged onto the overlay.
func (c *compiledPhase) stepTemplate(
	s *step, spec *v1alpha1.ResourcePluginSpec, scripts string,
) *corev1.PodTemplateSpec {
	pod := corev1.PodSpec{
		ActiveDeadlineSeconds: new(c.podDeadline(s.depth)),
		Containers:            []corev1.Container{c.main(s, spec)},
		ImagePullSecrets:      c.pullSecrets(),
		RestartPolicy:         corev1.RestartPolicyNever,
		Volumes:               volumes(s, scripts),
	}
	if c.overlay.Account() == "" {
		pod.AutomountServiceAccountToken = new(false)
	}
	if s.isPlain() {
		pod.ActiveDeadlineSeconds = new(c.plainDeadline())
	} else {
		pod.InitContainers = []corev1.Container{c.inputManager(s)}
	}
	if s.publishes() {
		// Behind main: the kubelet starts containers in order, and main's time to start counts from when this one runs.
		pod.Containers = append(pod.Containers, c.outputManager())
	}
	return &corev1.PodTemplateSpec{Spec: pod}
}

// pullSecrets are those of the options.
func (c *compiledPhase) pullSecrets() (names []corev1.LocalObjectReference) {
	for _, name := range c.options.ImagePullSecrets {
		names = append(names, corev1.LocalObjectReference{Name: name})
	}
	return names
}

// main is the container that runs the script, but for its variables.
func (c *compiledPhase) main(s *step, spec *v1alpha1.ResourcePluginSpec) corev1.Container {
	mounts := []corev1.VolumeMount{{MountPath: contract.ScriptFolder, Name: contract.ScriptVolume, ReadOnly: true}}
	if !s.isPlain() {
		mounts = append(mounts, ioMount)
	}
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		mount := corev1.VolumeMount{MountPath: path.Clean(input.Path()), ReadOnly: true}
		switch {
		case input.Path() == "":
			continue
		case input.ValueFromSandbox:
			mount.Name, mount.SubPath = contract.ParamsVolume, input.Name
		case c.traits.MountsOutputs:
			mount.Name, mount.SubPath = outputsVolume(s, input), input.ValueFromStep.Output
		default:
			mount.Name, mount.SubPath = contract.IOVolume, inputsFolder+input.Name
		}
		mounts = append(mounts, mount)
	}
	return corev1.Container{
		Command: s.command(), Image: spec.Runner.Image, Name: contract.MainContainer, VolumeMounts: mounts,
	}
}

// inputsFolder is where step outputs lie in the shared volume.
var inputsFolder = strings.TrimPrefix(contract.InputsFolder, contract.IOFolder+"/") + "/"

// scriptName is the script's name in its volume.
var scriptName = strings.TrimPrefix(contract.ScriptFile, contract.ScriptFolder+"/")

// volumes are the step's, but for that of params. The script is in a ConfigMap of that name.
func volumes(s *step, scripts string) []corev1.Volume {
	script := configMapVolume(contract.ScriptVolume, scripts, executable)
	script.ConfigMap.Items = []corev1.KeyToPath{{Key: s.spec.Name, Path: scriptName}}
	if s.isPlain() {
		return []corev1.Volume{script}
	}
	io := corev1.Volume{Name: contract.IOVolume}
	io.EmptyDir = &corev1.EmptyDirVolumeSource{}
	return []corev1.Volume{script, io, tokenVolume()}
}

// outputsVolume is the volume with the outputs of an input's producer.
func outputsVolume(s *step, input *v1alpha1.Input) string {
	i := slices.Index(s.producers, producerOf(s, input))
	return contract.OutputsVolume(i)
}

// outputVolumes are the Secrets of producers whose outputs a step reads as files, each with those outputs.
func (r *renderer) outputVolumes(s *step) (volumes []corev1.Volume) {
	for i, producer := range s.producers {
		secret := &corev1.SecretVolumeSource{SecretName: r.secretName(producer), DefaultMode: new(readable)}
		seen := map[corev1.KeyToPath]bool{}
		for n := range s.spec.Inputs {
			input := &s.spec.Inputs[n]
			if input.ValueFromStep == nil || input.Path() == "" || producerOf(s, input) != producer {
				continue
			}
			item := corev1.KeyToPath{Key: input.ValueFromStep.Output, Path: input.ValueFromStep.Output}
			if !seen[item] {
				seen[item], secret.Items = true, append(secret.Items, item)
			}
		}
		if len(secret.Items) > 0 {
			volumes = append(volumes, corev1.Volume{
				Name: contract.OutputsVolume(i), VolumeSource: corev1.VolumeSource{Secret: secret},
			})
		}
	}
	return volumes
}

func configMapVolume(name, configMap string, mode int32) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		DefaultMode: &mode, LocalObjectReference: corev1.LocalObjectReference{Name: configMap},
	}}}
}
