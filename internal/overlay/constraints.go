package overlay

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// containerLists are the lists of containers of a Pod's spec; a name is there once over all of them.
var containerLists = [...]string{"initContainers", "containers", "ephemeralContainers"}

// constraints checks what holds for an overlay but not for every pod template (ResourcePlugin spec,
// podTemplateOverlay, and the vendor's CRD).
func (o *Overlay) constraints() []strictyaml.Problem {
	c := checker{overlay: o}
	if o.Template.Map("metadata").Text("name") != "" {
		c.report("metadata.name", "must not be set: the renderer names Pods")
	}
	spec := o.Template.Map("spec")
	if policy := spec.Text("restartPolicy"); policy != "" && policy != "Never" {
		c.report("spec.restartPolicy", "must be Never, not %q: remove it", policy)
	}
	c.containers(spec)
	c.volumes(spec)
	return c.problems
}

// Conflicts checks the overlay against the plugin's runner: its image and its namespace, as they are after defaulting.
func (o *Overlay) Conflicts(image, namespace string) []strictyaml.Problem {
	c := checker{overlay: o}
	if own := o.Template.Map("metadata").Text("namespace"); own != "" && own != namespace {
		c.report("metadata.namespace", "must not be %q: `runner.namespace` is %q; remove it", own, namespace)
	}
	for i, container := range o.Template.Map("spec").List("containers") {
		own := container.(manifest.Map)
		if own.Text("name") == contract.MainContainer && own.Text("image") != "" && own.Text("image") != image {
			c.report(krm.Path("spec.containers").Index(i).Key("image"),
				"must not be %q: `runner.image` is %q; remove it", own.Text("image"), image)
		}
	}
	return inOrder(c.problems)
}

type checker struct {
	overlay  *Overlay
	problems []strictyaml.Problem
}

func (c *checker) report(at krm.Path, format string, args ...any) {
	c.problems = append(c.problems,
		strictyaml.Problem{Severity: krm.Error, Path: at, Line: c.overlay.lines[at], Message: fmt.Sprintf(format, args...)})
}

func (c *checker) containers(spec manifest.Map) {
	seen := map[string]bool{}
	for _, key := range containerLists {
		for i, element := range spec.List(key) {
			container := element.(manifest.Map)
			at, name := krm.Path("spec").Key(key).Index(i), container.Text("name")
			switch {
			case name == contract.InputManager || name == contract.OutputManager:
				c.report(at.Key("name"), "must not be %q: the renderer adds a container of that name", name)
			case name == contract.MainContainer && key != "containers":
				c.report(at.Key("name"), "must not be %q here: that container runs the script; move it to spec.containers", name)
			case seen[name] && name != "":
				c.report(at.Key("name"), "must be given once: there are two containers %q", name)
			}
			seen[name] = true
			c.mounts(container, at)
			if name == contract.MainContainer {
				c.main(container, at)
			}
		}
	}
}

// main warns of what is replaced in the container that runs the script.
func (c *checker) main(container manifest.Map, at krm.Path) {
	for _, key := range [...]string{"command", "args"} {
		if container.Get(key) != nil {
			c.report(at.Key(key), "is replaced: the container runs the step's script; remove it")
			c.problems[len(c.problems)-1].Severity = krm.Warning
		}
	}
}

func (c *checker) mounts(container manifest.Map, at krm.Path) {
	seen := map[string]bool{}
	for i, element := range container.List("volumeMounts") {
		mount := element.(manifest.Map).Text("mountPath")
		below := at.Key("volumeMounts").Index(i).Key("mountPath")
		switch {
		case Reserved(mount):
			c.report(below, "must not be %q: the renderer mounts what the step needs there", mount)
		case seen[mount] && mount != "":
			c.report(below, "must be given once: %q is mounted twice", mount)
		}
		seen[mount] = true
	}
}

func (c *checker) volumes(spec manifest.Map) {
	seen := map[string]bool{}
	for i, element := range spec.List("volumes") {
		name := element.(manifest.Map).Text("name")
		at := krm.Path("spec.volumes").Index(i).Key("name")
		switch name {
		case contract.IOVolume, contract.ScriptVolume, contract.ParamsVolume, contract.TokenVolume:
			c.report(at, "must not be %q: the renderer adds a volume of that name", name)
		default:
			if seen[name] && name != "" {
				c.report(at, "must be given once: there are two volumes %q", name)
			}
		}
		seen[name] = true
	}
}

// ownFolder is what the renderer mounts scripts and inputs below.
const ownFolder = "/run/resourceplugins/"

// Reserved tells whether a path lies in the folder that the renderer mounts scripts and inputs below, or above it, so
// that a mount there would hide it. /run counts as /var/run, which it is in most images.
func Reserved(path string) bool {
	folder := strings.TrimPrefix(strings.TrimRight(path, "/")+"/", "/var")
	return path != "" && (strings.HasPrefix(folder, ownFolder) || strings.HasPrefix(ownFolder, folder))
}
