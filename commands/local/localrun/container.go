package localrun

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// source is the data of a Secret or ConfigMap that a Pod refers to.
type source struct {
	data map[string][]byte
	// later means that a step must publish it first.
	later bool
}

// resolver creates a container from a step's Pod and the objects that it refers to, and collects missing objects.
type resolver struct {
	step *step
	// secret and configMap return the data of an object with a name, or nil if it does not exist.
	secret, configMap func(name string) *source

	problems problems
}

func (r *resolver) fail(at, format string, args ...any) {
	r.problems.add(r.step.label(), "spec."+at, fmt.Sprintf(format, args...))
}

// container returns the container of the step without name and log. Values that are published later are missing.
func (r *resolver) container() (Container, error) {
	main := r.step.main()
	c := Container{
		Image: main.Image, WorkingDir: main.WorkingDir, Plan: r.step.plan, Template: r.step.template,
	}
	c.Env = r.environment(main)
	known := map[string]string{}
	for _, variable := range c.Env {
		known[variable.Name] = variable.Value
	}
	for _, argument := range slices.Concat(main.Command, main.Args) {
		c.Command = append(c.Command, expand(argument, known))
	}
	for _, mount := range main.VolumeMounts {
		r.mount(&c, mount)
	}
	return c, r.problems.err()
}

// environment returns the variables of main in their order. If a name occurs twice, the last one counts.
func (r *resolver) environment(main *corev1.Container) []Variable {
	env := variables{index: map[string]int{}}
	for i, from := range main.EnvFrom {
		at := fmt.Sprintf("containers[main].envFrom[%d]", i)
		for _, key := range r.envFrom(at, from) {
			env.set(from.Prefix+key.Name, key.Value)
		}
	}
	known := map[string]string{}
	for _, v := range env.list {
		known[v.Name] = v.Value
	}
	for _, variable := range main.Env {
		value, found := expand(variable.Value, known), true
		if variable.ValueFrom != nil {
			value, found = r.valueFrom("containers[main].env["+variable.Name+"].valueFrom", variable.ValueFrom)
		}
		if found {
			env.set(variable.Name, value)
			known[variable.Name] = value
		}
	}
	return env.list
}

// variables are variables ordered by the first occurrence of their names.
type variables struct {
	list  []Variable
	index map[string]int
}

func (v *variables) set(name, value string) {
	if i, found := v.index[name]; found {
		v.list[i].Value = value
		return
	}
	v.index[name] = len(v.list)
	v.list = append(v.list, Variable{name, value})
}

// envFrom returns the keys of a source that are valid as names of variables, sorted.
func (r *resolver) envFrom(at string, from corev1.EnvFromSource) (found []Variable) {
	var got *source
	switch {
	case from.SecretRef != nil:
		got = r.object(at+".secretRef", "secret", from.SecretRef.Name, from.SecretRef.Optional)
	case from.ConfigMapRef != nil:
		got = r.object(at+".configMapRef", "configMap", from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
	}
	if got == nil {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(got.data)) {
		if !strings.ContainsAny(key, "=\x00") {
			found = append(found, Variable{key, string(got.data[key])})
		}
	}
	return found
}

// valueFrom returns the value of a reference, and whether it exists.
func (r *resolver) valueFrom(at string, from *corev1.EnvVarSource) (string, bool) {
	switch {
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		return r.key(at+".secretKeyRef", "secret", ref.Name, ref.Key, ref.Optional)
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		return r.key(at+".configMapKeyRef", "configMap", ref.Name, ref.Key, ref.Optional)
	case from.FieldRef != nil:
		return r.step.field(from.FieldRef.FieldPath)
	}
	return "", false
}

// field returns the value of a Pod's field if it is known locally.
func (s *step) field(path string) (string, bool) {
	switch path {
	case "metadata.namespace":
		return s.namespace, true
	case "metadata.name":
		return s.object, true
	}
	for prefix, in := range map[string]map[string]string{
		"metadata.labels['": s.template.Labels, "metadata.annotations['": s.template.Annotations,
	} {
		if key, found := strings.CutPrefix(path, prefix); found {
			return in[strings.TrimSuffix(key, "']")], true
		}
	}
	return "", false
}

func (r *resolver) key(at, kind, name, key string, optional *bool) (string, bool) {
	got := r.object(at, kind, name, optional)
	if got == nil || got.later {
		return "", got != nil
	}
	value, found := got.data[key]
	if !found && (optional == nil || !*optional) {
		r.fail(at+".key", "%s %q must have the key %q", kind, name, key)
	}
	return string(value), found
}

// object returns a Secret or ConfigMap. A missing object is a problem unless it is optional.
func (r *resolver) object(at, kind, name string, optional *bool) *source {
	look := r.configMap
	if kind == "secret" {
		look = r.secret
	}
	got := look(name)
	if got == nil && (optional == nil || !*optional) {
		r.fail(at+".name", "%s %q must be among the documents, in namespace %q or without a namespace: add one to PATH",
			kind, name, r.step.namespace)
	}
	return got
}

// mount adds the files of a volume at a path.
func (r *resolver) mount(c *Container, mount corev1.VolumeMount) {
	at := path.Clean(mount.MountPath)
	if !path.IsAbs(at) || at == "/" {
		r.fail("containers[main].volumeMounts", "mountPath must be an absolute path below /, not %q", mount.MountPath)
		return
	}
	i := slices.IndexFunc(r.step.template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
	if i < 0 {
		r.fail("containers[main].volumeMounts", "volume %q must be among spec.volumes", mount.Name)
		return
	}
	volume := &r.step.template.Spec.Volumes[i]
	switch {
	case volume.Name == contract.IOVolume && r.step.plan != nil:
		r.input(c, at, mount.SubPath)
	case volume.ConfigMap != nil:
		from := volume.ConfigMap
		got := r.object("volumes["+volume.Name+"].configMap", "configMap", from.Name, from.Optional)
		r.files(c, mount, got, from.Items, from.DefaultMode)
	case volume.Secret != nil:
		from := volume.Secret
		got := r.object("volumes["+volume.Name+"].secret", "secret", from.SecretName, from.Optional)
		r.files(c, mount, got, from.Items, from.DefaultMode)
	default: // an emptyDir, or an unsupported kind of volume
		c.Folders = append(c.Folders, at)
	}
}

// input adds an input that is read as a file. The engine provides the rest of the shared volume.
func (r *resolver) input(c *Container, at, subPath string) {
	name, isInput := strings.CutPrefix(contract.IOFolder+"/"+subPath, contract.InputsFolder+"/")
	if !isInput {
		return
	}
	for i, producer := range r.step.plan.Producers {
		for _, input := range producer.Inputs {
			if got := r.secret(r.step.inputs[i]); input.File == name && got != nil {
				c.Files = append(c.Files, File{Path: at, Content: got.data[input.Output], Mode: readable})
			}
		}
	}
}

// Modes of files in volumes: for inputs, and for volumes without a mode.
const (
	readable      fs.FileMode = 0o444
	ofVolumes     fs.FileMode = 0o644
	permissionBit fs.FileMode = 0o777
)

// files adds the keys of a Secret or ConfigMap as files: one with a subPath, otherwise all below the path.
func (r *resolver) files(c *Container, mount corev1.VolumeMount, got *source, items []corev1.KeyToPath, mode *int32) {
	if got == nil || got.later {
		return
	}
	if len(items) == 0 {
		for _, key := range slices.Sorted(maps.Keys(got.data)) {
			items = append(items, corev1.KeyToPath{Key: key, Path: key})
		}
	}
	for _, item := range items {
		file := File{Path: path.Join(mount.MountPath, item.Path), Content: got.data[item.Key], Mode: ofVolumes}
		for _, given := range []*int32{mode, item.Mode} {
			if given != nil {
				file.Mode = fs.FileMode(*given) & permissionBit
			}
		}
		if _, found := got.data[item.Key]; !found {
			r.fail("volumes["+mount.Name+"]", "its source must have the key %q", item.Key)
			continue
		}
		if mount.SubPath != "" {
			if path.Clean(mount.SubPath) != path.Clean(item.Path) {
				continue
			}
			file.Path = path.Clean(mount.MountPath)
		}
		c.Files = append(c.Files, file)
	}
}

// checkReferences reports all references of steps to objects that do not exist and that no step publishes.
func (p *phase) checkReferences() error {
	var found problems
	for _, s := range p.steps {
		r := p.resolver(s, func(string) *source { return &source{later: true} })
		_, _ = r.container()
		found = append(found, r.problems...)
	}
	return found.err()
}

// resolver returns the resolver of a step. published returns the data of the Secret of another step.
func (p *phase) resolver(s *step, published func(secret string) *source) *resolver {
	return &resolver{
		step: s,
		secret: func(name string) *source {
			if slices.Contains(s.inputs, name) {
				return published(name)
			}
			return sourceOf(p.values.secrets[name], s.namespace)
		},
		configMap: func(name string) *source { return sourceOf(p.values.configMaps[name], s.namespace) },
	}
}

func sourceOf(objects []bound, namespace string) *source {
	data, found := find(objects, namespace)
	if !found {
		return nil
	}
	return &source{data: data}
}
