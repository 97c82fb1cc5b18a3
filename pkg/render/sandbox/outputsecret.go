package sandbox

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// podSpecs are the paths of the Pod specs of workloads.
var podSpecs = map[string]krm.Path{
	"CronJob": "spec.jobTemplate.spec.template.spec", "DaemonSet": "spec.template.spec", deployment: "spec.template.spec",
	"Job": "spec.template.spec", "Pod": "spec", "ReplicaSet": "spec.template.spec", rollout: "spec.template.spec",
	"StatefulSet": "spec.template.spec",
}

// outputSecret is an OutputSecret document with the generation of its content.
type outputSecret struct {
	*document.OutputSecret
	generation string
}

// readOutputSecrets returns the OutputSecrets of the sandboxes whose plugins are in the list.
func (r *outputResolver) readOutputSecrets(sandboxes []*input) (all []outputSecret, err error) {
	items, err := r.list.Select(contract.APIVersion, contract.OutputSecret)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		read, _ := document.ReadOutputSecret(item)
		for _, s := range sandboxes {
			if !read.IsOf(s.Item) {
				continue
			}
			resource, choice := r.plugin(s, &v1alpha1.ResourceOutput{Name: read.Spec.Resource})
			if choice == nil {
				r.list.Report(krm.At(item, "spec.resource", krm.Error, fmt.Sprintf("must be a resource of sandbox %q whose plugin is in "+
					"the list: workloads read outputs by their generation, which depends on the plugin", s.Item.Name())))
				continue
			}
			all = append(all, outputSecret{read, read.Generation(r.generationsOf(s, resource, choice))})
		}
	}
	return all, nil
}

// readOutputs makes the workloads that read the Secret of an OutputSecret read the keys of its generation, and returns them.
// Such a workload is restarted when the generation changes, and no Pod of it starts before that is published.
func readOutputs(list *krm.ResourceList, secrets []outputSecret, namespaceOfOthers string) (readers []*krm.Item, err error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	for _, item := range list.Items() {
		path, isWorkload := podSpecs[item.Kind()]
		if !isWorkload {
			continue
		}
		r := &reader{list: list, item: item}
		if err := r.find(secrets, namespaceOfOthers); err != nil {
			return nil, err
		}
		if len(r.secrets) == 0 {
			continue
		}
		err := item.Edit(func(object *kyaml.RNode) error {
			defer r.podSpec(path, object.YNode())
			return object.DeAnchor()
		})
		if err != nil {
			return nil, err
		}
		if r.reads {
			readers = append(readers, item)
		}
	}
	return readers, nil
}

// reader is a workload while its references to Secrets are changed.
type reader struct {
	list    *krm.ResourceList
	item    *krm.Item
	secrets []*outputSecret // of its namespace
	reads   bool            // it refers to one of them
}

// find finds the Secrets of the namespace whose names are in the text of the workload, so that others are not parsed.
func (r *reader) find(secrets []outputSecret, namespaceOfOthers string) error {
	content, err := r.item.Bytes()
	if _, isRendered := r.item.Annotation(contract.RenderedByKey); err != nil || isRendered {
		return err
	}
	for i := range secrets {
		s := &secrets[i]
		isNamed := bytes.Contains(content, []byte(s.Name)) || bytes.Contains(content, []byte(document.Identity(s.Item)))
		if isNamed && s.Namespace == cmp.Or(r.item.Namespace(), namespaceOfOthers) {
			r.secrets = append(r.secrets, s)
		}
	}
	if len(r.secrets) == 0 {
		return nil
	}
	return r.item.Parse()
}

func (r *reader) podSpec(path krm.Path, root *yaml.Node) {
	pod, found := path.Find(root)
	if !found {
		return
	}
	for _, list := range []string{"initContainers", "containers"} {
		for i, container := range nodesOf(pod, list) {
			r.container(path.Key(list).Index(i), container)
		}
	}
	for i, volume := range nodesOf(pod, "volumes") {
		at := path.Key("volumes").Index(i)
		r.volume(at.Key("secret"), krm.Value(volume, "secret"), "secretName")
		for n, source := range nodesOf(krm.Value(volume, "projected"), "sources") {
			r.volume(at.Key("projected").Key("sources").Index(n).Key("secret"), krm.Value(source, "secret"), "name")
		}
	}
}

func (r *reader) container(at krm.Path, container *yaml.Node) {
	for i, variable := range nodesOf(container, "env") {
		from := krm.Value(krm.Value(variable, "valueFrom"), "secretKeyRef")
		if s := r.secret(krm.Value(from, "name")); s != nil {
			r.key(s, at.Key("env").Index(i).Key("valueFrom").Key("secretKeyRef").Key("key"), from)
		}
	}
	sources := krm.Value(container, "envFrom")
	if sources == nil {
		return
	}
	var added []*yaml.Node
	sources.Content = slices.DeleteFunc(sources.Content, func(source *yaml.Node) bool {
		s := r.secret(krm.Value(krm.Value(source, "secretRef"), "name"))
		if s != nil {
			added = append(added, s.variables(valueOf(krm.Value(source, "prefix")), nodesOf(container, "env"))...)
		}
		return s != nil
	})
	if len(sources.Content) == 0 {
		removeKey(container, "envFrom")
	}
	if len(added) > 0 {
		env := krm.Value(container, "env")
		if env == nil {
			env = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			container.Content = append(container.Content, newText("env"), env)
		}
		env.Content = append(added, env.Content...)
	}
}

// volume changes a source of a volume: its items, or all keys of the Secret.
func (r *reader) volume(at krm.Path, source *yaml.Node, nameKey string) {
	s := r.secret(krm.Value(source, nameKey))
	if s == nil {
		return
	}
	items := krm.Value(source, "items")
	if items == nil {
		items = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, key := range s.Keys() {
			items.Content = append(items.Content, newMapping("key", newText(contract.WorkloadKey(key, s.generation)), "path", newText(key)))
		}
		source.Content = append(source.Content, newText("items"), items)
		return
	}
	for i, item := range items.Content {
		r.key(s, at.Key("items").Index(i).Key("key"), item)
	}
}

// secret returns the OutputSecret of a name, or of the name that it had before kustomize gave it a prefix or suffix, and makes
// it the present one.
func (r *reader) secret(name *yaml.Node) *outputSecret {
	if name == nil {
		return nil
	}
	i := slices.IndexFunc(r.secrets, func(s *outputSecret) bool { return s.Name == name.Value })
	if i < 0 {
		i = slices.IndexFunc(r.secrets, func(s *outputSecret) bool { return document.Identity(s.Item) == name.Value })
	}
	if i < 0 {
		return nil
	}
	r.reads = true
	setText(name, r.secrets[i].Name)
	return r.secrets[i]
}

// key makes a reference to a key one to that of the generation. It may be to that of an earlier one.
func (r *reader) key(s *outputSecret, at krm.Path, reference *yaml.Node) {
	key := krm.Value(reference, "key")
	if key == nil {
		return
	}
	name := key.Value
	if at := strings.LastIndexByte(name, '.'); at >= 0 && len(name)-at == len(contract.WorkloadKey("", s.generation)) &&
		s.Spec.Data[name] == "" {
		name = name[:at]
	}
	if s.Spec.Data[name] == "" {
		known := strictyaml.Listed(s.Keys())
		if near, _ := strictyaml.Nearest(name, s.Keys()); near != "" {
			known = fmt.Sprintf("did you mean %q?", near)
		}
		r.list.Report(krm.At(r.item, at, krm.Error, fmt.Sprintf("must be a key of the OutputSecret %q, not %q: %s", s.Name, name, known)))
		return
	}
	setText(key, contract.WorkloadKey(name, s.generation))
}

// variables returns a variable for each key, as envFrom has them: a container must not start without them. Those that the
// container sets itself take precedence, as with envFrom.
func (s *outputSecret) variables(prefix string, own []*yaml.Node) (env []*yaml.Node) {
	for _, key := range s.Keys() {
		name := prefix + key
		if document.CheckVariable(name) != "" ||
			slices.ContainsFunc(own, func(v *yaml.Node) bool { return valueOf(krm.Value(v, "name")) == name }) {
			continue
		}
		env = append(env, newMapping("name", newText(name), "valueFrom", newMapping("secretKeyRef",
			newMapping("key", newText(contract.WorkloadKey(key, s.generation)), "name", newText(s.Name)))))
	}
	return env
}
