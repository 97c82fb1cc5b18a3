package render

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/manifest"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
)

// fixed is the part of a step's Pod template that no resource changes.
func (b *Blueprint) fixed(s *step, spec *plugin.Spec, scripts string, depth int) manifest.Map {
	base := b.overlay.Template.Map("spec")
	timeout := manifest.Int(b.options.StepTimeout)
	if own, ok := base.Get("activeDeadlineSeconds").(manifest.Int); ok {
		timeout = own
	}
	pod := []manifest.Field{
		manifest.KV("activeDeadlineSeconds", timeout*manifest.Int(depth)),
		manifest.KV("containers", b.containers(s, spec)),
		manifest.KV("restartPolicy", manifest.String("Never")),
		manifest.KV("volumes", b.volumes(s, scripts)),
	}
	if !namesAccount(base) {
		pod = append(pod, manifest.KV("automountServiceAccountToken", manifest.Bool(false)))
	}
	if !s.bare() {
		pod = append(pod, manifest.KV("initContainers", manifest.List{b.inputManager(s)}))
	}
	if secrets := b.options.ImagePullSecrets; len(secrets) > 0 {
		names := make(manifest.List, len(secrets))
		for i, name := range secrets {
			names[i] = manifest.NewMap(manifest.KV("name", manifest.String(name)))
		}
		pod = append(pod, manifest.KV("imagePullSecrets", names))
	}
	return manifest.NewMap(manifest.KV("spec", manifest.NewMap(pod...)))
}

// containers are main and, where outputs are published, the output manager behind it: the kubelet starts them in order,
// and main's time to start counts from when the output manager runs.
func (b *Blueprint) containers(s *step, spec *plugin.Spec) manifest.List {
	mounts := manifest.List{mount(contract.ScriptVolume, contract.ScriptFolder, "", true)}
	if !s.bare() {
		mounts = append(mounts, mount(contract.IOVolume, contract.IOFolder, "", false))
	}
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		switch {
		case input.Path() == "":
		case input.ValueFromSandbox:
			mounts = append(mounts, mount(contract.ParamsVolume, input.Path(), input.Name, true))
		default:
			mounts = append(mounts, mount(contract.IOVolume, input.Path(), inputsFolder+input.Name, true))
		}
	}
	main := manifest.NewMap(
		manifest.KV("command", s.command()),
		manifest.KV("image", manifest.String(spec.Runner.Image)),
		manifest.KV("name", manifest.String(contract.MainContainer)),
		manifest.KV("volumeMounts", mounts),
	)
	if !s.publishes() {
		return manifest.List{main}
	}
	return manifest.List{main, b.outputManager()}
}

// inputsFolder is where step outputs lie in the shared volume.
var inputsFolder = strings.TrimPrefix(contract.InputsFolder, contract.IOFolder+"/") + "/"

func (b *Blueprint) volumes(s *step, scripts string) manifest.List {
	volumes := manifest.List{manifest.NewMap(
		manifest.KV("configMap", manifest.NewMap(
			manifest.KV("defaultMode", executable),
			manifest.KV("items", manifest.List{manifest.NewMap(
				manifest.KV("key", manifest.String(s.spec.Name)),
				manifest.KV("path", manifest.String(scriptName)),
			)}),
			manifest.KV("name", manifest.String(scripts)),
		)),
		manifest.KV("name", manifest.String(contract.ScriptVolume)),
	)}
	if !s.bare() {
		volumes = append(volumes, manifest.NewMap(
			manifest.KV("emptyDir", manifest.NewMap()),
			manifest.KV("name", manifest.String(contract.IOVolume)),
		), tokenVolume())
	}
	return volumes
}

var scriptName = strings.TrimPrefix(contract.ScriptFile, contract.ScriptFolder+"/")

func mount(volume, path, subPath string, readOnly bool) manifest.Map {
	fields := []manifest.Field{
		manifest.KV("mountPath", manifest.String(path)),
		manifest.KV("name", manifest.String(volume)),
	}
	if readOnly {
		fields = append(fields, manifest.KV("readOnly", manifest.Bool(true)))
	}
	if subPath != "" {
		fields = append(fields, manifest.KV("subPath", manifest.String(subPath)))
	}
	return manifest.NewMap(fields...)
}

// namesAccount tells whether an overlay names a ServiceAccount, whose token main then keeps.
func namesAccount(spec manifest.Map) bool { return account(spec) != "" }

// account returns the ServiceAccount of a Pod's spec; `serviceAccount` is the field's former name.
func account(spec manifest.Map) string {
	if name := spec.Text("serviceAccountName"); name != "" {
		return name
	}
	return spec.Text("serviceAccount")
}

// withoutClashes takes out of an overlay what would be merged with ours where ours must stand alone: variables that the
// step sets, and the command and arguments of main.
func withoutClashes(template manifest.Map, s *step) (manifest.Map, []Problem) {
	spec := template.Map("spec")
	containers := spec.List("containers")
	for i, container := range containers {
		main := container.(manifest.Map)
		if main.Text("name") != contract.MainContainer {
			continue
		}
		env, problems := withoutOurs(main.List("env"), s)
		main = main.With("args", nil).With("command", nil).With("env", nil)
		if len(env) > 0 {
			main = main.With("env", env)
		}
		changed := append(manifest.List(nil), containers...)
		changed[i] = main
		return template.With("spec", spec.With("containers", changed)), problems
	}
	return template, nil
}

func withoutOurs(env manifest.List, s *step) (kept manifest.List, problems []Problem) {
	ours := map[string]bool{}
	for _, name := range reservedVariables {
		ours[name] = true
	}
	for i := range s.spec.Inputs {
		ours[s.spec.Inputs[i].Env()] = true
	}
	for _, variable := range env {
		name := variable.(manifest.Map).Text("name")
		if !ours[name] {
			kept = append(kept, variable)
			continue
		}
		problems = append(problems, Problem{
			Severity: krm.Warning, Path: overlayPath,
			Message: fmt.Sprintf("variable %q of the overlay is not used: step %q sets it", name, s.spec.Name),
		})
	}
	return kept, problems
}

var reservedVariables = [...]string{
	contract.SandboxIDVariable, contract.SandboxNameVariable, contract.ResourceNameVariable,
}
