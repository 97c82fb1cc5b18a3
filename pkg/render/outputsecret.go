package render

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// outputSecrets are the OutputSecret documents of a list: those of each sandbox, and each by its Secret.
type outputSecrets struct {
	ofSandbox document.OutputSecrets
	bySecret  map[identity]*document.OutputSecret
}

// readOutputSecrets decodes the OutputSecrets of a list and reports those that cannot be rendered.
func readOutputSecrets(list *krm.ResourceList, sandboxes []*sandbox) (valid outputSecrets, err error) {
	valid = outputSecrets{document.OutputSecrets{}, map[identity]*document.OutputSecret{}}
	items, err := list.Select(contract.APIVersion, contract.OutputSecret)
	if err != nil {
		return valid, err
	}
	seen := map[identity]bool{}
	var read []*document.OutputSecret
	for _, item := range items {
		s, problems := document.ReadOutputSecret(item)
		id := identity{secretKind, s.Namespace, s.Name}
		switch broken := firstError(problems); {
		case broken != nil:
			list.Report(krm.At(item, broken.Path, krm.Error, broken.Message+moreFindings))
		case s.Name == "" || document.CheckSubdomain(s.Name) != "" || s.Namespace == "" || document.CheckLabel(s.Namespace) != "":
			list.Report(krm.At(item, "metadata", krm.Error, "must have a valid name and namespace, those of the Secret"+moreFindings))
		case seen[id]:
			list.Report(krm.At(item, "metadata.name", krm.Error,
				fmt.Sprintf("must not be the name %q of another OutputSecret of the namespace: both would write one Secret", s.Name)))
		default:
			valid.ofSandbox.Add(s)
			valid.bySecret[id], read = s, append(read, s)
		}
		seen[id] = true
	}
	valid.reportStray(list, read, sandboxes)
	valid.reportOthers(list)
	return valid, nil
}

const secretKind = "Secret"

// reportStray reports the OutputSecrets of resources that none of the list's sandboxes has.
func (o outputSecrets) reportStray(list *krm.ResourceList, secrets []*document.OutputSecret, sandboxes []*sandbox) {
	if len(secrets) == 0 {
		return
	}
	found := map[*document.OutputSecret]*sandbox{}
	for _, s := range slices.Backward(sandboxes) {
		for _, secret := range o.ofSandbox.Of(s.Item) {
			found[secret] = s
		}
	}
	for _, s := range secrets {
		of := found[s]
		switch {
		case of == nil:
			list.Report(krm.At(s.Item, "spec.sandbox", krm.Error,
				fmt.Sprintf("must be a sandbox of the list, not %q: add it, or remove this document with it", s.Spec.Sandbox)))
		case !slices.ContainsFunc(of.Spec.Resources, func(r v1alpha1.SandboxResource) bool { return r.Name == s.Spec.Resource }):
			list.Report(krm.At(s.Item, "spec.resource", krm.Error,
				fmt.Sprintf("must be a resource of sandbox %q, not %q", of.Name, s.Spec.Resource)+moreFindings))
		}
	}
}

// reportOthers reports Secrets that a controller of another project writes, too.
func (o outputSecrets) reportOthers(list *krm.ResourceList) {
	if len(o.bySecret) == 0 {
		return
	}
	for _, item := range list.Items() {
		if item.Kind() != "ExternalSecret" && item.Kind() != "SealedSecret" {
			continue
		}
		name := item.Name()
		if node, ok := krm.Path("spec.target.name").Find(item.YNode()); ok && node.Value != "" {
			name = node.Value
		}
		if s := o.bySecret[identity{secretKind, item.Namespace(), name}]; s != nil {
			list.Report(krm.At(s.Item, "metadata.name", krm.Error, fmt.Sprintf("Secret %q is written by the %s %q, too: remove one "+
				"of them from this environment, or rename one", s.Name, item.Kind(), item.Name())))
		}
	}
}

// outputSecretsOf returns the OutputSecrets with outputs of a resource. As for copies, an unknown output is an error in the
// create phase only.
func (p *plan) outputSecretsOf(s *sandbox, resource string, phase *compiledPhase) (of []*document.OutputSecret) {
	var index *document.OutputIndex
	for _, secret := range p.secrets.ofSandbox.Of(s.Item) {
		if secret.Spec.Resource != resource {
			continue
		}
		if index == nil {
			index = document.NewOutputIndex(phase.spec)
		}
		isValid := len(secret.Spec.Data) > 0
		for _, key := range secret.Keys() {
			var message string
			switch output := secret.Spec.Output(key); {
			case key == "" || document.CheckKey(key) != "" || len(key) > document.MaxSecretKey:
				message = fmt.Sprintf("key %q must be valid for a Secret", key)
			case len(index.Of(output.Key())) == 0:
				message = fmt.Sprintf("must be <step>.<output>, an output of a create step of the resource's plugin, not %q",
					secret.Spec.Data[key])
			default:
				continue
			}
			if isValid = false; phase.phase == v1alpha1.PhaseCreate {
				p.list.Report(krm.At(secret.Item, krm.Path("spec.data").Key(key), krm.Error, message+moreFindings))
			}
		}
		if isValid || phase.phase == v1alpha1.PhaseDelete {
			of = append(of, secret)
		}
	}
	steps := len(phase.publishing(v1alpha1.PhaseCreate)) + len(phase.publishing(v1alpha1.PhaseDelete))
	if len(of) > 0 && steps+len(of) > contract.MaxSecrets {
		p.list.Report(krm.At(of[len(of)-1].Item, "spec.resource", krm.Error, fmt.Sprintf("must not be the resource of %d "+
			"OutputSecrets: with the %d steps of its plugin, at most %d can be removed together",
			len(of), steps, contract.MaxSecrets)))
	}
	return of
}

// outputSecret adds the Secret of a document and, in the create phase, the copy that writes it. Like the Secrets of steps it
// has no data. Its generation is a hash of its content, so that a change of the document copies again.
func (r *renderer) outputSecret(s *document.OutputSecret) {
	byName := map[string]string{}
	for ref, generation := range r.generations {
		if ref.Phase == v1alpha1.PhaseCreate {
			byName[r.steps[ref].spec.Name] = generation
		}
	}
	generation := s.Generation(byName)
	m := r.metadata(v1alpha1.PhaseCreate, nil)
	m.add(contract.HelperKey, contract.HelperCopy)
	m.annotations[contract.GenerationKey] = generation
	r.objects = append(r.objects, object{kind: secretKind, phase: v1alpha1.PhaseCreate, Manifest: &corev1.Secret{
		TypeMeta: typeMeta("v1", secretKind), ObjectMeta: r.objectMetadata(m).of(s.Namespace, s.Name),
		Type: corev1.SecretTypeOpaque,
	}})
	if r.phase == v1alpha1.PhaseCreate {
		r.copyTo(s, generation)
	}
}

// copyTo adds the copy of outputs to the Secret of a document.
func (r *renderer) copyTo(s *document.OutputSecret, generation string) {
	h := helperJob{helper: contract.HelperCopy, about: s.Namespace + "/" + s.Name, output: s}
	h.plan.Generation = generation
	keys := s.Keys()
	for _, key := range keys {
		h.plan.Outputs = append(h.plan.Outputs, contract.Output{Name: key, Workloads: true})
	}
	for _, one := range r.publishing(v1alpha1.PhaseCreate) {
		producer := contract.Producer{
			Step: one.spec.Name, Generation: r.generations[one.ref], Copies: []string{s.Namespace}, Ended: r.hasEnded(one),
		}
		for _, key := range keys {
			if output := s.Spec.Output(key); output.Name == one.spec.Name {
				producer.Inputs = append(producer.Inputs, contract.Input{Output: output.Output, Key: key})
			}
		}
		if len(producer.Inputs) > 0 {
			h.producers, h.plan.Producers = append(h.producers, one), append(h.plan.Producers, producer)
			h.depth = max(h.depth, one.depth)
		}
	}
	if len(h.producers) > contract.MaxProducers {
		r.problems = append(r.problems, strictyaml.Error("", "must not have outputs of more than %d steps in the OutputSecret "+
			"%q: make several of it", contract.MaxProducers, s.Name))
		return
	}
	followed := r.jobNames(slices.Concat(h.producers, r.ancestors(h.producers)))
	h.allow(access{r.namespace, slices.Concat(
		rule("secrets", "watch", named(h.producers, r.secretName)), rule("jobs", "watch", followed),
	)})
	h.allow(access{s.Namespace, rule("secrets", "patch", []string{s.Name})})
	r.helperJob(h)
}

// collisions returns findings about OutputSecrets whose Secret is one that a step publishes to, or its copy.
func (o outputSecrets) collisions(objects []object) (results krm.Results) {
	if len(o.bySecret) == 0 {
		return nil
	}
	for i := range objects {
		one := &objects[i]
		step := one.GetAnnotations()[contract.StepKey]
		if one.kind != secretKind || step == "" {
			continue
		}
		if s := o.bySecret[identity{secretKind, one.GetNamespace(), one.GetName()}]; s != nil {
			results = append(results, krm.At(s.Item, "metadata.name", krm.Error, fmt.Sprintf("must not be %q, the name of the "+
				"Secret with the outputs of step %q: choose another name", s.Name, step)))
		}
	}
	return results
}
