package status

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// Read adds the objects from the output of kubectl get -o json or -o yaml: a List, one object, or several objects in a row.
// Errors never contain values of Secrets.
func (o *Objects) Read(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return o.readJSON(text)
	}
	documents := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var object []byte
		if err == nil {
			object, err = yaml.YAMLToJSON(document)
		}
		if err != nil {
			return fmt.Errorf("must be YAML or JSON%s", lineOf(err))
		}
		if string(object) == "null" {
			continue
		}
		if err := o.add(object, ""); err != nil {
			return err
		}
	}
}

var yamlLine = regexp.MustCompile(`line [0-9]+`)

// lineOf returns the line of a syntax error, without any of the text.
func lineOf(err error) string {
	if line := yamlLine.FindString(err.Error()); line != "" {
		return ": see " + line
	}
	return ""
}

func (o *Objects) readJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var object json.RawMessage
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			at := len(text) // unexpected end of the text
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				at = min(int(syntax.Offset), len(text))
			}
			return fmt.Errorf("must be YAML or JSON: see line %d", 1+bytes.Count(text[:at], []byte("\n")))
		}
		if err := o.add(object, ""); err != nil {
			return err
		}
	}
}

// ReadHistory adds workloads of the sandboxes of a render that are not part of it. They show which steps have run since.
func (o *Objects) ReadHistory(text []byte) error {
	if o.history == nil {
		o.history = &Objects{}
	}
	return o.history.Read(text)
}

// ReadNamespaces adds the namespaces from the output of kubectl get -o json, and nothing else.
func (o *Objects) ReadNamespaces(text []byte) {
	read := &Objects{}
	if read.Read(text) == nil {
		o.terminating = read.terminating
	}
}

// add adds an object, or the items of a List. The items of a typed list, such as a PodList, may lack their kind.
func (o *Objects) add(text []byte, kind string) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string            `json:"name"`
			Namespace string            `json:"namespace"`
			Labels    map[string]string `json:"labels"`
			Deletion  *metav1.Time      `json:"deletionTimestamp"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return errors.New("must hold objects of Kubernetes, as kubectl get prints them with -o json or -o yaml")
	}
	if of, isList := strings.CutSuffix(head.Kind, "List"); isList && kind == "" {
		for _, item := range head.Items {
			if err := o.add(item, of+"?"); err != nil {
				return err
			}
		}
		return nil
	}
	if head.Kind == "" {
		head.Kind = strings.TrimSuffix(kind, "?")
	}
	o.note(head.Kind, head.Metadata.Name, head.Metadata.Deletion != nil)
	labels := head.Metadata.Labels
	name, namespace := head.Metadata.Name, head.Metadata.Namespace
	isOurs := labels[contract.SandboxKey] != "" && labels[contract.ResourceKey] != ""
	if !isOurs && head.Kind != eventKind || o.Namespace != "" && o.Namespace != namespace || name == "" {
		return nil
	}
	if err := o.decode(head.APIVersion, head.Kind, text); err != nil {
		return fmt.Errorf("must have %s %q of namespace %q as kubectl prints it", head.Kind, name, namespace)
	}
	return nil
}

// note remembers which kinds were read, and which namespaces are being deleted.
func (o *Objects) note(kind, name string, isDeleted bool) {
	if o.kinds == nil {
		o.kinds, o.terminating = map[string]bool{}, map[string]bool{}
	}
	o.kinds[kind] = true
	if kind == namespaceKind && isDeleted {
		o.terminating[name] = true
	}
}

// decode adds an object of a kind. The items of a list may lack their API version.
func (o *Objects) decode(apiVersion, kind string, text []byte) error {
	group, _, _ := strings.Cut(apiVersion, "/")
	if !strings.Contains(apiVersion, "/") {
		group = ""
	}
	e, _ := engines.Of(group, kind)
	switch {
	case kind == secretKind:
		return decode(text, &o.secrets, func(s *outputSecret) {
			o.seeMetadata(&s.PartialObjectMetadata)
			s.findKeys()
		})
	case kind == eventKind:
		return decode(text, &o.events, func(e *event) { o.see(e.time()) })
	case kind == podKind:
		if err := decode(text, &o.pods, o.seePod); err != nil || o.pods[len(o.pods)-1].runner.kind != podKind {
			return err
		}
	case e == nil:
		return decode(text, &o.others, o.seeMetadata)
	}
	object, err := e.Read(kind, text)
	if err != nil {
		return err
	}
	if o.objects == nil {
		o.objects = map[engine.Engine][]*engine.Object{}
	}
	o.objects[e] = append(o.objects[e], object)
	o.see(append(object.Times, object.CreationTimestamp)...)
	return nil
}

func decode[T any](text []byte, objects *[]*T, see func(*T)) error {
	object := new(T)
	if err := json.Unmarshal(text, object); err != nil {
		return err
	}
	see(object)
	*objects = append(*objects, object)
	return nil
}

// see updates the newest timestamp.
func (o *Objects) see(times ...metav1.Time) {
	for _, t := range times {
		if o.newest.Before(&t) {
			o.newest = t
		}
	}
}

// seeMetadata drops the annotations of other tools: one of kubectl's contains the values of an applied Secret.
func (o *Objects) seeMetadata(p *metav1.PartialObjectMetadata) {
	o.see(p.CreationTimestamp)
	for key := range p.Annotations {
		if !strings.HasPrefix(key, contract.Group+"/") {
			delete(p.Annotations, key)
		}
	}
}

func (o *Objects) seePod(p *pod) {
	o.see(p.CreationTimestamp)
	for _, c := range p.Status.Conditions {
		o.see(c.LastTransitionTime, c.LastProbeTime)
	}
	for _, c := range p.containers() {
		if c.State.Terminated != nil {
			o.see(c.State.Terminated.FinishedAt)
		}
		if c.State.Running != nil {
			o.see(c.State.Running.StartedAt)
		}
	}
	p.runner = runnerOf(&p.Pod)
}

// containers returns the states of a Pod's containers, in their order.
func (p *pod) containers() []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}
