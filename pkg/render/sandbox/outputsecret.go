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
	ofSandbox := document.OutputSecrets{}
	for _, item := range items {
		read, _ := document.ReadOutputSecret(item)
		ofSandbox.Add(read)
	}
	for _, s := range sandboxes {
		for _, read := range ofSandbox.Of(s.Item) {
			resource, choice := r.plugin(s, &v1alpha1.ResourceOutput{Name: read.Spec.Resource})
			if choice == nil {
				r.list.Report(krm.At(read.Item, "spec.resource", krm.Error, fmt.Sprintf("must be a resource of sandbox %q whose plugin "+
					"is in the list: workloads read outputs by their generation, which depends on the plugin", s.Item.Name())))
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
	byName := map[identity]*outputSecret{}
	for i := range slices.Backward(secrets) {
		s := &secrets[i]
		byName[identity{s.Namespace, document.Identity(s.Item)}] = s
	}
	for i := range slices.Backward(secrets) {
		byName[identity{secrets[i].Namespace, secrets[i].Name}] = &secrets[i]
	}
	for _, item := range list.Items() {
		path, isWorkload := podSpecs[item.Kind()]
		if _, isRendered := item.Annotation(contract.RenderedByKey); !isWorkload || isRendered {
			continue
		}
		r := &reader{list: list, item: item, secrets: byName, namespace: cmp.Or(item.Namespace(), namespaceOfOthers)}
		if isReader, err := r.refers(); err != nil || !isReader {
			if err != nil {
				return nil, err
			}
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

// identity is the namespace and the name of an object.
type identity struct{ namespace, name string }

// reader is a workload while its references to Secrets are changed.
type reader struct {
	list      *krm.ResourceList
	item      *krm.Item
	secrets   map[identity]*outputSecret // by their names, and by those before kustomize gave them a prefix or suffix
	namespace string                     // of the workload
	reads     bool                       // it refers to one of them
}

// refers reports whether the name of a Secret of the namespace is a value anywhere in the workload. Others are not changed,
// and those that name no Secret are not parsed.
func (r *reader) refers() (bool, error) {
	content, err := r.item.Bytes()
	if err != nil || !bytes.Contains(content, []byte("secret")) && !bytes.Contains(content, []byte("Secret")) {
		return false, err
	}
	if err := r.item.Parse(); err != nil {
		return false, err
	}
	return r.names(r.item.YNode()), nil
}

func (r *reader) names(node *yaml.Node) bool {
	if node.Kind == yaml.ScalarNode {
		return r.secrets[identity{r.namespace, node.Value}] != nil
	}
	return slices.ContainsFunc(node.Content, r.names)
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
			generated := newText(contract.WorkloadKey(key, s.generation))
			items.Content = append(items.Content, newMapping("key", generated, "path", newText(key)))
		}
		source.Content = append(source.Content, newText("items"), items)
		return
	}
	for i, item := range items.Content {
		r.key(s, at.Key("items").Index(i).Key("key"), item)
	}
}

// secret returns the OutputSecret of a name, or of the name that it had before kustomize gave it a prefix or suffix, and
// makes it the present one.
func (r *reader) secret(name *yaml.Node) *outputSecret {
	if name == nil {
		return nil
	}
	s := r.secrets[identity{r.namespace, name.Value}]
	if s == nil {
		return nil
	}
	r.reads = true
	setText(name, s.Name)
	return s
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
		r.list.Report(krm.At(r.item, at, krm.Error,
			fmt.Sprintf("must be a key of the OutputSecret %q, not %q: %s", s.Name, name, known)))
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
