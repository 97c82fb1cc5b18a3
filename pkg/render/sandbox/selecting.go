package sandbox

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The kinds that may select the Pods of forks too: they do not send them requests.
const (
	networkPolicy       = "NetworkPolicy"
	podDisruptionBudget = "PodDisruptionBudget"
)

// selectingObject is an object that selects Pods.
type selectingObject struct {
	item     *krm.Item
	selector labels.Selector
	// peers are the other selectors of a NetworkPolicy: those of the Pods that it lets through.
	peers []labels.Selector
}

// readSelecting reads an object's selector for Pods; it returns false if it selects none.
func readSelecting(item *krm.Item, spec object) (s selectingObject, selects bool) {
	s.item = item
	switch item.Kind() {
	case "Service", "ReplicationController":
		selector := stringMap(spec, "selector")
		return selectingObject{item: item, selector: labels.SelectorFromSet(selector)}, len(selector) > 0
	case networkPolicy:
		s.peers = append(readPeers(spec, "ingress", "from"), readPeers(spec, "egress", "to")...)
		if spec["podSelector"] == nil {
			s.selector = labels.Everything()
			return s, true
		}
		s.selector, selects = readSelector(spec, "podSelector")
	default:
		s.selector, selects = readSelector(spec, "selector")
	}
	return s, selects
}

func readPeers(spec object, direction, side string) (found []labels.Selector) {
	for _, rule := range children(spec, direction) {
		for _, peer := range children(rule, side) {
			if selector, ok := readSelector(peer, "podSelector"); ok {
				found = append(found, selector)
			}
		}
	}
	return found
}

// readSelector reads a LabelSelector. It returns false if it is missing or the API server rejects it; an empty one
// selects all Pods.
func readSelector(o object, key string) (labels.Selector, bool) {
	mapping := child(o, key)
	if mapping == nil {
		return nil, false
	}
	var typed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(mapping, &typed); err != nil {
		return nil, false
	}
	selector, err := metav1.LabelSelectorAsSelector(&typed)
	return selector, err == nil
}

// exclude finds labels by which the selectors of the namespace do not select forks. If that is not possible for all,
// objects that send requests to Pods or own them come first; the order of the list does not matter.
func (n *namespace) exclude() {
	slices.SortStableFunc(n.selecting, func(a, b selectingObject) int {
		return cmp.Or(cmp.Compare(rank(a.item), rank(b.item)), cmp.Compare(a.item.Kind(), b.item.Kind()),
			cmp.Compare(a.item.Name(), b.item.Name()))
	})
	selectors := make([]labels.Selector, len(n.selecting))
	for i := range n.selecting {
		selectors[i] = n.selecting[i].selector
		if n.selecting[i].item.Kind() == networkPolicy {
			n.policies = append(n.policies, n.selecting[i])
		}
	}
	n.exclusion = newExclusion(selectors, podLabels)
}

func rank(item *krm.Item) int {
	switch item.Kind() {
	case networkPolicy:
		return 2
	case podDisruptionBudget:
		return 1
	}
	return 0
}
