package status

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/render/engine/argo"
)

// Objects is what exists in a cluster of rendered objects, as far as it is known. Of Secrets, and of kinds other than
// workloads, TaskRuns, Pods and Events, only the metadata is decoded.
type Objects struct {
	// Namespace is the only one to read, empty for all.
	Namespace string

	jobs []*batchv1.Job
	pods []*corev1.Pod
	// of engines
	workflows    []*workflow
	pipelineRuns []*pipelineRun
	taskRuns     []*taskRun

	secrets []*metav1.PartialObjectMetadata
	others  []*metav1.PartialObjectMetadata
	events  []*event
	// kinds are the kinds of all objects that were read, whoever made them.
	kinds  map[string]bool
	newest metav1.Time
	// noSecrets means that the Secrets of the cluster are not known.
	noSecrets bool
	// lacks are the kinds that are not known, and why.
	lacks []lack
}

type lack struct{ kind, why string }

// Newest is the newest timestamp of the rendered objects and of all events: the time at which a dump was made, about.
func (o *Objects) Newest() metav1.Time { return o.newest }

// Lack notes that the objects of a kind are not known, and why.
func (o *Objects) Lack(kind, why string) {
	o.noSecrets = o.noSecrets || kind == secretKind
	o.lacks = append(o.lacks, lack{kind, why})
}

// unknown says what is not known of what a report needs: Pods and Events say why workloads are not ready.
func (o *Objects) unknown(report *Report) []string {
	var unknown []string
	for _, l := range o.lacks {
		if l.kind != podKind && l.kind != eventKind || len(report.Unready()) > 0 {
			unknown = append(unknown, l.kind+"s "+l.why)
		}
	}
	for _, w := range o.workflows {
		if w.unread != "" {
			unknown = append(unknown, fmt.Sprintf("the tasks of workflow/%s of namespace %q: %s",
				w.Metadata.Name, w.Metadata.Namespace, w.unread))
		}
	}
	return unknown
}

// LackUnread notes the kinds of which no object at all was read: nobody asked for them. Engines are missed if there is
// something of theirs.
func (o *Objects) LackUnread() {
	runners := map[string]bool{}
	for _, p := range o.pods {
		runners[runnerOf(p).kind] = true
	}
	for kind, isMissed := range map[string]bool{
		secretKind: true, podKind: true,
		workflowKind: runners[workflowKind], pipelineRunKind: runners[pipelineRunKind] || len(o.taskRuns) > 0,
		taskRunKind: slices.ContainsFunc(o.pipelineRuns, func(p *pipelineRun) bool { return len(p.Status.ChildReferences) > 0 }),
	} {
		if isMissed && !o.kinds[kind] {
			o.Lack(kind, "are not in the dump")
		}
	}
	slices.SortFunc(o.lacks, func(a, b lack) int { return cmp.Or(cmp.Compare(b.kind, a.kind), cmp.Compare(a.why, b.why)) })
}

// Read adds the objects of what kubectl get -o json or -o yaml prints: a List, one object, or several after each other.
// No error holds a value of a Secret.
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

// lineOf returns where the text is wrong, and nothing that the text says.
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
			at := len(text) // it ends too early
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

// add adds an object, or those of a List. The items of a typed list, such as a PodList, may lack their kind.
func (o *Objects) add(text []byte, kind string) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string            `json:"name"`
			Namespace string            `json:"namespace"`
			Labels    map[string]string `json:"labels"`
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
	if o.kinds == nil {
		o.kinds = map[string]bool{}
	}
	o.kinds[head.Kind] = true
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

// decode adds an object of a kind. The items of lists may lack their API version.
func (o *Objects) decode(apiVersion, kind string, text []byte) error {
	group, _, _ := strings.Cut(apiVersion, "/")
	switch {
	case kind == jobKind:
		return decode(text, &o.jobs, o.seeJob)
	case kind == podKind:
		return decode(text, &o.pods, o.seePod)
	case kind == secretKind:
		return decode(text, &o.secrets, o.seeMetadata)
	case kind == eventKind:
		return decode(text, &o.events, func(e *event) { o.see(e.time()) })
	case kind == workflowKind && (group == argo.Group || group == ""):
		return decode(text, &o.workflows, o.seeWorkflow)
	case kind == pipelineRunKind:
		return decode(text, &o.pipelineRuns, func(p *pipelineRun) { o.seeRun(&p.Metadata, &p.Status.runStatus) })
	case kind == taskRunKind:
		return decode(text, &o.taskRuns, func(r *taskRun) { o.seeRun(&r.Metadata, &r.Status.runStatus) })
	default:
		return decode(text, &o.others, o.seeMetadata)
	}
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

// see takes note of a timestamp.
func (o *Objects) see(times ...metav1.Time) {
	for _, t := range times {
		if o.newest.Before(&t) {
			o.newest = t
		}
	}
}

// seeMetadata drops the annotations of others: one of kubectl's has the values that a Secret was applied with.
func (o *Objects) seeMetadata(p *metav1.PartialObjectMetadata) {
	o.see(p.CreationTimestamp)
	for key := range p.Annotations {
		if !strings.HasPrefix(key, contract.Group+"/") {
			delete(p.Annotations, key)
		}
	}
}

func (o *Objects) seeJob(j *batchv1.Job) {
	o.see(j.CreationTimestamp)
	for _, c := range j.Status.Conditions {
		o.see(c.LastTransitionTime, c.LastProbeTime)
	}
	if j.Status.StartTime != nil {
		o.see(*j.Status.StartTime)
	}
}

func (o *Objects) seePod(p *corev1.Pod) {
	o.see(p.CreationTimestamp)
	for _, c := range p.Status.Conditions {
		o.see(c.LastTransitionTime, c.LastProbeTime)
	}
	for _, c := range containersOf(p) {
		if c.State.Terminated != nil {
			o.see(c.State.Terminated.FinishedAt)
		}
		if c.State.Running != nil {
			o.see(c.State.Running.StartedAt)
		}
	}
}

func (o *Objects) seeWorkflow(w *workflow) {
	w.readNodes()
	o.see(w.Metadata.CreationTimestamp, w.Status.StartedAt, w.Status.FinishedAt)
	for _, n := range w.Status.Nodes {
		o.see(n.StartedAt, n.FinishedAt)
	}
}

func (o *Objects) seeRun(m *metav1.ObjectMeta, s *runStatus) {
	o.see(m.CreationTimestamp, s.since(m.CreationTimestamp))
	for _, c := range s.Conditions {
		o.see(c.LastTransitionTime)
	}
}
