package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// outputSecret is an OutputSecret being checked.
type outputSecret struct {
	*document.OutputSecret
	Document
}

const (
	dataPath      krm.Path = "spec.data"
	namespacePath krm.Path = "metadata.namespace"
)

func (s *outputSecret) check() {
	read, problems := document.ReadOutputSecret(s.item)
	s.OutputSecret, s.Document = read, newDocument(s.item, problems)
	checksOf(func(r *Rule, check outputSecretCheck) { check(r, s) })
}

// sandboxOf returns the sandbox whose outputs a Secret has, or nil if the list does not have it.
func (d *documents) sandboxOf(secret *outputSecret) *sandbox {
	if d.ofSecret == nil {
		d.ofSecret = map[*document.OutputSecret]*sandbox{}
		secrets := document.OutputSecrets{}
		for _, s := range d.secrets {
			secrets.Add(s.OutputSecret)
		}
		for _, s := range slices.Backward(d.sandboxes) {
			for _, of := range secrets.Of(s.item) {
				d.ofSecret[of] = s
			}
		}
	}
	return d.ofSecret[secret.OutputSecret]
}

var outputSecretName = Rule{
	ID: "output-secret-name", Severity: krm.Error,
	Summary: "An OutputSecret has a name and a namespace, which are those of the Secret; namespaces that start with kube- " +
		"are those of Kubernetes.",
	Why:     "The Secret could not be created, or would be where no workload of yours runs.",
	Sources: []string{kubernetesName},
	Example: "metadata.name: Shop_DB",
	checks: []check{outputSecretCheck(func(r *Rule, s *outputSecret) {
		if s.Name == "" {
			s.Report(r, namePath, "name must not be empty")
		}
		s.Must(r, namePath, "name", document.CheckSubdomain(s.Name))
		switch {
		case s.Namespace == "":
			s.Report(r, namespacePath, "must be set: it is the namespace of the workloads that read the Secret")
		case strings.HasPrefix(s.Namespace, "kube-"):
			s.Report(r, namespacePath, "must be a namespace of your workloads, not %q, which is one of Kubernetes", s.Namespace)
		default:
			s.Must(r, namespacePath, "namespace", document.CheckLabel(s.Namespace))
		}
	})},
}

var duplicateOutputSecret = Rule{
	ID: "duplicate-output-secret", Severity: krm.Error,
	Summary: "A list has one OutputSecret of a name in a namespace.",
	Why:     "Both would write the same Secret, and the workloads would get the outputs of either.",
	Sources: []string{},
	Example: "metadata.name: shop-db",
	checks: []check{listCheck{contract.OutputSecret, func(r *Rule, d *documents) {
		for s, other := range repeated(d.secrets, (*outputSecret).identity) {
			s.Report(r, namePath, "the Secret %q of namespace %q is written twice: another OutputSecret%s; rename one of them, or "+
				"give it the keys of both", s.Name, s.Namespace, Origin(other.Item))
		}
	}}},
}

func (s *outputSecret) identity() identity { return identity{s.Name, s.Namespace} }

var outputSecretResource = Rule{
	ID: "output-secret-resource", Severity: krm.Error,
	Summary: "The resource of an OutputSecret is one of its sandbox, and if a list holds sandboxes, it holds that one.",
	Why:     "The workloads would wait for a Secret that nothing writes.",
	Sources: []string{},
	Example: "spec.resource: bd",
	checks: []check{listCheck{contract.OutputSecret, func(r *Rule, d *documents) {
		if len(d.sandboxes) == 0 {
			return
		}
		for _, s := range d.secrets {
			s.findResource(r, d)
		}
	}}},
}

func (s *outputSecret) findResource(r *Rule, d *documents) {
	of := d.sandboxOf(s)
	if of == nil {
		names := make([]string, 0, len(d.sandboxes))
		for _, one := range d.sandboxes {
			names = append(names, one.Name)
		}
		s.suggest(r, "spec.sandbox", "there is no sandbox", s.Spec.Sandbox, names, "the list has "+strictyaml.Listed(names))
		return
	}
	names := make([]string, 0, len(of.Spec.Resources))
	for _, one := range of.Spec.Resources {
		if one.Name == s.Spec.Resource {
			return
		}
		names = append(names, one.Name)
	}
	otherwise := "it has none"
	if len(names) > 0 {
		otherwise = "its resources are " + strictyaml.Listed(names)
	}
	if !of.Unsure("spec.resources") {
		s.suggest(r, "spec.resource", fmt.Sprintf("sandbox %q has no resource", of.Name), s.Spec.Resource, names, otherwise)
	}
}

var outputSecretKey = Rule{
	ID: "output-secret-key", Severity: krm.Error,
	Summary: "A key of an OutputSecret is a key of a Secret with at most 240 characters, and its value is `<step>.<output>`.",
	Why:     "The cluster would refuse the Secret, which also has each key with a generation at its end.",
	Sources: []string{"https://kubernetes.io/docs/concepts/configuration/secret/#restriction-names-data"},
	Example: "spec.data: {database url: provision.host}",
	checks: []check{outputSecretCheck(func(r *Rule, s *outputSecret) {
		if s.Spec.Data != nil && len(s.Spec.Data) == 0 {
			s.Report(r, dataPath, "must have a key: map each key of the Secret to <step>.<output>")
		}
		for _, key := range s.Keys() {
			switch problem := document.CheckKey(key); {
			case key == "":
				s.ReportKey(r, dataPath.Key(key), "key must not be empty")
			case len(key) > document.MaxSecretKey:
				s.ReportKey(r, dataPath.Key(key), "key must have at most %d characters, not %d", document.MaxSecretKey, len(key))
			case problem != "":
				s.ReportKey(r, dataPath.Key(key), "key %s", problem)
			case s.namesNoStep(key):
				s.Report(r, dataPath.Key(key), "must be <step>.<output> such as %q, not %q", "provision.uri", s.Spec.Data[key])
			}
		}
	})},
}

// namesNoStep reports whether the value of a key is an outputKey in the old form, with only the name of an output.
func (s *outputSecret) namesNoStep(key string) bool {
	return isOutputKey(s.Spec.Data[key]) && !strings.Contains(s.Spec.Data[key], ".")
}
