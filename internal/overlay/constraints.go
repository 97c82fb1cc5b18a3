package overlay

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The rules of warnings.
const (
	RuleReplaced = "overlay-replaced"
	RuleSidecar  = "overlay-sidecar"
)

// constraints checks rules for overlays that do not apply to all pod templates (ResourcePlugin spec,
// podTemplateOverlay, and the vendor's CRD).
func (o *Overlay) constraints() []strictyaml.Problem {
	c := checker{overlay: o, names: map[string]bool{}}
	if o.Template.Name != "" {
		c.report("metadata.name", "must not be set: the renderer names Pods")
	}
	c.keys("annotations", o.Template.Annotations)
	c.keys("labels", o.Template.Labels)
	spec := &o.Template.Spec
	if spec.SecurityContext != nil {
		c.user("spec.securityContext.runAsUser", spec.SecurityContext.RunAsUser)
	}
	if policy := spec.RestartPolicy; policy != "" && policy != corev1.RestartPolicyNever {
		c.report("spec.restartPolicy", "must be Never, not %q: remove it", policy)
	}
	if one, other := spec.DeprecatedServiceAccount, spec.ServiceAccountName; one != "" && other != "" && one != other {
		c.report("spec.serviceAccount", "must not be %q beside serviceAccountName %q, which takes precedence: remove it",
			one, other)
	}
	if len(spec.EphemeralContainers) > 0 {
		c.report("spec.ephemeralContainers", "must not be set: no Pod is created with ephemeral containers")
	}
	c.containers("initContainers", spec.InitContainers)
	c.containers("containers", spec.Containers)
	c.volumes(spec.Volumes)
	return c.problems
}

// keys reports annotations or labels with reserved keys: some tell the helpers which Secrets to use.
func (c *checker) keys(field string, values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if strings.HasPrefix(key, contract.Group+"/") {
			c.report(krm.Path("metadata").Key(field).Key(key), "must not be set: keys of %s are the renderer's", contract.Group)
		}
	}
}

// Conflicts checks the overlay against the plugin's runner: its image and its namespace, after defaulting.
func (o *Overlay) Conflicts(image, namespace string) []strictyaml.Problem {
	c := checker{overlay: o}
	if own := o.Template.Namespace; own != "" && own != namespace {
		c.report("metadata.namespace", "must not be %q: `runner.namespace` is %q; remove it", own, namespace)
	}
	for i, container := range o.Template.Spec.Containers {
		if own := container.Image; container.Name == contract.MainContainer && own != "" && own != image {
			c.report(krm.Path("spec.containers").Index(i).Key("image"),
				"must not be %q: `runner.image` is %q; remove it", own, image)
		}
	}
	return inOrder(c.problems)
}

type checker struct {
	overlay  *Overlay
	names    map[string]bool // of containers, unique over all lists
	problems []strictyaml.Problem
}

func (c *checker) report(at krm.Path, format string, args ...any) {
	problem := strictyaml.Error(at, format, args...)
	if node, ok := at.Find(c.overlay.root); ok {
		problem.Line = node.Line
	}
	c.problems = append(c.problems, problem)
}

func (c *checker) containers(key string, containers []corev1.Container) {
	for i, container := range containers {
		at, name := krm.Path("spec").Key(key).Index(i), container.Name
		c.mounts(container.VolumeMounts, at)
		if container.SecurityContext != nil {
			c.user(at.Key("securityContext").Key("runAsUser"), container.SecurityContext.RunAsUser)
			c.privileges(at.Key("securityContext"), container.SecurityContext)
		}
		switch {
		case name == contract.InputManager || name == contract.OutputManager:
			c.report(at.Key("name"), "must not be %q: the renderer adds a container of that name", name)
			continue
		case name == contract.MainContainer && key != "containers":
			c.report(at.Key("name"), "must not be %q here: that container runs the script; move it to spec.containers", name)
			continue
		}
		c.unique(c.names, at.Key("name"), "containers", name)
		switch {
		case name == contract.MainContainer:
			c.replaced(at.Key("command"), container.Command)
			c.replaced(at.Key("args"), container.Args)
		case name != "":
			c.other(key, at, container)
		}
	}
}

// other checks a container that does not run the script.
func (c *checker) other(key string, at krm.Path, container corev1.Container) {
	const main = contract.MainContainer
	nearest, isMain := strictyaml.Nearest(container.Name, []string{main})
	switch isBeside := key == "containers"; {
	case isBeside && isMain:
		c.report(at.Key("name"), "must not be %q: did you mean %q?", container.Name, main)
	case isBeside && container.Image == "" && nearest != "":
		c.report(at, "container %q has no image: did you mean %q?", container.Name, main)
	case isBeside && container.Image == "":
		c.report(at, "container %q has no image: call it %q, or give it an image", container.Name, main)
	case container.Image == "":
		c.report(at, "container %q has no image: only %q gets that of the runner", container.Name, main)
	case isBeside:
		c.warn(RuleSidecar, at, "a Pod ends when all its containers have: unless this one ends by itself, move it to "+
			"spec.initContainers with restartPolicy Always, so that it ends with main")
	}
}

// replaced warns of fields that are replaced in the container that runs the script.
func (c *checker) replaced(at krm.Path, words []string) {
	if words != nil {
		c.warn(RuleReplaced, at, "is replaced: the container runs the step's script; remove it")
	}
}

func (c *checker) warn(rule string, at krm.Path, message string) {
	c.report(at, "%s", message)
	warning := &c.problems[len(c.problems)-1]
	warning.Rule, warning.Severity = rule, strictyaml.SeverityWarning
}

func (c *checker) mounts(mounts []corev1.VolumeMount, at krm.Path) {
	seen := map[string]bool{}
	for i, mount := range mounts {
		path, below := mount.MountPath, at.Key("volumeMounts").Index(i).Key("mountPath")
		if isOwnVolume(mount.Name) {
			c.report(at.Key("volumeMounts").Index(i).Key("name"), "must not be %q: that volume is for the helpers", mount.Name)
		}
		if Reserved(path) {
			c.report(below, "must not be %q: the renderer mounts what the step needs there", path)
		} else {
			c.unique(seen, below, "mounts at", path)
		}
	}
}

func (c *checker) volumes(volumes []corev1.Volume) {
	seen := map[string]bool{}
	for i, volume := range volumes {
		at := krm.Path("spec.volumes").Index(i).Key("name")
		if isOwnVolume(volume.Name) {
			c.report(at, "must not be %q: the renderer adds a volume of that name", volume.Name)
		} else {
			c.unique(seen, at, "volumes", volume.Name)
		}
	}
}

// isOwnVolume reports whether the renderer adds a volume with that name.
func isOwnVolume(name string) bool {
	switch name {
	case contract.IOVolume, contract.ScriptVolume, contract.ParamsVolume, contract.TokenVolume:
		return true
	}
	return contract.IsOutputsVolume(name)
}

// unique reports a value that was seen before.
func (c *checker) unique(seen map[string]bool, at krm.Path, what, value string) {
	if seen[value] && value != "" {
		c.report(at, "must be given once: there are two %s %q", what, value)
	}
	seen[value] = true
}

// ownFolder is the folder in which the renderer mounts scripts and inputs.
const ownFolder = "/run/resourceplugins/"

// Reserved reports whether a path is in the folder in which the renderer mounts scripts and inputs, or above it, so
// that a mount there would hide it. /run is the same as /var/run, as in most images.
func Reserved(path string) bool {
	folder := strings.TrimPrefix(strings.TrimRight(path, "/")+"/", "/var")
	return path != "" && (strings.HasPrefix(folder, ownFolder) || strings.HasPrefix(ownFolder, folder))
}
