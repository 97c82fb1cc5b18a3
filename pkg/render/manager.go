package render

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// inputManager is the init container that waits for the producers, brings their outputs and the runner into the shared
// volume, and sees whether the step was published already.
func (b *Blueprint) inputManager(s *step) manifest.Map {
	env := secretVariables(len(s.producers))
	if s.publishes() {
		env = append(env, annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey))
	}
	return b.helper(contract.InputManager, contract.HelperInputs, env, ioMount(), tokenMount())
}

// outputManager is the container that waits for the script's end and publishes what it left.
func (b *Blueprint) outputManager() manifest.Map {
	return b.helper(contract.OutputManager, contract.HelperOutputs, manifest.List{
		fieldVariable(contract.NamespaceVariable, "metadata.namespace"),
		annotationVariable(contract.OutputSecretVariable, contract.OutputSecretKey),
	}, ioMount(), tokenMount())
}

// secretVariables tell a helper the namespace and the names of producers' Secrets.
func secretVariables(producers int) manifest.List {
	env := make(manifest.List, 1, 1+producers)
	env[0] = fieldVariable(contract.NamespaceVariable, "metadata.namespace")
	for i := range producers {
		env = append(env, annotationVariable(contract.InputSecretVariable(i), contract.InputSecretKey(i)))
	}
	return env
}

func ioMount() manifest.Map    { return mount(contract.IOVolume, contract.IOFolder, "", false) }
func tokenMount() manifest.Map { return mount(contract.TokenVolume, contract.TokenMountPath, "", true) }

// helper is a container of ours: no privileges, nothing writable but a shared volume, little of the node.
func (b *Blueprint) helper(name, command string, env manifest.List, mounts ...manifest.Value) manifest.Map {
	return manifest.NewMap(
		manifest.KV("command", manifest.Strings(contract.HelperBinary, command)),
		manifest.KV("env", env),
		manifest.KV("image", manifest.String(b.options.HelperImage)),
		manifest.KV("name", manifest.String(name)),
		manifest.KV("resources", manifest.NewMap(
			manifest.KV("limits", amounts("500m", "128Mi")),
			manifest.KV("requests", amounts("10m", "16Mi")),
		)),
		manifest.KV("securityContext", manifest.NewMap(
			manifest.KV("allowPrivilegeEscalation", manifest.Bool(false)),
			manifest.KV("capabilities", manifest.NewMap(manifest.KV("drop", manifest.Strings("ALL")))),
			manifest.KV("readOnlyRootFilesystem", manifest.Bool(true)),
			manifest.KV("runAsGroup", manifest.Int(contract.HelperUserID)),
			manifest.KV("runAsNonRoot", manifest.Bool(true)),
			manifest.KV("runAsUser", manifest.Int(contract.HelperUserID)),
			manifest.KV("seccompProfile", manifest.NewMap(manifest.KV("type", manifest.String("RuntimeDefault")))),
		)),
		manifest.KV("volumeMounts", manifest.List(mounts)),
	)
}

func amounts(cpu, memory string) manifest.Map {
	return manifest.NewMap(manifest.KV("cpu", manifest.String(cpu)), manifest.KV("memory", manifest.String(memory)))
}

func fieldVariable(name, path string) manifest.Map {
	return manifest.NewMap(
		manifest.KV("name", manifest.String(name)),
		manifest.KV("valueFrom", manifest.NewMap(
			manifest.KV("fieldRef", manifest.NewMap(manifest.KV("fieldPath", manifest.String(path)))),
		)),
	)
}

// annotationVariable is a variable with the value of an annotation of the Pod: a later kustomize overlay renames what
// annotations name, and nothing in variables.
func annotationVariable(name, annotation string) manifest.Map {
	return fieldVariable(name, "metadata.annotations['"+annotation+"']")
}

// tokenVolume holds a token and the API server's certificate for the helpers; main does not mount it.
func tokenVolume() manifest.Map {
	return manifest.NewMap(
		manifest.KV("name", manifest.String(contract.TokenVolume)),
		manifest.KV("projected", manifest.NewMap(
			manifest.KV("defaultMode", readable),
			manifest.KV("sources", manifest.List{
				manifest.NewMap(manifest.KV("serviceAccountToken", manifest.NewMap(
					manifest.KV("expirationSeconds", manifest.Int(3600)),
					manifest.KV("path", manifest.String("token")),
				))),
				manifest.NewMap(manifest.KV("configMap", manifest.NewMap(
					manifest.KV("items", manifest.List{manifest.NewMap(
						manifest.KV("key", manifest.String("ca.crt")),
						manifest.KV("path", manifest.String("ca.crt")),
					)}),
					manifest.KV("name", manifest.String("kube-root-ca.crt")),
				))),
			}),
		)),
	)
}
