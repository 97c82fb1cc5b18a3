package renderdiff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds that are decoded in their own way.
const (
	kindJob       = "Job"
	kindPod       = "Pod"
	kindSecret    = "Secret"
	kindConfigMap = "ConfigMap"
)

// identity identifies an object. The group is that of the apiVersion: an object is the same in every version.
type identity struct{ group, kind, namespace, name string }

// object is a rendered object, decoded as far as it is compared.
type object struct {
	identity
	metav1.ObjectMeta

	order int
	// job is the spec of a Job, of a Pod or a task its template alone; nil for others.
	job *batchv1.JobSpec
	// tasks are those of a workload of several, which are compared in its place; task is the name of one of them.
	tasks []*object
	task  string
	// data is that of a ConfigMap.
	data map[string]string
	// fields are those of other objects than workloads, Secrets and ConfigMaps.
	fields map[string]any
}

func decodeError(item *krm.Item, err error) error {
	return fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
}

// decodeAll decodes the rendered objects among items.
func decodeAll(items []*krm.Item) ([]*object, error) {
	all := make([]*object, len(items))
	errs := make([]error, len(items))
	krm.Each(len(items), func(i int) {
		if all[i], errs[i] = decode(items[i]); errs[i] == nil {
			all[i].order = i
			for _, task := range all[i].tasks {
				task.order = i
			}
		}
	})
	kept := make([]*object, 0, len(all))
	for i, o := range all {
		if errs[i] != nil {
			return nil, decodeError(items[i], errs[i])
		}
		switch {
		case !o.isOurs():
		case len(o.tasks) > 0:
			kept = append(kept, o.tasks...)
		default:
			kept = append(kept, o)
		}
	}
	return kept, nil
}

func decode(item *krm.Item) (*object, error) {
	text, err := item.Bytes()
	if err != nil {
		return nil, err
	}
	if text, err = yaml.ToJSON(text); err != nil {
		return nil, err
	}
	o := &object{}
	group, _, found := strings.Cut(item.APIVersion(), "/")
	if !found {
		group = ""
	}
	err = o.decode(group, item.Kind(), text)
	o.identify(group, item.Kind(), o.Name)
	for _, task := range o.tasks {
		task.identify(group, item.Kind(), o.Name+"/"+task.task)
	}
	return o, err
}

func (o *object) decode(group, kind string, text []byte) (err error) {
	e, of := engines.Of(group, kind)
	switch {
	case e != nil && of.Group == group && of.WorkloadLabel == "":
		err = o.decodeWorkload(e, kind, text)
	case kind == kindSecret && group == "":
		var secret metav1.PartialObjectMetadata // its values are never decoded
		err = json.Unmarshal(text, &secret)
		o.ObjectMeta = secret.ObjectMeta
	case kind == kindConfigMap && group == "":
		var configMap corev1.ConfigMap
		err = json.Unmarshal(text, &configMap)
		o.ObjectMeta, o.data = configMap.ObjectMeta, configMap.Data
	default:
		err = o.decodeOther(text)
	}
	return err
}

func (o *object) identify(group, kind, name string) {
	o.identity = identity{group, kind, o.Namespace, name}
	if o.namespace == metav1.NamespaceDefault {
		o.namespace = "" // an object without one is applied there
	}
}

func (o *object) decodeOther(text []byte) error {
	var free unstructured.Unstructured
	if err := json.Unmarshal(text, &free.Object); err != nil {
		return err
	}
	var partial metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &partial); err != nil {
		return err
	}
	o.ObjectMeta, o.fields = partial.ObjectMeta, free.Object
	return nil
}

// isOurs reports whether a renderer made the object. Objects that a controller made from it have the same labels, and an
// owner.
func (o *object) isOurs() bool {
	if len(o.OwnerReferences) > 0 {
		return false
	}
	return o.Annotations[contract.RenderedByKey] != "" || o.Annotations[contract.AppliedByKey] != "" ||
		o.Labels[contract.ManagedByKey] == contract.ManagedBy && o.fact(contract.PhaseKey) != ""
}

// fact returns an annotation or label; the annotation takes precedence, since labels may be shortened.
func (o *object) fact(key string) string { return cmp.Or(o.Annotations[key], o.Labels[key]) }

// sandboxName returns the lower-cased name of the sandbox of the object, empty if it has none.
func (o *object) sandboxName() string { return strings.ToLower(o.fact(contract.SandboxKey)) }

// isHook reports whether a tool applies the object later, when it removes the objects that it applied.
func (o *object) isHook() bool {
	return o.Annotations["helm.sh/hook"] != "" || o.Annotations["argocd.argoproj.io/hook"] != ""
}

// isWorkload reports whether the object runs something, as does one whose tasks are compared in its place.
func (o *object) isWorkload() bool { return o.job != nil || len(o.tasks) > 0 }

// helper identifies a helper within its phase: its name, the namespace that it copies to, and the Secret of an OutputSecret.
func (o *object) helper() string {
	name := o.fact(contract.HelperKey) + " " + o.fact(contract.CopyToKey)
	if o.job != nil && o.job.Template.Annotations[contract.OutputSecretKey] != "" {
		name += "/" + o.job.Template.Annotations[contract.OutputSecretKey]
	}
	return name
}
