package render

import (
	"fmt"
	"math"
	"path"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// fixed is the part of a step's Pod template that no resource changes.
func (b *Blueprint) fixed(s *step, spec *v1alpha1.ResourcePluginSpec, scripts string) manifest.Map {
	base := b.overlay.Template.Map("spec")
	pod := []manifest.Field{
		manifest.KV("activeDeadlineSeconds", b.deadline(s)),
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
	pod = append(pod, b.pullSecrets()...)
	return manifest.NewMap(manifest.KV("spec", manifest.NewMap(pod...)))
}

// timeout is how long a script may run, in seconds.
func (b *Blueprint) timeout() int {
	if own, ok := b.overlay.Template.Map("spec").Get("activeDeadlineSeconds").(manifest.Int); ok {
		return int(own)
	}
	return b.options.StepTimeout
}

// deadline is how long a Pod may take: a bare one as long as its script, any other one until so many steps have started
// and run one after the other. It is the last resort, since a Pod that it ends tells its consumers nothing: a runner has
// ended its script by then. It is no longer than Kubernetes takes a Pod's activeDeadlineSeconds.
func (b *Blueprint) deadline(s *step) manifest.Int {
	if s.bare() {
		return manifest.Int(b.timeout())
	}
	return b.chain(s.depth)
}

func (b *Blueprint) chain(steps int) manifest.Int {
	one := manifest.Int(b.timeout()) + manifest.Int(b.options.StartTimeout)
	return min(one, math.MaxInt32/manifest.Int(steps)) * manifest.Int(steps)
}

// pullSecrets is the field that adds the config's imagePullSecrets, if there are any.
func (b *Blueprint) pullSecrets() []manifest.Field {
	if len(b.options.ImagePullSecrets) == 0 {
		return nil
	}
	names := make(manifest.List, len(b.options.ImagePullSecrets))
	for i, name := range b.options.ImagePullSecrets {
		names[i] = manifest.NewMap(manifest.KV("name", manifest.String(name)))
	}
	return []manifest.Field{manifest.KV("imagePullSecrets", names)}
}

// containers are main and, where outputs are published, the output manager behind it: the kubelet starts them in order,
// and main's time to start counts from when the output manager runs.
func (b *Blueprint) containers(s *step, spec *v1alpha1.ResourcePluginSpec) manifest.List {
	mounts := manifest.List{mount(contract.ScriptVolume, contract.ScriptFolder, "", true)}
	if !s.bare() {
		mounts = append(mounts, ioMount())
	}
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		switch {
		case input.Path() == "":
		case input.ValueFromSandbox:
			mounts = append(mounts, mount(contract.ParamsVolume, path.Clean(input.Path()), input.Name, true))
		default:
			mounts = append(mounts, mount(contract.IOVolume, path.Clean(input.Path()), inputsFolder+input.Name, true))
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

func mount(volume, at, subPath string, readOnly bool) manifest.Map {
	fields := []manifest.Field{
		manifest.KV("mountPath", manifest.String(at)),
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
func withoutClashes(template manifest.Map, s *step) (manifest.Map, []strictyaml.Problem) {
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

func withoutOurs(env manifest.List, s *step) (kept manifest.List, problems []strictyaml.Problem) {
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
		problems = append(problems, strictyaml.Problem{
			Severity: krm.Warning, Path: overlayPath,
			Message: fmt.Sprintf("variable %q of the overlay is not used: step %q sets it", name, s.spec.Name),
		})
	}
	return kept, problems
}

var reservedVariables = [...]string{
	contract.SandboxIDVariable, contract.SandboxNameVariable, contract.ResourceNameVariable,
}
