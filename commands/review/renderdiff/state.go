package renderdiff

import (
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// state is the decoded objects of a side, without those that are the same on both.
type state struct {
	*Side

	objects []*object
	steps   map[stepKey]*step
	helpers map[stepKey]*object // copies and cleanups, by the helper's name in place of a step's
	byID    map[identity]*object
	// secrets are the Secrets that steps publish to.
	secrets map[identity]*step
	kinds   map[string]bool
	// same are ConfigMaps and Secrets of both sides by kind and name.
	same map[[2]string][]*krm.Item
}

// newState decodes the items of a side.
func newState(side *Side, items, same []*krm.Item) (*state, error) {
	objects, err := decodeAll(items)
	if err != nil {
		return nil, err
	}
	s := &state{
		Side: side, objects: objects, steps: map[stepKey]*step{}, helpers: map[stepKey]*object{},
		byID: make(map[identity]*object, len(objects)), secrets: map[identity]*step{}, kinds: map[string]bool{},
		same: map[[2]string][]*krm.Item{},
	}
	for _, o := range objects {
		s.byID[o.identity] = o
		s.kinds[o.kind] = true
	}
	for _, item := range same {
		kind := item.Kind()
		s.kinds[kind] = true
		if kind == kindConfigMap || kind == kindSecret {
			key := [2]string{kind, item.Name()}
			s.same[key] = append(s.same[key], item)
		}
	}
	for _, o := range objects {
		if o.isOfEngine() {
			s.inline(o)
		}
	}
	return s, nil
}

// drop leaves objects out of the comparison, and returns how many. They can still be found.
func (s *state) drop(isDropped func(o *object) bool) int {
	before := len(s.objects)
	s.objects = slices.DeleteFunc(s.objects, isDropped)
	return before - len(s.objects)
}

// sort finds the steps and helpers among the objects.
func (s *state) sort() {
	found := map[stepKey][]*step{}
	for _, o := range s.objects {
		one := newStep(o)
		switch {
		case one != nil && o.kind == kindSecret:
			s.secrets[o.identity] = one
		case one != nil && o.isWorkload():
			found[one.stepKey] = append(found[one.stepKey], one)
		case o.isWorkload() && o.fact(contract.HelperKey) != "":
			s.helpers[stepKey{
				o.sandboxName(), o.fact(contract.ResourceKey), v1alpha1.Phase(o.fact(contract.PhaseKey)),
				o.helper(),
			}] = o
		}
	}
	generations := map[stepKey]*step{}
	for _, secret := range s.secrets {
		generations[secret.stepKey] = secret
	}
	for key, all := range found {
		s.steps[key] = current(all, generations[key])
	}
	if s.live {
		s.dropOtherPhase()
		for key, secret := range generations {
			if s.steps[key] == nil && secret.generation != "" && s.isRunning(key) {
				s.steps[key] = secret // its Job was removed
			}
		}
	}
}

// current returns the step of the last render among those that a cluster still has Jobs of: the one that may publish to
// the Secret, else the youngest.
func current(all []*step, secret *step) *step {
	best := slices.MaxFunc(all, func(a, b *step) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, one := range all {
		if secret != nil && one.generation == secret.generation && one.publishes() && best.generation != secret.generation {
			best = one
		}
	}
	for _, one := range all {
		if one != best {
			best.leftovers = append(best.leftovers, one.Name)
		}
	}
	slices.Sort(best.leftovers)
	return best
}

// dropOtherPhase drops the steps of the previous phase: a cluster keeps the finished Jobs of create when a sandbox is
// removed, and those of delete when it is created again.
func (s *state) dropOtherPhase() {
	last := map[[2]string]*step{} // the youngest by sandbox and resource
	for _, one := range s.steps {
		key := [2]string{one.sandbox, one.resource}
		best := last[key]
		if best == nil || one.CreationTimestamp.After(best.CreationTimestamp.Time) ||
			one.CreationTimestamp.Equal(&best.CreationTimestamp) && one.phase < best.phase {
			last[key] = one
		}
	}
	for key, one := range s.steps {
		if last[[2]string{one.sandbox, one.resource}].phase != key.phase {
			delete(s.steps, key)
		}
	}
}

// isRunning reports whether the cluster's resource is in the phase of a step.
func (s *state) isRunning(key stepKey) bool {
	for _, one := range s.steps {
		if one.sandbox == key.sandbox && one.resource == key.resource {
			return one.phase == key.phase
		}
	}
	return key.phase == v1alpha1.PhaseCreate
}

// find returns an object of a namespace, nil if the side does not have it.
func (s *state) find(kind, namespace, name string) *object {
	if o := s.byID[identity{"", kind, namespace, name}]; o != nil {
		return o
	}
	for _, item := range s.same[[2]string{kind, name}] {
		if o, err := decode(item); err == nil && o.namespace == namespace {
			s.byID[o.identity] = o
			return o
		}
	}
	return nil
}

// producerGeneration returns the generation of a producer, empty if it is not known.
func (s *state) producerGeneration(of *step, i int) string {
	producer := of.plan.Producers[i]
	if producer.Generation != "" {
		return producer.Generation
	}
	name := of.job.Template.Annotations[contract.InputSecretKey(i)]
	if secret := s.find(kindSecret, of.namespace, name); secret != nil {
		return secret.Annotations[contract.GenerationKey]
	}
	return ""
}
